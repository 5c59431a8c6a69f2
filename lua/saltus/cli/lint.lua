-- Probable mistakes in a model, for `saltus check`. None of them is an error.
local string_constants = require "saltus.closure.string_constants"
local names = require "saltus.util.names"
local dependencies = require "saltus.model.dependencies"
local unconnected_inputs = require "saltus.model.unconnected_inputs"
local variable = require "saltus.model.variable"

local lint = {}

local function path_of(m, part, e) return names.join(m.parts[part].path, e.name) end

-- By part, the outputs that other parts, exports, a log or a story read.
local function read_from_outside(m, logged, told)
  local used = {}
  for i, part in ipairs(m.parts) do
    used[i] = {}
    for _, e in ipairs(part.system.outputs) do
      local path = path_of(m, i, e)
      used[i][e] = logged[path] or told[path] or told[e.name]
    end
  end
  for _, c in ipairs(m.connections) do used[c.from][c.port] = true end
  for _, x in ipairs(m.outputs) do used[x.part][x.entry] = true end
  return used
end

-- Adds the outputs that the part itself reads in its derivatives, handlers and used outputs.
local function add_own_reads(system, used)
  local words = string_constants.of_handlers(system)
  for _, e in ipairs(system.outputs) do used[e] = used[e] or words[e.name] end
  local functions = dependencies.calls_of(system)
  for _, e in ipairs(system.outputs) do
    if used[e] then functions[#functions + 1] = e.fn end
  end
  for _, e in ipairs(dependencies.ports_of(system, functions, "output")) do used[e] = true end
  for _, past in ipairs(system.pasts) do used[past.entry] = true end
end

-- Outputs of a diagram's parts that nothing reads: no input, export, log or story, and not the part itself.
local function unused_outputs(m, logged, told, say)
  if #m.parts == 1 and m.parts[1].path == "" then return end
  local used = read_from_outside(m, logged, told)
  for i, part in ipairs(m.parts) do
    add_own_reads(part.system, used[i])
    for _, e in ipairs(part.system.outputs) do
      if not used[i][e] then
        say("unused output %s: no input reads it, no diagram exports it, no log names it", path_of(m, i, e))
      end
    end
  end
end

local function check_unconnected(m, told, say)
  local exported = {}
  for _, x in ipairs(m.inputs) do exported[x.part] = exported[x.part] or {} exported[x.part][x.entry] = true end
  for _, input in ipairs(unconnected_inputs.list(m)) do
    local e = input.entry
    if e.required then
      say("unconnected input %s: it has no value; connect it, give it a default, or set it before the run", input.path)
    elseif not (told[input.path] or told[e.name] or exported[input.part] and exported[input.part][e]) then
      say("unconnected input %s: it stays at its default", input.path)
    end
  end
end

local function initializes(system)
  for _, e in ipairs(system.events) do
    if e.trigger == "initialization" and (e.kind == "discrete_update" or e.kind == "unrestricted_update") then
      return true
    end
  end
  return false
end

-- Discrete and abstract state without default in a system without an event that initializes it.
local function uninitialized(m, say)
  for i, part in ipairs(m.parts) do
    for _, list in ipairs(initializes(part.system) and {} or { part.system.discrete, part.system.abstract }) do
      for _, e in ipairs(list) do
        if e.unset then
          say("discrete state %s: nothing initializes it, so it begins at %s; give it a default", path_of(m, i, e),
            e.abstract and "nil" or e.values and e.values[1] or "0")
        end
      end
    end
  end
end

-- The names of Lua's libraries, which are not misspelled names: `close` is not a misspelled `closed`.
local function libraries()
  local known = {}
  for name, library in pairs(_G) do
    known[name] = true
    for field in pairs(type(library) == "table" and library ~= _G and library or {}) do known[field] = true end
  end
  return known
end

local function mode_values(modes)
  local values = {}
  for _, e in ipairs(modes) do
    for _, value in ipairs(e.values) do values[value] = true end
  end
  return values
end

-- Strings in closures that are nearly the value of a mode: a comparison with such a string is never true.
local function misspelt_modes(m, say)
  local known = libraries()
  for _, system in ipairs(m:systems()) do
    local modes = variable.modes(system)
    local values = mode_values(modes)
    for _, word in ipairs(modes[1] and names.sorted_keys(string_constants.of_all(system)) or {}) do
      local unknown = not values[word] and not known[word] and not system.by_name[word]
      for _, e in ipairs(unknown and modes or {}) do
        local meant = names.typo_of(word, e.values)
        if meant then
          say("a function of %q mentions %q, which is not a value of %q; did it mean %q?", system.name, word, e.name,
            meant)
        end
      end
    end
  end
end

-- Strings in closures that are nearly a name of their system: a handler or an output that did not run yet fails there.
local function misspelt_names(m, say)
  local known = libraries()
  for _, system in ipairs(m:systems()) do
    local own, values, events = names.sorted_keys(system.by_name), mode_values(variable.modes(system)), {}
    for _, event in ipairs(system.events) do events[event.name] = true end
    for _, word in ipairs(own[1] and names.sorted_keys(string_constants.of_all(system)) or {}) do
      local is_other = known[word] or system.by_name[word] or values[word] or events[word]
      local meant = not is_other and names.typo_of(word, own)
      if meant then say("a function of %q mentions %q; did it mean %q?", system.name, word, meant) end
    end
  end
end

-- Returns lines of text; `logged`: the paths in the log of a scenario; `story`: its story, whose texts may name inputs
-- that it writes and outputs that it reads.
function lint.of(m, logged, story)
  local out, set, told = {}, {}, story and string_constants.inside_of(story) or {}
  for _, path in ipairs(logged or {}) do set[path] = true end
  local function say(message, ...) out[#out + 1] = message:format(...) end
  check_unconnected(m, told, say)
  unused_outputs(m, set, told, say)
  uninitialized(m, say)
  for _, text in ipairs(m:unit_warnings()) do say("%s", text) end
  misspelt_modes(m, say)
  misspelt_names(m, say)
  return out
end

return lint
