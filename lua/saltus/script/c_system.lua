-- Systems and diagrams that a program in C has made, as Lua uses them. src/binding/script/c_system.c calls this.
local dependencies = require "saltus.model.dependencies"
local model = require "saltus.model.flat_model"
local names = require "saltus.util.names"
local prototype = require "saltus.model.prototype"
local system = require "saltus.model.system"
local variable = require "saltus.model.variable"

local c_system = {}

local SOURCE = "C"

local function check_identifier(name, what, owner)
  names.fail_if(not names.is_identifier(name),
    "sal_script_push_system: %s: the name of %s must be a Lua identifier, got %q", owner, what, name)
  names.fail_if(names.is_reserved(name),
    "sal_script_push_system: %s: the name %q of %s is taken by ctx itself", owner, name, what)
end

-- Raises an error for names that Lua cannot have.
function c_system.check(name, lists)
  local owner = ("the system %q"):format(name)
  check_identifier(name, "the system", owner)
  for _, section in ipairs(variable.sections) do
    local what = (section.what:find "^[io]" and "an " or "a ") .. section.what
    for _, e in ipairs(lists[section.name] or {}) do check_identifier(e.name, what, owner) end
  end
end

-- The names of the inputs that an output reads, directly and through other outputs.
local function needs_of(outputs, output, seen, needs)
  if seen[output] then return needs end
  seen[output] = true
  for _, name in ipairs(output.needs) do needs[#needs + 1] = name end
  for _, i in ipairs(output.reads) do needs_of(outputs, outputs[i], seen, needs) end
  return needs
end

-- `keeper`: frees the system in C, see src/binding/script/c_system.c.
function c_system.new(keeper, name, numbers, lists)
  local needs = names.map(lists.outputs, function(output) return needs_of(lists.outputs, output, {}, {}) end)
  for i, output in ipairs(lists.outputs) do output.needs, output.reads = needs[i], nil end
  local content = prototype.content(lists, ("the system %q"):format(name))
  content.name, content.source, content.numbers, content.doc = name, SOURCE, numbers, lists.doc
  content.c_system, content.mass = keeper, lists.mass
  return system.freeze(content)
end

local function check_path(path, owner)
  for name in (path .. "."):gmatch "(.-)%." do check_identifier(name, ("part %q"):format(path), owner) end
end

-- `paths`, `systems`: of the parts; `wires`: part, output, part, input of each connection, from 1.
function c_system.diagram(keeper, name, paths, systems, wires)
  local owner = ("the diagram %q"):format(name)
  check_identifier(name, "the diagram", owner)
  names.fail_if(#paths == 0, "sal_script_push_system: %s has no parts", owner)
  local parts, connections, fed = {}, {}, {}
  for i, path in ipairs(paths) do
    check_path(path, owner)
    parts[i] = { path = path, system = systems[i], source = SOURCE }
  end
  for i = 1, #wires, 4 do
    local c = { from = wires[i], port = systems[wires[i]].outputs[wires[i + 1]], to = wires[i + 2],
      input = systems[wires[i + 2]].inputs[wires[i + 3]] }
    connections[#connections + 1] = c
    fed[model.socket(c.to, c.input)] = SOURCE
  end
  local made = model.new { name = name, source = SOURCE, parts = parts, connections = connections, fed = fed,
    aliases = {}, inputs = {}, outputs = {}, c_system = keeper }
  local loop = dependencies.find_loop(made)
  if loop then names.fail("sal_script_push_system: %s", dependencies.loop_text(made, loop)) end
  return made
end

return c_system
