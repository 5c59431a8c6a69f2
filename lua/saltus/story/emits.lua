-- The names of the events that stories emit, as far as they are known before: a set. A name is known if the code of a
-- story that emits, or of a function that it uses, has it as a text, or if it has been emitted already.
local string_constants = require "saltus.closure.string_constants"

local emits = {}

local function add_words(set, fn)
  local words = string_constants.of_function(fn)
  if not words.emit then return end
  for word in pairs(words) do set[word] = true end
end

-- Those of a scenario's story; nil: there is none.
function emits.of_story(fn)
  if not fn then return nil end
  local set = {}
  add_words(set, fn)
  return set
end

-- Those of the stories of a simulator.
function emits.of(sim)
  local stories = sim.inner.stories
  if not stories then return nil end
  local set = {}
  stories.roots:each_function(function(fn) add_words(set, fn) end)
  for _, name in ipairs(stories.event_names) do set[name] = true end
  return set
end

return emits
