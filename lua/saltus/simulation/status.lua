-- The result of an advance, returned or raised: the engine's report as a status, and its warnings.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local status = {}

-- The texts of failures are loaded when one occurs.
local function errors() return require "saltus.simulation.errors" end

-- Each warning is reported once: in sim.warnings, and through Lua's own warn (lua5.4 -W shows it).
function status.add_warning(self, warning)
  local list = self.inner.warnings
  list[#list + 1] = warning
  warn("saltus: ", warning.message)
end

local function add_warnings(self, time, ...)
  if not time then return end
  status.add_warning(self, errors().warning(self, time, ...))
  return add_warnings(self, self.core:next_warning())
end

local function collect_warnings(self)
  local of_closures = self.inner.closure_warnings
  while of_closures[1] do status.add_warning(self, table.remove(of_closures, 1)) end
  if not self.inner.stiff and self.core:stiffness() then
    self.inner.stiff = true
    status.add_warning(self, errors().stiffness(self))
  end
  add_warnings(self, self.core:next_warning())
end

local Status = {}
Status.__index = Status
local optional = { "system", "event", "watches" }
names.closed(Status, "a status", optional, names.joined({ "reason", "time", "boundary_time", "message" }, optional))

function Status:__tostring()
  local who = self.event and (" (%s of %s)"):format(self.event, self.system) or ""
  local why = self.message ~= "" and ": " .. self.message or ""
  return numerals.format("%s at t = %.10g s%s%s", self.reason, self.time, why, who)
end

-- The result of an advance; print(status) is a line.
local function new_status(fields) return setmetatable(fields, Status) end

local function read(self, code, reason, time, boundary, ...)
  if code == 0 and reason == "reached_boundary_time" then
    return new_status { reason = reason, time = time, boundary_time = boundary, message = "" }
  end
  local fields, failure, object = errors().status_or_error(self, code, reason, time, boundary, ...)
  return fields and new_status(fields), failure, object
end

-- The status of an advance that reached its boundary.
function status.reached_boundary(time)
  return new_status { reason = "reached_boundary_time", time = time, boundary_time = time, message = "" }
end

-- The status of an advance that a story ended.
function status.terminated(self, time, why)
  collect_warnings(self)
  local ended = new_status { reason = "reached_termination", time = time, boundary_time = time, message = why }
  self.inner.status, self.inner.failure = ended, nil
  return ended
end

-- The status of an advance for which the engine has nothing else to report. `watches`: those that ended it.
function status.set_reached(self, time, boundary, watches)
  local inner = self.inner
  if inner.closure_warnings[1] then collect_warnings(self) end
  local ended = watches
    and { reason = "reached_watch", time = time, boundary_time = boundary, message = "", watches = watches }
    or { reason = "reached_boundary_time", time = time, boundary_time = time, message = "" }
  setmetatable(ended, Status)
  inner.status, inner.failure = ended, nil
  return ended
end

-- As raise_or_return_status after core:advance_case, which returns nothing when a run reached its boundary: then nil.
function status.end_of_case(self, code, ...)
  if code == nil and not self.inner.closure_warnings[1] then return nil end
  collect_warnings(self)
  if code == nil then return nil end
  local ended, failure, object = read(self, code, ...)
  self.inner.failure = failure
  if failure then error(object, 0) end
  return ended
end

-- Converts the engine's result to a status, or raises an error.
function status.raise_or_return_status(self, ...)
  collect_warnings(self)
  local ended, failure, object = read(self, ...)
  self.inner.status = ended
  self.inner.failure = failure
  if failure then error(object, 0) end
  return ended
end

return status
