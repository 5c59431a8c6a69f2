-- The fields of a simulator that can be set, and errors about unknown fields.
local names = require "saltus.util.names"
local outcome = require "saltus.simulation.outcome"
local runtime = require "saltus.closure.adapter_runtime"
local simulator_methods = require "saltus.simulation.simulator_methods"

local simulator_fields = {}

-- Stores a setting for clones and for another integrator.
function simulator_fields.remember(self, option, value)
  if option == "accuracy" and not self.inner.made_with then
    self.inner.made_with = { accuracy = (self.inner.given_now or rawget(self, "given") or {}).accuracy }
  end
  rawset(self, "given", names.merged(rawget(self, "given"), { [option] = value }))
  if self.inner.given_now then self.inner.given_now[option] = value end
end

-- sim.publish_every_step = true: from now on, publishes on demand run after each step; likewise the other field.
local function assign_forced(option)
  return function(self, value)
    names.check(type(value) == "boolean", value, "%s must be true or false", option)
    self.inner[option] = value
    self.core:set_forced(self.inner.publish_every_step, self.inner.publish_at_initialization)
    simulator_fields.remember(self, option, value)
  end
end

-- Returns a monitor, which may be nil; `what`: its name in messages.
function simulator_fields.checked_monitor(fn, what)
  names.check_type(fn, "function", "%s must be a function(ctx) or nil", what)
  local uncalled = outcome.uncalled(fn)
  names.fail_if(uncalled, "%s must be a function(ctx) that may return saltus.%s \"why\"", what, uncalled)
  return fn
end

local assigned = {
  publish_every_step = assign_forced "publish_every_step",
  publish_at_initialization = assign_forced "publish_at_initialization",
  monitor = function(self, fn)
    self.inner.monitor = simulator_fields.checked_monitor(fn, "sim.monitor")
    local engine, view, whole = self.core, self.inner.seen, self.model.name
    local at = fn and names.defined(fn)
    local label = at and at .. ": the monitor" or "the monitor"
    self.core:set_monitor(fn and function()
      outcome.reset()
      return runtime.outcome_code(engine, fn(view), label, whole)
    end)
  end,
  target_realtime_rate = function(self, rate)
    names.fail_if(type(rate) ~= "number" or not (rate >= 0),
      "target_realtime_rate must be a number of simulated seconds per second, or 0; got %s",
      names.show(rate))
    self.inner.target_realtime_rate = rate
    self.core:set_target_realtime_rate(rate)
  end,
}

-- Says how an option that is used as a field is read and changed.
local function fail_if_option(self, key)
  names.fail_if(self:configuration()[key] ~= nil, "%q is an option; sim:configuration().%s is its value, and "
    .. "sim:configuration { %s = ... } changes it", key, key, key)
  names.fail_if(self.options[key] ~= nil, "%q is an option; give it to saltus.simulator", key)
end

function simulator_fields.assign(self, key, value)
  local assign = assigned[key]
  if not assign then
    fail_if_option(self, key)
    names.fail_unknown("field of the simulator that can be set", key, names.sorted_keys(assigned))
  end
  self.inner.is_changed = true
  assign(self, value)
end

function simulator_fields.raise_no_field(self, key, methods)
  if key == "time" or type(key) == "string" and (self.model:has_parts_under(key) or self.model:resolve(key)) then
    names.fail("the simulator has no field %q; the values of its model are in sim.context: sim.context.%s", key, key)
  end
  fail_if_option(self, key)
  local known = names.joined(names.sorted_keys(methods), names.sorted_keys(simulator_methods), { "context", "stats",
    "integrator", "model", "system", "options", "status", "failure", "warnings", "monitor", "target_realtime_rate",
    "actual_realtime_rate", "publish_every_step", "publish_at_initialization", "seed" })
  names.fail_unknown("field %s of the simulator", key, known)
end

return simulator_fields
