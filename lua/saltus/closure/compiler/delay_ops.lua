-- How a program reads the past of states: ctx.past.x(lag), ctx.past.x:at(t), ctx.past_rate.x(lag).
local Emitter = require "saltus.closure.compiler.emitter"
local types = require "saltus.closure.compiler.types"

local delay_ops = {}

local reject = Emitter.reject
local flows = { q = true, v = true, z = true }

-- The kind of ctx.past or ctx.past_rate.
function delay_ops.view(b, name)
  return b:once("view " .. name, function() return { is = "past", rate = name == "past_rate" } end)
end

-- The index of a past, and the past, if it is that of a single state. Other pasts are computed on demand, so their
-- closures are not compiled.
function delay_ops.find_past(system, name)
  for i, past in ipairs(system.pasts) do
    if past.name == name and flows[past.entry.partition] and not past.entry.vector then return i - 1, past end
  end
end

-- The kind of a field of ctx.past; `absolute`: of its method `at`.
function delay_ops.reader(b, view, name, absolute)
  local index, past = delay_ops.find_past(b.c.system, name)
  if not past then reject(("it reads the past of %s, which is not a single state"):format(tostring(name))) end
  return b:once(("reader %s %s %s"):format(name, view.rate, absolute), function()
    return { is = "reader", name = name, question = b:question(index, past, view.rate, absolute), absolute = absolute,
      rate = view.rate }
  end)
end

-- Writes a call whose result goes to place `to`. Returns the kind of the result.
function delay_ops.call(out, reader, to, args)
  local first = reader.absolute and 2 or 1
  if #args ~= first or not types.number(args[first].kind) then reject "it reads the past without a number" end
  out:emit("ASK", to, args[first].place, 0, reader.question)
  return "float"
end

return delay_ops
