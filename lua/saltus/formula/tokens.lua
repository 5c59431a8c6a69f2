-- The words of a formula: a list of { kind =, text =, from =, upto = }, with the columns of its first and last
-- characters. Kinds: "name" (a path, like plant.angle or r[2]), "number", "mode" (in quotes), "keyword", "sign", "end".
local names = require "saltus.util.names"

local tokens = {}

tokens.keywords = {}
for word in ("not and or always eventually never until within after rise fall"):gmatch "%a+" do
  tokens.keywords[word] = true
end

local AROUND = 100 -- characters of a long formula that an error quotes, on each side of the column

-- A text, or what is around a column of a long one.
local function quoted(text, column)
  local from, upto = math.max(1, column - AROUND), math.min(#text, column + AROUND)
  if upto - from + 1 >= #text then return text end
  while from > 1 and text:byte(from) & 0xC0 == 0x80 do from = from - 1 end
  while upto < #text and text:byte(upto + 1) & 0xC0 == 0x80 do upto = upto + 1 end
  return (from > 1 and "..." or "") .. text:sub(from, upto) .. (upto < #text and "..." or "")
end

-- An error about a formula: the text, then the problem and its column.
function tokens.fail(text, column, message, ...)
  names.fail("%q, column %d: %s", names.visible(quoted(text, column)), column, message:format(...))
end

local numbers = { "^0[xX]%x+", "^%d+%.?%d*[eE][+-]?%d+", "^%.%d+[eE][+-]?%d+", "^%d+%.?%d*", "^%.%d+" }
local signs = { "^%->", "^[<>=~]=", "^[-+*/^()<>%[%],]" }

-- What other languages write for these signs.
local foreign = { ["!="] = "~=", ["=<"] = "<=", ["=>"] = "->", ["=!"] = "~=", ["&&"] = "and", ["||"] = "or",
  ["**"] = "^", ["="] = "==", ["!"] = "not", ["&"] = "and", ["|"] = "or",
  [";"] = "," }

local function first_match(patterns, text, i)
  for _, pattern in ipairs(patterns) do
    local found = text:match(pattern, i)
    if found then return found end
  end
  return nil
end

-- A name with its dots; an index belongs to it only directly behind it and if it is no interval of a keyword.
local function name_at(text, i)
  local word = text:match("^[%a_][%w_]*", i)
  if not word or tokens.keywords[word] then return word end
  word = text:match("^[%a_][%w_.]*", i)
  return word .. (text:match("^%[%d+%]", i + #word) or "")
end

local function fail_at(text, i)
  local two = text:sub(i, i + 1)
  local wrong = foreign[two] and two or text:sub(i, i)
  if foreign[wrong] then tokens.fail(text, i, "write %s instead of %s", foreign[wrong], wrong) end
  if wrong == "'" or wrong == '"' then tokens.fail(text, i, "the quote is not closed") end
  tokens.fail(text, i, "%q has no meaning here", names.visible(text:sub(i, utf8.offset(text, 2, i) - 1)))
end

local function checked_name(text, i, word)
  if word:find "%.%." or word:find "%.$" then tokens.fail(text, i, "%q is no path", names.brief(word)) end
  return tokens.keywords[word] and "keyword" or "name"
end

local function token_at(text, i)
  local found = first_match(numbers, text, i)
  if found then
    if text:find("^[%w_.]", i + #found) then
      tokens.fail(text, i, "%q is not a number", names.brief(text:match("^[%w_.]+", i)))
    end
    return "number", found
  end
  found = name_at(text, i)
  if found then return checked_name(text, i, found), found end
  found = text:match("^'[^']*'", i) or text:match('^"[^"]*"', i)
  if found then return "mode", found end
  if text:find("^%*%*", i) then return nil end
  found = first_match(signs, text, i)
  return found and "sign", found
end

function tokens.list(text)
  names.check(type(text) == "string", text, "a formula must be a text like \"always height > 0\"")
  if not utf8.len(text) then names.fail("%q is not valid UTF-8", names.brief(names.visible(text))) end
  local out, i = {}, 1
  while true do
    i = text:find("%S", i)
    if not i then break end
    local kind, word = token_at(text, i)
    if not kind then fail_at(text, i) end
    out[#out + 1] = { kind = kind, text = word, from = i, upto = i + #word - 1 }
    i = i + #word
  end
  out[#out + 1] = { kind = "end", text = "", from = #text + 1, upto = #text }
  return out
end

return tokens
