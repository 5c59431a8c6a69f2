-- The tokens of a C file. Their texts, joined, are the file.
local M = {}

-- Each pattern with whether its tokens mean something; comments and blanks do not.
local PATTERNS = {
  { "^%s+", blank = true },
  { "^//[^\n]*", blank = true },
  { "^[%a_][%w_]*", name = true },
  { "^%.?%d[%w_.]*[eEpP][+-]%d+[%w_]*" },
  { "^%.?%d[%w_.]*" },
  { "^%->" },
  { "^##" },
}

local function comment_at(text, at)
  if text:sub(at, at + 1) ~= "/*" then return end
  local _, last = text:find("*/", at + 2, true)
  return text:sub(at, last)
end

local function quoted_at(text, at)
  local quote = text:sub(at, at)
  if quote ~= '"' and quote ~= "'" then return end
  local last = at + 1
  while text:sub(last, last) ~= quote do last = last + (text:sub(last, last) == "\\" and 2 or 1) end
  return text:sub(at, last)
end

local function token_at(text, at)
  local comment = comment_at(text, at)
  if comment then return { text = comment, is_blank = true } end
  local quoted = quoted_at(text, at)
  if quoted then return { text = quoted } end
  for _, pattern in ipairs(PATTERNS) do
    local found = text:match(pattern[1], at)
    if found then return { text = found, is_blank = pattern.blank, is_name = pattern.name } end
  end
  return { text = text:sub(at, at) }
end

-- Returns the tokens, with `is_directive` for those in a line of the preprocessor, and `is_member` for the names after
-- a point or an arrow.
function M.of(text)
  local list, at, directive, before, new_line = {}, 1, false, "", true
  while at <= #text do
    local token = token_at(text, at)
    if token.is_blank then
      if token.text:find "^%s*\n" and before ~= "\\" then directive, new_line = false, true end
    else
      if token.text == "#" and new_line then directive = true end
      new_line = false
      token.is_member = token.is_name and (before == "." or before == "->") or nil
      before = token.text
    end
    token.is_directive = directive
    list[#list + 1] = token
    at = at + #token.text
  end
  return list
end

-- The text with other names; members keep theirs, also where a struct declares them (`is_declared_member`).
function M.renamed(list, renames)
  local out = {}
  for i, token in ipairs(list) do
    local new = token.is_name and not token.is_member and not token.is_declared_member and renames[token.text]
    out[i] = new or token.text
  end
  return table.concat(out)
end

return M
