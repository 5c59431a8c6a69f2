-- Inputs without a source. An input with a default keeps it until it is set; an input without one must be connected or
-- set if something needs it.
local constants = require("saltus.core").constants
local names = require "saltus.util.names"
local dependencies = require "saltus.model.dependencies"
local system_module = require "saltus.model.system"

local unconnected_inputs = {}

-- { { part =, entry =, path = }, ... } in the order of the parts.
function unconnected_inputs.list(m)
  local out = {}
  for i, part in ipairs(m.parts) do
    for _, e in ipairs(system_module.content(part.system).inputs) do
      if not m:feeding(i, e) then
        out[#out + 1] = { part = i, entry = e, path = names.join(part.path, e.name) }
      end
    end
  end
  return out
end

-- The ports that others read, by part.
local function ports_read(m)
  local read = {}
  for _, c in ipairs(m.connections) do
    read[c.from] = read[c.from] or {}
    table.insert(read[c.from], c.port)
  end
  return read
end

-- A block, or a system in C, reads its inputs if it has continuous state or events, or if others read it. For other
-- systems, the functions that a run calls and the outputs that others read decide.
local function is_needed(system, e, ports)
  if system.block or system.c_system then
    return ports ~= nil or #system.q + #system.v + #system.z + #system.events > 0
  end
  local functions = dependencies.calls_of(system)
  for _, port in ipairs(ports or {}) do functions[#functions + 1] = port.fn end
  return names.index_of(dependencies.ports_of(system, functions, "input"), e) ~= nil
end

-- Inputs without default that the run will read; a simulator checks them before it starts.
function unconnected_inputs.needed(m)
  local out, read = {}, nil
  for _, input in ipairs(unconnected_inputs.list(m)) do
    if input.entry.required then
      read = read or ports_read(m)
      if is_needed(m.parts[input.part].system, input.entry, read[input.part]) then out[#out + 1] = input end
    end
  end
  return out
end

function unconnected_inputs.has_value(core, which, part, e)
  for i = 0, e.size - 1 do
    local value = core:read(which, part, constants.partition.input, e.offset + i)
    if value ~= value then return false end
  end
  return true
end

-- Raises an error with the names of the inputs that still have no value.
function unconnected_inputs.check(core, m, needed)
  local lines = {}
  for _, input in ipairs(needed) do
    if not unconnected_inputs.has_value(core, constants.context.run, input.part, input.entry) then
      local part = m.parts[input.part]
      lines[#lines + 1] = ("  %s  (%s at %s)"):format(input.path, part.path == "" and "made" or "added", part.source)
    end
  end
  if #lines == 0 then return end
  local first = lines[1]:match "%S+"
  names.fail("%s cannot start: %s\n%s\nconnect it, give it a default, or set it: sim.context.%s = ...",
    ("%q"):format(m.name), #lines == 1 and "an input is needed that is not connected and has no value"
    or ("%d inputs are needed that are not connected and have no value"):format(#lines),
    table.concat(lines, "\n"), first)
end

return unconnected_inputs
