-- The results of handlers other than success: did_nothing, terminate, fail.
--
-- An outcome is a value without effect until a handler returns it. The last one is stored, so that a handler without
-- `return` gets an error.
local names = require "saltus.util.names"

local outcome = { last_made = false } -- false: none

local Outcome = { __name = "saltus.outcome" }

-- Outcomes cannot be changed: did_nothing belongs to all.
local content_of = setmetatable({}, { __mode = "k" })

function Outcome:__index(key) return content_of[self][key] end

function Outcome.__newindex() names.fail "an outcome cannot be changed" end

local function new(content)
  local self = setmetatable({}, Outcome)
  content_of[self] = content
  return self
end

function Outcome:__tostring()
  if self.message then return ("saltus.%s(%q)"):format(self.kind, self.message) end
  return "saltus." .. self.kind
end

-- Whether a story runs; saltus.story.host knows it.
function outcome.is_in_story() return false end

local instead = { terminate = "s:stop(why)", fail = "error(why) or s:expect(condition, why)" }

local function make(kind, message, path)
  names.fail_if(outcome.is_in_story(), "saltus.%s is for handlers and the monitor; a story writes %s", kind,
    instead[kind])
  names.check_type(message, "string", "the message of saltus.%s must be a string", kind)
  names.check_type(path, "string", "the path given to saltus.%s must be a string", kind)
  outcome.last_made = new { kind = kind, message = message, path = path }
  return outcome.last_made
end

outcome.did_nothing = new { kind = "did_nothing" }

-- `path`: the system in the message; by default that of the handler.
function outcome.terminate(why, path)
  return make("terminate", why, path)
end

function outcome.fail(why, path)
  return make("fail", why, path)
end

function outcome.is(value) return getmetatable(value) == Outcome end

-- The name of the function if `value` is an outcome function that was not called; nil for another value.
function outcome.uncalled(value)
  return value == outcome.terminate and "terminate" or value == outcome.fail and "fail" or nil
end

-- Called before each handler: earlier outcomes do not belong to it.
function outcome.reset() outcome.last_made = false end

-- Returns the outcome made since the last reset, if any, and clears it.
function outcome.take()
  local made = outcome.last_made
  outcome.last_made = false
  return made or nil
end

-- A handler that returns the outcome `value`.
function outcome.handler(value)
  if outcome.last_made == value then outcome.last_made = false end
  return function() return value end
end

return outcome
