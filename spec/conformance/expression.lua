-- The recorded expressions: a common subset of Lua and Python, compiled to Lua functions.
--
--   xc1 - 0.3        t + 1        -4 * u1 - 2 * (u1 - xd2) / 0.1        1 * (t == 0.375)
--
-- In them a comparison is a number, 1 or 0, which neither language's arithmetic can say alike; so the text is parsed
-- and written anew. Number literals become floats (the traces know no integers).
local expression = {}

local functions = {
  sin = "math.sin", cos = "math.cos", tan = "math.tan", exp = "math.exp", log = "math.log", sqrt = "math.sqrt",
  abs = "math.abs", max = "math.max", min = "math.min", floor = "math.floor",
}

local function tokens_of(text)
  local list, at = {}, 1
  while true do
    at = text:find("%S", at)
    if not at then return list end
    local number = text:match("^%d+%.?%d*[eE][+-]?%d+", at) or text:match("^%.%d+[eE][+-]?%d+", at)
      or text:match("^%d+%.?%d*", at) or text:match("^%.%d+", at)
    local word = text:match("^[%a_][%w_]*", at)
    local sign = text:match("^[=<>~!]=", at) or text:match("^%*%*", at) or text:match("^[-+*/^()<>,]", at)
    local token = number or word or sign
    if not token then error(("cannot read %q at column %d"):format(text, at), 0) end
    list[#list + 1] = { text = token, kind = number and "number" or word and "word" or "sign" }
    at = at + #token
  end
end

-- Precedence climbing; each level returns Lua source.
local level_of = {
  ["or"] = 1, ["and"] = 2,
  ["<"] = 3, [">"] = 3, ["<="] = 3, [">="] = 3, ["=="] = 3, ["!="] = 3, ["~="] = 3,
  ["+"] = 4, ["-"] = 4, ["*"] = 5, ["/"] = 5,
}

local function parse(text, name_of)
  local list, at = tokens_of(text), 1
  local read

  local function peek() return list[at] and list[at].text end
  local function take(wanted)
    local token = list[at]
    if not token or wanted and token.text ~= wanted then
      error(("%q: expected %s"):format(text, wanted or "more"), 0)
    end
    at = at + 1
    return token
  end

  local function call(word)
    local arguments = {}
    take "("
    repeat arguments[#arguments + 1] = read(1) until peek() ~= "," or not take ","
    take ")"
    return functions[word] .. "(" .. table.concat(arguments, ", ") .. ")"
  end

  local function primary()
    local token = take()
    if token.kind == "number" then
      return token.text:find "[.eE]" and token.text or token.text .. ".0"
    elseif token.text == "(" then
      local inner = read(1)
      take ")"
      return "(" .. inner .. ")"
    elseif token.text == "not" then
      return "truth(" .. read(3) .. " == 0)"
    elseif token.text == "-" then
      return "(-" .. read(6) .. ")"
    elseif token.text == "+" then
      return read(6)
    elseif token.text == "pi" then
      return "math.pi"
    elseif functions[token.text] then
      return call(token.text)
    elseif token.kind == "word" then
      return name_of(token.text)
    end
    error(("%q: unexpected %s"):format(text, token.text), 0)
  end

  function read(lowest)
    local left = primary()
    if peek() == "^" or peek() == "**" then
      take()
      left = "(" .. left .. " ^ " .. read(6) .. ")"
    end
    while true do
      local sign = peek()
      local level = level_of[sign]
      if not level or level < lowest then return left end
      take()
      local right = read(level + 1)
      if level == 3 then
        left = ("truth(%s %s %s)"):format(left, sign == "!=" and "~=" or sign, right)
      elseif level < 3 then
        left = ("truth(%s ~= 0 %s %s ~= 0)"):format(left, sign, right)
      else
        left = left .. " " .. sign .. " " .. right
      end
    end
  end

  local source = read(1)
  if list[at] then error(("%q: cannot read from %s on"):format(text, list[at].text), 0) end
  return source
end

local function truth(condition) return condition and 1.0 or 0.0 end

-- A function of an environment `e`; `name_of` returns how a recorded name is read there (default: e.name).
function expression.compile(text, name_of)
  local source = parse(text, name_of or function(name) return "e." .. name end)
  return assert(load("local truth = ...; return function(e) return " .. source .. " end", "=" .. text))(truth)
end

-- The names that an expression reads, as a set.
function expression.names(text)
  local names = {}
  for _, token in ipairs(tokens_of(text)) do
    if token.kind == "word" and not functions[token.text] then names[token.text] = true end
  end
  return names
end

-- A recorded list of {when, is, message}, or one of them, becomes a function of the environment returning the first
-- that matches.
function expression.status(recorded, name_of)
  if not recorded then return function() end end
  local rules = {}
  for _, rule in ipairs(recorded[1] and recorded or recorded.is and { recorded } or {}) do
    rules[#rules + 1] = { when = expression.compile(rule.when, name_of), rule = rule }
  end
  return function(e)
    for _, candidate in ipairs(rules) do
      if candidate.when(e) ~= 0 then return candidate.rule end
    end
  end
end

return expression
