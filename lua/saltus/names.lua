-- Names as users write them: what may be one, which known name comes nearest to
-- a wrong one, and the line of the user's file that an error should point at.
local core = require "saltus.core"

local names = {}

local keywords = {}
for word in ([[and break do else elseif end false for function goto if in local
  nil not or repeat return then true until while]]):gmatch "%a+" do
  keywords[word] = true
end

local reserved = { time = true, past = true, past_rate = true, random = true }

function names.is_identifier(s)
  return type(s) == "string" and s:find "^[%a_][%w_]*$" ~= nil and not keywords[s]
end

-- Taken in every system and diagram: they mean something in `ctx`.
function names.is_reserved(s) return reserved[s] == true end

-- Optimal string alignment distance: insertions, deletions, substitutions and
-- swaps of neighbours; two rows of the table are enough, three for the swaps.
local function distance(a, b)
  local before, last, row = {}, {}, {}
  for j = 0, #b do last[j] = j end
  for i = 1, #a do
    row[0] = i
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      row[j] = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        row[j] = math.min(row[j], before[j - 2] + 1)
      end
    end
    before, last, row = last, row, before
  end
  return last[#b]
end

-- Is `word`, which has a number in it, short for `candidate`: rk4 for runge_kutta4?
local function abbreviates(word, candidate)
  local number = word:match "%d+$"
  if not number or candidate:match "%d+$" ~= number then return false end
  local pattern = word:sub(1, -#number - 1):gsub("%A", ""):gsub("%a", "%0.*")
  return #pattern > 3 and candidate:find("^" .. pattern .. number .. "$") ~= nil
end

-- How far `candidate` is from `word`; nil when it is no likely meaning.
local function score(word, candidate)
  local a, b = word:lower(), candidate:lower()
  if a == b then return 0 end
  local most = math.min(#a, #b) <= 4 and 1 or 2
  if math.abs(#a - #b) <= most then
    local d = distance(a, b)
    if d <= most and d < #a then return d end
  end
  local short = math.min(#a, #b)
  if short >= 3 and a:sub(1, short) == b:sub(1, short) then return 3 end
  return abbreviates(a, b) and 4 or nil
end

-- Our word for one that other tools use.
local function translated(word, candidates)
  for _, ours in ipairs(require("saltus.synonyms")[word:lower()] or {}) do
    for _, candidate in ipairs(candidates) do if candidate == ours then return ours end end
  end
  return nil
end

function names.near(word, candidates)
  if type(word) ~= "string" then return nil end
  local best, best_score
  for _, candidate in ipairs(candidates) do
    local s = score(word, candidate)
    if s and (not best_score or s < best_score) then best, best_score = candidate, s end
  end
  local ours = best_score ~= 0 and translated(word, candidates)
  return ours or best
end

-- The candidate that a word was probably meant to be: a letter or two away, or in other case.
function names.typo_of(word, candidates)
  for _, candidate in ipairs(candidates) do
    local s = word ~= candidate and score(word, candidate)
    if s and s <= 2 then return candidate end
  end
  return nil
end

-- The end of a message about a wrong name: the near one, or all when few.
function names.hint(word, candidates)
  local near = names.near(word, candidates)
  if near then return ("; did you mean %q?"):format(near) end
  if #candidates == 0 or #candidates > 24 then return "" end
  return "; known: " .. table.concat(candidates, ", ")
end

-- names.unknown('field %s in system "ball"', "derivativs", { "derivatives" })
-- answers: unknown field "derivativs" in system "ball"; did you mean "derivatives"?
function names.unknown(what, word, candidates)
  local quoted = type(word) == "string" and ("%q"):format(word) or ("[%s]"):format(tostring(word))
  local before, after = what:match "^(.-)%%s(.*)$"
  local text = before and before .. quoted .. after or what .. " " .. quoted
  return "unknown " .. text .. names.hint(word, candidates)
end

-- A value as it should stand in a message.
function names.show(value)
  if type(value) == "string" then return ("%q"):format(value) end
  if value ~= value then return "NaN" end
  if value == math.huge or value == -math.huge then return value > 0 and "infinity" or "-infinity" end
  if type(value) == "number" then return ("%.14g"):format(value) end
  local mt = type(value) == "table" and getmetatable(value)
  local kind = type(mt) == "table" and type(mt.__name) == "string" and mt.__name:match "^saltus%.(%a+)$"
  if kind then return (kind:find "^[aeiou]" and "an " or "a ") .. kind end
  if type(value) == "table" or type(value) == "function" then return "a " .. type(value) end
  return tostring(value)
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

local own_folder = debug.getinfo(1, "S").source:match "^(.*[/\\])[^/\\]*$" or "@"

-- "file:line" of the innermost function that is not one of this library's;
-- nil when there is none (a tail call from a main chunk leaves no trace).
function names.where() return core.where(own_folder) end

-- "file:line" where a function is defined; nil for this library's own and for C's.
function names.defined(fn)
  local info = debug.getinfo(fn, "S")
  if info.what == "C" or info.source:sub(1, #own_folder) == own_folder then return nil end
  return ("%s:%d"):format(info.short_src, info.linedefined)
end

-- Raises an error that points at the user's line.
function names.fail(message, ...)
  if select("#", ...) > 0 then message = message:format(...) end
  local where = names.where()
  error(where and where .. ": " .. message or message, 0)
end

-- Methods of `kind`, a metatable's __name: called with a dot, each says how to write it.
function names.with_colon(methods, kind)
  local word = kind == "saltus.simulator" and "sim" or kind:match "%a+$"
  for name, fn in pairs(methods) do
    if type(fn) == "function" and name:sub(1, 2) ~= "__" then
      methods[name] = function(self, ...)
        local mt = getmetatable(self)
        if type(mt) ~= "table" or mt.__name ~= kind then
          names.fail("write %s:%s(...), with a colon", word, name)
        end
        return fn(self, ...)
      end
    end
  end
end

return names
