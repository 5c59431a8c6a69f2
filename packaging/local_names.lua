-- The names of a C file that other files do not see: static functions and variables, types, tags, enumerators, macros.
local M = {}

-- The macros that begin a static function, such as SAL__ALWAYS_INLINE, as a set; "static" is in it too.
function M.static_macros(sources)
  local set, grew = { static = true }, true
  while grew do
    grew = false
    for _, source in ipairs(sources) do
      for name, body in source.text:gmatch "#define ([%w_]+) ([^\n]*)" do
        local first = body:match "^[%w_]+"
        if first and set[first] and not set[name] then set[name], grew = true, true end
      end
    end
  end
  return set
end

-- The tokens that mean something, outside of the preprocessor's lines, with `depth`: how many brackets of any kind are
-- open around a token.
local function meaningful(list)
  local code, depth = {}, 0
  for _, token in ipairs(list) do
    if not token.is_blank and not token.is_directive then
      if token.text:find "^[])}]$" then depth = depth - 1 end
      token.depth = depth
      if token.text:find "^[[({]$" then depth = depth + 1 end
      code[#code + 1] = token
    end
  end
  return code
end

-- The declarations of a file, each a list of tokens: up to a semicolon, the end of a function's body, or the closing
-- bracket of a macro alone on its line.
local function declarations(code)
  local list, current = {}, {}
  local in_function = false
  for i, token in ipairs(code) do
    current[#current + 1] = token
    if token.depth == 0 then
      local before, after = code[i - 1], code[i + 1]
      if token.text == "{" then in_function = before.text == ")" end
      local macro_ends = token.text == ")" and current[1].text:find "^SAL__?[%u_]+$" and current[2].text == "("
        and after and after.is_name
      if token.text == ";" or token.text == "}" and in_function or macro_ends then
        list[#list + 1], current, in_function = current, {}, false
      end
    end
  end
  return list
end

-- Enumerators, tags, and the members of structs, which keep their names.
local function read_bodies(declaration, names)
  for i, token in ipairs(declaration) do
    local after = declaration[i + 1]
    if (token.text == "struct" or token.text == "union" or token.text == "enum") and after then
      local open = i + 1
      if after.is_name then open = i + 2 end
      local brace = declaration[open]
      if brace and brace.text == "{" then
        if after.is_name and token.depth == 0 then names[after.text] = true end
        for k = open + 1, #declaration do
          local inner, next_one, last = declaration[k], declaration[k + 1], declaration[k - 1]
          if inner.depth <= brace.depth then break end
          if inner.is_name and token.text == "enum" and inner.depth == brace.depth + 1 then
            if token.depth == 0 and (last.text == "{" or last.text == ",") then names[inner.text] = true end
          elseif inner.is_name and token.text ~= "enum" then
            local is_declarator = next_one.text:find "^[];,=[:]$" and last.text ~= "["
              or next_one.text == ")" and last.text == "*"
            if is_declarator then inner.is_declared_member = true end
          end
        end
      end
    end
  end
end

local ENDS_DECLARATOR = { ["["] = true, ["="] = true, [";"] = true, [","] = true }

-- The name in (*name)(...), (*const name[])(...) and the like.
local function is_pointer_declarator(declaration, i)
  local before, after = declaration[i - 1], declaration[i + 1]
  return i > 2 and declaration[i].depth == 1 and (after.text == ")" or after.text == "[")
    and (before.text == "*" or before.text == "const") and declaration[i - 2].text:find "[(*]" ~= nil
end

-- The names that a declaration at file scope gives to functions, variables and types.
local function read_declarators(declaration, names)
  local skips = false -- within an initial value
  for i, token in ipairs(declaration) do
    local after = declaration[i + 1]
    if token.depth == 0 and (token.text == "=" or token.text == ",") then
      skips = token.text == "="
    elseif token.is_name and after and not skips then
      local is_function = token.depth == 0 and after.text == "(" and not token.text:find "^__"
        and not token.text:find "^SAL_"
      local points = is_pointer_declarator(declaration, i)
      if is_function or token.depth == 0 and ENDS_DECLARATOR[after.text] or points then names[token.text] = true end
      if is_function or points then return end
    end
  end
end

-- Arguments of a macro that defines functions of the file, as SAL__ATTEMPT_WITH does.
local function read_arguments(declaration, names)
  for i = 3, #declaration do
    if declaration[i].is_name then names[declaration[i].text] = true end
  end
end

-- A block's name becomes text and a part of other names: SAL_BLOCK(gain, ...).
local function protect_block_name(declaration)
  if declaration[1].text == "SAL_BLOCK" then declaration[3].is_member = true end
end

-- Returns the names as a set, and those of them that are macros.
function M.of(list, static_macros)
  local names, macros = {}, {}
  for i, token in ipairs(list) do
    if token.is_directive and token.text == "define" then
      local name = list[i + 2].text
      names[name], macros[name] = true, true
    end
  end
  for _, declaration in ipairs(declarations(meaningful(list))) do
    local first = declaration[1].text
    if first == "__attribute__" then
      for _, token in ipairs(declaration) do
        if token.depth == 0 and static_macros[token.text] then first = "static" end
      end
    end
    protect_block_name(declaration)
    read_bodies(declaration, names)
    if static_macros[first] or first == "typedef" then
      read_declarators(declaration, names)
    elseif declaration[#declaration].text == ")" then
      read_arguments(declaration, names)
    end
  end
  return names, macros
end

return M
