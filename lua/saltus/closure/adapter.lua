-- Adapters are small functions between the engine and a closure.
--
-- The engine passes numbers and receives numbers. An adapter sets them in a plain table `ctx`, calls the closure, and
-- returns what the closure wrote to `dot` or `next`. It is Lua source for the names that the closure has read so far. A
-- metamethod fetches a name that is absent; then the adapter is written again with that name. So a witness that reads
-- one of 28 states pays for one.
--
-- Every adapter has two variants (src/binding/closure/closure_call.c). One clears `dot` first, which reveals names that
-- are left unset; every twelfth call uses it. The other also checks that the closure did not write to `ctx`; the first
-- call, the first after each update, and every thirty-sixth call use it.
local engine = require "saltus.core"
local context = require "saltus.simulation.context"
local names = require "saltus.util.names"
local build = require "saltus.simulation.build"
local codegen = require "saltus.closure.adapter_codegen"
local output_proxies = require "saltus.closure.output_proxies"
local system_module = require "saltus.model.system"

local adapter = {}

local flows = { "q", "v", "z" }
local updates = { discrete_update = true, unrestricted_update = true }
local residuals = { constraints = true, constraint_rates = true }
local TIME = { name = "time", partition = "time", size = 1 }
local constants = engine.constants
local request = constants.request

-- ---- reads of the closure ----

-- Whether an entry is passed with the call. Other entries are fetched when the closure reads them.
local function is_passed_by_value(c, e)
  if #c.reads >= codegen.MAX_NAMES or e.abstract then return false end
  return not codegen.is_port(e) or not c.event
end

-- Notes that the closure reads an entry.
local function note_read(c, e)
  if c.entry then require("saltus.model.dependencies").watch(c.system, c.entry, e, c.label) end
  c.seen[e] = true
  local known = c.record.reads -- a list, and its items as keys
  if not known[e.name] then known[e.name], known[#known + 1] = true, e.name end
  if c.is_read[e] or not is_passed_by_value(c, e) then return false end
  c.is_read[e] = true
  c.reads[#c.reads + 1] = e
  return true
end

local function on_first_read(c, name)
  local e = name == "time" and TIME or c.system.by_name[name]
  if not e then
    if name == "past" or name == "past_rate" then
      error(("the past of %s was never recorded: declare past = { name = seconds }"):format(c.owner), 2)
    end
    if name == "random" then error("ctx has no random; an update draws by next.random()", 2) end
    require("saltus.closure.diagnostics").raise_name_error(c, "ctx", name, 3)
  end
  if note_read(c, e) then c.core:touch(c.k) end
  return context.read(c.core, context.RUN, c.part, e)
end

local function make_ctx(c)
  local ctx = {}
  if c.system.pasts and #c.system.pasts > 0 then
    local history = require "saltus.model.history"
    ctx.past = history.view(c.core, c.part, c.system, false)
    ctx.past_rate = history.view(c.core, c.part, c.system, true)
  end
  return setmetatable(ctx, {
    closure = c,
    __index = function(_, name) return on_first_read(c, name) end,
    __newindex = function(_, name) require("saltus.closure.diagnostics").raise_write_error(c, name, 3) end,
    __pairs = function() return require("saltus.simulation.context.view").each_of_ctx(c.system, c.kind, ctx) end,
    __tostring = function() return require("saltus.simulation.context.view").text_of_ctx(c.system, c.kind, ctx) end,
  })
end

-- ---- derivatives ----

local function continuous(system)
  local list = {}
  for _, section in ipairs(flows) do
    for _, e in ipairs(system[section]) do list[#list + 1] = e end
  end
  return list
end

-- ---- construction ----

local PER_EVENT = constants.layout.per_event
local at_last = { "constraints", "constraint_rates", "project", "velocity_map" }

local function first_finder(system) return 1 + #system.outputs + PER_EVENT * #system.events + #at_last end

-- What the simulators of a system know about closure i: see saltus.closure.programs. `simulators`: how many called it.
-- Nothing is kept of finders: their numbers depend on the slices that each variant of the system has.
local function record_of(maker, system, i)
  local record = system.programs[i] or { simulators = 0, agreed = 0, reads = {}, writes = {} }
  system.programs[i] = i < first_finder(system) and record or nil
  if record.maker ~= maker.number then record.maker, record.simulators = maker.number, record.simulators + 1 end
  return record
end

-- The calls of a closure before it may be compiled. In the first simulator of a system they are many, because
-- compiling takes as long as hundreds of calls. Each later simulator needs fewer, so that short runs compile too.
local MOST_CALLS = 64

local function calls_until_compiled(record)
  if record.rejected then return MOST_CALLS end
  return math.max(1, MOST_CALLS >> 2 * (record.simulators - 1))
end

-- Before the first call.
local function check(c)
  c.checked = true
  if build.has_modes(c.system) then require("saltus.model.mode_comparisons").check_call(c) end
  if not engine.getupvalue(c.fn, 1) then return end -- without upvalues it calls nothing
  c.warnings[#c.warnings + 1] = require("saltus.closure.repeatability").warning(c, c.core:time(context.RUN))
end

local function write(c)
  if not c.checked then check(c) end
  local writer = c.event and require "saltus.closure.handler_codegen" or codegen
  local made = writer.write(c)
  c.core:set_adapter(c.k, made.fast, made.clearing, made.checking, made.args, made.results,
    calls_until_compiled(c.record))
  return made.collect_writes
end

-- Begins with the names that the closure read and wrote in earlier simulators, so that its adapter is written once.
local function preload(c)
  local function entry(name) return name == "time" and TIME or c.system.by_name[name] end
  for _, name in ipairs(c.record.reads) do note_read(c, entry(name)) end
  for _, name in ipairs(c.record.writes) do
    require("saltus.closure.next_proxy").add_write(c, entry(name))
  end
end

local function new_closure(maker, part, k, i, kind, fn, what, event, e)
  local m = maker.model.parts[part]
  local owner = ("%q"):format(m.path ~= "" and m.path or m.system.name)
  local c = { core = maker.core, model = maker.model, part = part, warnings = maker.warnings,
    path = m.path, k = k, record = record_of(maker, m.system, i), kind = kind, fn = fn,
    system = m.system, owner = owner, what = what, label = ("%s of %s"):format(what, owner), event = event, entry = e,
    reads = {}, is_read = {}, seen = {}, writes = {}, written = {}, fetched = {}, present = {}, tables = {} }
  c.ctx = make_ctx(c)
  c.event_table = event and require("saltus.closure.event_closures").shown(c)
  if kind == "derivatives" or kind == "project" then
    c.writes = continuous(m.system)
    c.target = output_proxies.dot(c)
  elseif kind == "velocity_map" then
    for at, q in ipairs(m.system.q) do c.writes[at] = q end
    c.target, c.given = output_proxies.dot(c), output_proxies.velocity(c)
  elseif residuals[kind] then
    c.target = output_proxies.residual(c, maker.sizes[part][kind])
  elseif updates[kind] then
    c.target = require("saltus.closure.next_proxy").new(c)
  end
  preload(c)
  return c
end

-- The i-th closure of a system, from 0: its kind, the function, its name in messages, its event, its output.
local function closure_at(system, i)
  if i == 0 then return "derivatives", system.derivatives, "derivatives" end
  local e = system.outputs[i]
  if e then return "output", e.fn, ("output %q"):format(e.name), nil, e end
  i = i - 1 - #system.outputs
  if i < PER_EVENT * #system.events then return require("saltus.closure.event_closures").at(system.events, i) end
  i = i - PER_EVENT * #system.events
  local kind = at_last[i + 1]
  if kind then return kind, system[kind], kind end
  return require("saltus.closure.event_closures").finder_at(system.events, i - #at_last)
end

local programs -- loaded with the first program
local makers = 0

-- Handles a request of the core that is about the program of a closure.
local function handle_program(maker, c, what)
  programs = require "saltus.closure.programs"
  if what == request.compile then return programs.compile(maker.core, c, maker.programs, maker.compile) end
  programs.judge(c, what == request.agreed)
end

-- Calls visit(part, content, system) for each part of a model whose content `holds`; most models have none.
local function each_part(model, holds, visit)
  local any = false
  for _, content in ipairs(model.declared) do any = any or holds(content) end
  if not any then return false end
  for part, m in ipairs(model.parts) do
    local content = system_module.content(m.system)
    if holds(content) then visit(part, content, m.system) end
  end
  return true
end

local function has_programs(content) return content.programs ~= nil and next(content.programs) ~= nil end
local function has_pasts(content) return content.pasts ~= nil and #content.pasts > 0 end

local function has_slices(content)
  for _, e in ipairs(content.events) do if e.slices and e.slices[1] then return true end end
  return false
end

-- Attaches the programs of an earlier simulator of the same systems.
local function attach(maker)
  each_part(maker.model, has_programs, function(part, content)
    programs = require "saltus.closure.programs"
    programs.attach(maker.core, part, content, maker.programs, maker.compile)
  end)
end

-- A list by part: the callback of its histories, or false.
local function bind_histories(maker)
  local histories = {}
  local any = each_part(maker.model, has_pasts, function(part, _, system)
    histories[part] = require("saltus.model.history").callback(system)
  end)
  if not any then return end
  for part in ipairs(maker.model.parts) do histories[part] = histories[part] or false end
  maker.core:set_history(histories)
end

-- Binds a new engine object to the closures of its model. Returns a function from a closure's number to the closure,
-- and a list to which warnings about closures are added. `sizes`: by part, the numbers of constraints and
-- constraint_rates. `compile`: the simulator's option.
function adapter.bind(core, model, compile, sizes)
  makers = makers + 1
  local maker = { number = makers, core = core, model = model, compile = compile, sizes = sizes, made = {},
    programs = {}, warnings = {} }
  each_part(model, has_slices, function(part, content)
    require("saltus.model.conditions").bind(core, part, content, maker.programs)
  end)
  bind_histories(maker)
  local function closure(k)
    local c = maker.made[k]
    if not c then
      local part, i = core:closure(k)
      c = new_closure(maker, part, k, i, closure_at(system_module.content(model.parts[part].system), i))
      maker.made[k] = c
    end
    return c
  end
  local function set_phases(k)
    local part, i = core:closure(k)
    local _, fn = closure_at(system_module.content(model.parts[part].system), i)
    local program = false
    if require("saltus.closure.compiler.repeating").is_possible(fn) then
      programs = require "saltus.closure.programs"
      program = programs.of_phases(core, closure(k), maker.programs)
    end
    core:set_phases(k, program, fn)
  end
  local function adapt(k, what)
    if what == request.phases then return set_phases(k) end
    if what >= request.compile then return handle_program(maker, closure(k), what) end
    local collect_writes = write(closure(k))
    if programs then programs.compile_cached(core, closure(k), maker.programs, compile) end
    return collect_writes
  end
  core:bind(adapt, function(k, i, value)
    local c = closure(k)
    local diagnostics = require "saltus.closure.diagnostics"
    if i < 0 then diagnostics.raise_write_error(c, diagnostics.readonly_entry_at(c, -i)) end
    error(("%s: %s"):format(names.defined(c.fn) or c.system.source, diagnostics.complaint(c, i, value)), 0)
  end)
  attach(maker)
  return closure, maker.warnings
end

return adapter
