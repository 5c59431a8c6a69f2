-- The connections of a diagram for the engine, and which of its parts have the same declaration. See build.lua.
local connections = {}

-- Returns by part the states that are connected, which become output ports after the declared outputs; and the wires, a
-- list of part, output, part, input for each.
local function wires_of(m, systems)
  local state_ports, number, ends = {}, {}, {}
  for _, c in ipairs(m.connections) do
    local port = c.port.index
    if c.port.partition ~= "output" then
      local list, known = state_ports[c.from] or {}, number[c.from] or {}
      state_ports[c.from], number[c.from] = list, known
      if not known[c.port] then
        list[#list + 1] = c.port
        known[c.port] = #systems[c.from].outputs + #list
      end
      port = known[c.port]
    end
    local n = #ends
    ends[n + 1], ends[n + 2], ends[n + 3], ends[n + 4] = c.from, port, c.to, c.input.index
  end
  return state_ports, ends
end

-- By part, the number of an earlier part with the same declarations; only for plain parts, which differ only in
-- numbers.
local function alike_before(declared, state_ports, blobs, sizes)
  local like, first = {}, {}
  for i, what in ipairs(declared) do
    if not (state_ports[i] or blobs[i] or sizes[i]) then
      like[i] = first[what]
      first[what] = first[what] or i
    end
  end
  return like
end

-- `to`: the description of a model (see src/binding/model.c); `declared`: the content or prototype of each part.
function connections.add(to, m, declared)
  to.state_ports, to.wires = wires_of(m, to.systems)
  to.like = alike_before(declared, to.state_ports, to.blobs, to.sizes)
end

return connections
