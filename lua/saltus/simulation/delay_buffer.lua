-- saltus.delay_buffer { size, delay, linear_only, can_use_current }: the past of a signal, without a simulator.
--
--   local past = saltus.delay_buffer { delay = 0.1 }
--   past:append(t, value, derivative)      twice at one t: a jump
--   past:read(t, { v = value, d = rate })  the value at t - delay; the given current value ends the last interval
--   past:rate(t)                           its derivative
--
-- Also: times(), #past, delay(), set_delay(s), cut(t), clear(), clone(), save(), load(bytes), hash().
-- A value is a number, or with size > 1 a list.
local core = require "saltus.core"
local integrator_options = require "saltus.simulation.integrator_options"
local options = require "saltus.simulation.options"

local delay_buffer = {}

function delay_buffer.new(given)
  local full = options.check(given, integrator_options.delay_buffer, "saltus.delay_buffer")
  return core.delay_buffer(math.tointeger(full.size), full.delay, full.linear_only, full.can_use_current)
end

return delay_buffer
