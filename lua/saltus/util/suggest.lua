-- The known name that a wrong name probably means, and error texts with it.
local numerals = require "saltus.util.numerals"

local suggest = {}

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

-- Whether `word`, which ends with a number, is short for `candidate`: rk4 for runge_kutta4.
local function abbreviates(word, candidate)
  local number = word:match "%d+$"
  if not number or candidate:match "%d+$" ~= number then return false end
  local pattern = word:sub(1, -#number - 1):gsub("%A", ""):gsub("%a", "%0.*")
  return #pattern > 3 and candidate:find("^" .. pattern .. number .. "$") ~= nil
end

-- The distance of `candidate` from `word`; nil if it is not a likely meaning.
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

-- The name in Saltus for a word of other tools.
local function translated(word, candidates)
  for _, ours in ipairs(require("saltus.util.synonyms")[word:lower()] or {}) do
    for _, candidate in ipairs(candidates) do if candidate == ours then return ours end end
  end
  return nil
end

-- How many letters at the start are the same.
local function common(a, b)
  local n = 0
  while n < #a and a:byte(n + 1) == b:byte(n + 1) do n = n + 1 end
  return n
end

function suggest.near(word, candidates)
  if type(word) ~= "string" then return nil end
  local best, best_score
  for _, candidate in ipairs(candidates) do
    local s = score(word, candidate)
    local is_equal = s and s == best_score and common(word, candidate) > common(word, best)
    if s and (not best_score or s < best_score or is_equal) then best, best_score = candidate, s end
  end
  local ours = best_score ~= 0 and translated(word, candidates)
  return ours or best
end

-- The candidate that a word probably means: one or two letters differ, or the case.
function suggest.typo_of(word, candidates)
  for _, candidate in ipairs(candidates) do
    local s = word ~= candidate and score(word, candidate)
    if s and s <= 2 then return candidate end
  end
  return nil
end

-- The end of a message that lists all candidates itself: the nearest one, or nothing.
function suggest.near_hint(word, candidates)
  local meant = suggest.near(word, candidates)
  return meant and ("; did you mean %q?"):format(meant) or ""
end

-- The end of a message about a wrong name: the nearest candidate, or all if they are few.
function suggest.hint(word, candidates)
  local near = suggest.near_hint(word, candidates)
  if near ~= "" or #candidates == 0 or #candidates > 24 then return near end
  return "; known: " .. table.concat(candidates, ", ")
end

-- A user's text, or the beginning of a long one.
function suggest.brief(text, longest)
  longest = longest or 80
  if #text <= longest then return text end
  return text:sub(1, utf8.offset(text, 0, longest - 2) - 1) .. "..."
end

-- suggest.unknown('field %s in system "ball"', "derivativs", { "derivatives" })
-- returns: unknown field "derivativs" in system "ball"; did you mean "derivatives"?
function suggest.unknown(what, word, candidates)
  local quoted = type(word) == "string" and ("%q"):format(suggest.brief(word)) or ("[%s]"):format(numerals.text(word))
  local before, after = what:match "^(.-)%%s(.*)$"
  local text = before and before .. quoted .. after or what .. " " .. quoted
  return "unknown " .. text .. suggest.hint(word, candidates)
end

return suggest
