-- Names as users write them, and errors about what they wrote, with the line of their file. It has the functions of
-- messages.lua too, which is loaded at the first message.
local core = require "saltus.core"
local numerals = require "saltus.util.numerals"

local names = setmetatable({}, { __index = function(_, key) return require("saltus.util.messages")[key] end })

local keywords = {}
for word in ([[and break do else elseif end false for function goto if in local
  nil not or repeat return then true until while]]):gmatch "%a+" do
  keywords[word] = true
end

local reserved = { time = true, past = true, past_rate = true, random = true }

function names.is_identifier(s)
  return type(s) == "string" and s:find "^[%a_][%w_]*$" ~= nil and not keywords[s]
end

-- These names have a meaning in `ctx`, so no system or diagram may use them.
function names.is_reserved(s) return reserved[s] == true end

-- "plant" and "angle" as "plant.angle"; "" is the path of the whole.
function names.join(path, name) return path == "" and name or path .. "." .. name end

-- Splits at the last dot: "plant.arm.angle" is "angle" of "plant.arm".
function names.split(path)
  local part, name = path:match "^(.*)%.([^.]*)$"
  if part then return part, name end
  return "", path
end

-- Splits "r[2]" into "r" and 2; other paths into the path and nil.
function names.split_element(path)
  local name, index = path:match "^(.*)%[(%d+)%]$"
  return name or path, name and (math.tointeger(tonumber(index)) or math.maxinteger)
end

-- Returns "simulator" for a saltus.simulator, and so on; nil for all other values. Calls no metamethods.
function names.kind(value)
  local mt = type(value) == "table" and getmetatable(value)
  local name = type(mt) == "table" and rawget(mt, "__name")
  return type(name) == "string" and name:match "^saltus%.(%a+)$" or nil
end

-- A value as messages show it.
function names.show(value) return names.show_value(value, names.kind(value)) end

-- The names of fields, options, variables or events.
function names.of(list) return names.of_field(list, "name") end

-- One field of each item of a list.
function names.of_field(list, field) return names.map(list, function(item) return item[field] end) end

-- What fn(item, i) returns for each item of a list.
function names.map(list, fn)
  local out = {}
  for i, item in ipairs(list) do out[i] = fn(item, i) end
  return out
end

-- The items of a list for which holds(item) is true.
function names.filter(list, holds)
  local out = {}
  for _, item in ipairs(list) do
    if holds(item) then out[#out + 1] = item end
  end
  return out
end

-- The items of all lists.
function names.joined(...)
  local out = {}
  for _, list in ipairs { ... } do table.move(list, 1, #list, #out + 1, out) end
  return out
end

function names.index_of(list, value)
  for i, item in ipairs(list) do
    if item == value then return i end
  end
  return nil
end

function names.sorted_keys(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b)
    if type(a) == type(b) and (type(a) == "string" or type(a) == "number") then return a < b end
    return tostring(a) < tostring(b)
  end)
  return keys
end

-- A shallow copy of `base` with the fields of `changes`; each may be nil.
function names.merged(base, changes)
  local out = {}
  for key, value in pairs(base or {}) do out[key] = value end
  for key, value in pairs(changes or {}) do out[key] = value end
  return out
end

local own_folder = core.getinfo(1, "S").source:match "^(.*[/\\])util[/\\][^/\\]*$" or "@"

-- "file:line" of the last `return` that begins a line of a source.
function names.last_return(path, text)
  local line, found = 0, nil
  for each in (text .. "\n"):gmatch "(.-)\n" do
    line = line + 1
    if each:find "^%s*return%f[^%w_]" then found = line end
  end
  return found and ("%s:%d"):format(path, found)
end

-- "file:line" of the innermost function outside of this library. `return saltus.scenario { ... }` of a main chunk is a
-- tail call, which leaves no trace: then it is names.final_call, which the loader of the chunk sets, or nil.
names.final_call = false
function names.where() return core.where(own_folder) or names.final_call or nil end

-- The name of a chunk that this library generates: its functions count as the library's own.
function names.own_chunk(name) return own_folder .. name end

-- "file:line" where a function is defined; nil for functions of this library and of C.
function names.defined(fn)
  local info = core.getinfo(fn, "S")
  if info.what == "C" or info.source:sub(1, #own_folder) == own_folder then return nil end
  return ("%s:%d"):format(info.short_src, info.linedefined)
end

-- Names and labels are written to terminals and files, so they must be UTF-8 without control characters, which a
-- terminal would execute.
function names.check_label(text, what)
  if text:find "%c" then names.fail("%s has a control character: %s", what, names.show(text)) end
  if not utf8.len(text) then names.fail("%s is not valid UTF-8: %s", what, names.visible(names.show(text))) end
end

-- Raises an error that points at the user's line.
function names.fail(message, ...)
  if select("#", ...) > 0 then message = numerals.format(message, ...) end
  local where = names.where()
  error(where and where .. ": " .. message or message, 0)
end

-- Raises an error that points at the user's line if `wrong`.
function names.fail_if(wrong, message, ...)
  if wrong then names.fail(message, ...) end
end

-- Raises "MESSAGE, got VALUE" unless `holds`.
function names.check(holds, value, message, ...)
  if not holds then names.fail("%s, got %s", numerals.format(message, ...), names.show(value)) end
end

-- The value, if it is a whole number of at least `least`; a float without a fraction is one.
function names.check_whole(value, least, who, what)
  local whole = type(value) == "number" and math.tointeger(value)
  names.check(whole and whole >= least, value, "%s: %s must be a whole number%s", who, what,
    least > math.mininteger and " of at least " .. least or "")
  return whole
end

-- The error text for a value that is not in a list.
function names.not_one_of(value, list)
  return ('must be one of "%s", got %s%s'):format(table.concat(list, '", "'), names.show(value),
    names.near_hint(value, list))
end

-- Raises "MESSAGE, got VALUE" unless the value is nil or of that type.
function names.check_type(value, kind, message, ...)
  names.check(value == nil or type(value) == kind, value, message, ...)
end

-- Raises "unknown WHAT" with the nearest of the candidates; "WHO: " precedes it if `who` is given.
function names.fail_unknown(what, word, candidates, who)
  names.fail("%s%s", who and who .. ": " or "", names.unknown(what, word, candidates))
end

-- Raises an error for the first key of a table that is not in the list `known`.
function names.check_keys(given, known, what, who)
  local unknown = {}
  for key in pairs(given) do
    if not names.index_of(known, key) then unknown[key] = true end
  end
  for _, key in ipairs(next(unknown) ~= nil and names.sorted_keys(unknown) or {}) do
    names.fail_unknown(what, key, known, who)
  end
end

local short = { ["saltus.simulator"] = "sim", ["saltus.story"] = "s" }

local MOST_PASSED = 4 -- arguments that are passed on by name, which is faster

local function demanding_colon(fn, name, kind)
  local word, known = short[kind] or kind:match "%a+$", nil -- the metatable of the objects
  local function check(self)
    local mt = getmetatable(self)
    if type(mt) ~= "table" or rawget(mt, "__name") ~= kind then
      names.fail("write %s:%s(...), with a colon", word, name)
    end
    known = mt
  end
  local takes = debug and debug.getinfo(fn, "u") -- a sandbox has no debug
  if not takes or takes.isvararg or takes.nparams > MOST_PASSED then
    return function(self, ...)
      if getmetatable(self) ~= known or known == nil then check(self) end
      return fn(self, ...)
    end
  end
  return function(self, a, b, c)
    if getmetatable(self) ~= known or known == nil then check(self) end
    return fn(self, a, b, c)
  end
end

-- Makes methods of `kind`, a metatable's __name, raise an error that shows the colon when they are called with a dot:
-- those in the list `only`, or all.
function names.with_colon(methods, kind, only)
  for name, fn in pairs(methods) do
    local wanted = not only and name:sub(1, 2) ~= "__" or only and names.index_of(only, name)
    if type(fn) == "function" and wanted then methods[name] = demanding_colon(fn, name, kind) end
  end
end

local function is_public(name) return type(name) == "string" and name:sub(1, 2) ~= "__" end

-- A metatable: an unknown name is an error that names the nearest one. `fields`: names whose values may be nil.
-- `known`: those that messages list, if some are internal.
function names.closing(what, fields, known)
  local may_be_nil = {}
  for _, field in ipairs(fields or {}) do may_be_nil[field] = true end
  return { __index = function(of, key)
    if may_be_nil[key] or not is_public(key) then return nil end
    local own = names.filter(names.sorted_keys(of), function(name) return is_public(name) and not may_be_nil[name] end)
    names.fail_unknown("name %s in " .. what, key, known or names.joined(own, fields or {}))
  end }
end

-- Closes a table of results, or, if `of` has the methods of a class, its objects.
function names.closed(of, ...) return setmetatable(of, names.closing(...)) end

-- The same for a class, in whose objects an unknown name cannot be written either.
function names.sealed(class, what, fields)
  names.closed(class, what, fields)
  function class.__newindex(self, key, value)
    local _ = class[key] -- raises an error for an unknown name
    rawset(self, key, value)
  end
end

return names
