-- What is known before each instruction of a program or of a function: a state follows the ways between instructions,
-- and is merged with another where ways meet, until nothing changes.
local data_flow = {}

-- Returns the states, by place. `first`: the state at place `start`. step(state, place, reach) applies the instruction
-- there to the state and calls reach(where it leads, state). merge(into, from) returns true if `into` changes.
function data_flow.of(start, first, copy, merge, step)
  local before, work = { [start] = copy(first) }, { start }
  local function reach(place, state)
    local known = before[place]
    if not known then before[place] = copy(state) end
    if not known or merge(known, state) then work[#work + 1] = place end
  end
  while #work > 0 do
    local place = table.remove(work)
    step(copy(before[place]), place, reach)
  end
  return before
end

return data_flow
