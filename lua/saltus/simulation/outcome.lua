-- What a handler returns besides "done": did_nothing, terminate, fail.
--
-- An outcome is a value; making one has no effect until it is returned. The last
-- one made is remembered so that a handler that forgets the `return` is told.
local names = require "saltus.util.identifiers"

local outcome = { last_made = false } -- false: none

local Outcome = { __name = "saltus.outcome" }

function Outcome:__tostring()
  if self.message then return ("saltus.%s(%q)"):format(self.kind, self.message) end
  return "saltus." .. self.kind
end

local function optional_string(value, what)
  if value == nil or type(value) == "string" then return value end
  return names.fail("%s must be a string, got %s", what, names.show(value))
end

local function make(kind, message, path)
  local made = setmetatable({
    kind = kind,
    message = optional_string(message, "the message of saltus." .. kind),
    path = optional_string(path, "the path given to saltus." .. kind),
    used = false,
  }, Outcome)
  outcome.last_made = made
  return made
end

outcome.did_nothing = setmetatable({ kind = "did_nothing", used = false }, Outcome)

-- `path` names the system to blame; without it the handler's own.
function outcome.terminate(why, path)
  return make("terminate", why, path)
end

function outcome.fail(why, path)
  return make("fail", why, path)
end

function outcome.is(value) return getmetatable(value) == Outcome end

-- Forgets what was made before: called as a handler begins.
function outcome.reset() outcome.last_made = false end

-- The outcome made since the last reset, if any; forgets it.
function outcome.take()
  local made = outcome.last_made
  outcome.last_made = false
  return made or nil
end

-- A function that returns `value`, for an outcome that stands in place of a handler.
function outcome.handler(value)
  if outcome.last_made == value then outcome.last_made = false end
  return function() return value end
end

return outcome
