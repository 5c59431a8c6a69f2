-- The integrator of a simulator, by the names of Drake's getters and setters:
-- sim.integrator:get_num_steps_taken(), :set_maximum_step_size(0.1), ...
local names = require "saltus.names"

local integrator = {}

local setters = {
  set_maximum_step_size = "set_maximum_step",
  set_target_accuracy = "set_accuracy",
}

local actions = { start_dense_output = true, stop_dense_output = true }

local function getter(core, key)
  local field = key:match "^get_(.+)$"
  if key == "supports_error_estimation" then field = key end
  local values = core:integrator()
  if not field or values[field] == nil then
    local known = {}
    for name in pairs(values) do known[#known + 1] = "get_" .. name end
    for name in pairs(setters) do known[#known + 1] = name end
    for name in pairs(actions) do known[#known + 1] = name end
    table.sort(known)
    names.fail("%s", names.unknown("method of the integrator", key, known))
  end
  return function() return core:integrator()[field] end
end

local function setter(core, key)
  local method = setters[key]
  return function(_, value)
    if type(value) ~= "number" or not core[method](core, value) then
      names.fail("%s: %s cannot be used here", key, names.show(value))
    end
  end
end

local function action(core, key)
  return function()
    local result, wrong = core[key](core)
    if wrong then names.fail("%s", wrong) end
    return result
  end
end

function integrator.new(core)
  return setmetatable({}, {
    __name = "saltus.integrator",
    __index = function(_, key)
      if key == "name" then return core:integrator().name end
      if setters[key] then return setter(core, key) end
      if actions[key] then return action(core, key) end
      return getter(core, tostring(key))
    end,
    __newindex = function(_, key)
      names.fail("sim.integrator has no field %s to set; see its set_ methods", tostring(key))
    end,
    __tostring = function()
      local values, lines = core:integrator(), {}
      for name, value in pairs(values) do lines[#lines + 1] = ("%-44s %s"):format(name, tostring(value)) end
      table.sort(lines)
      return table.concat(lines, "\n")
    end,
  })
end

return integrator
