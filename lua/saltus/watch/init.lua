-- Watches: conditions that end an advance where they become true. A function that returns a margin is a witness of the
-- run: it is searched within steps as the witnesses of events are.
local compiled = require "saltus.watch.compiled"
local core = require "saltus.core"
local names = require "saltus.util.names"
local preconditions = require "saltus.simulation.preconditions"

local watches = {}
local ENAN = core.constants.status.ENAN

-- A condition is { fn =, program =, runs = }: the function that returns its margin, the program of words, and what the
-- core runs without Lua: this program, or that of the function. It is made once for the same words or function.
local function new_condition(self, given)
  if type(given) == "function" then return { fn = given, runs = compiled.of(self, given) } end
  names.check(type(given) == "string" or type(given) == "table", given,
    "watch takes a condition in words, or a function(ctx) that returns a margin, negative until the condition is true")
  local fn, _, program = require("saltus.formula.condition").new(given, self.system)
  return { fn = fn, program = program, runs = program }
end

local function find_condition(self, given)
  local known = self.inner.conditions
  if not known then
    known = setmetatable({}, { __mode = "k" })
    self.inner.conditions = known
  end
  local condition = known[given]
  if not condition then
    condition = new_condition(self, given)
    known[given] = condition
  end
  return condition
end

local function condition_of(self, given, program)
  if program then return { fn = given, program = program, runs = program } end
  return find_condition(self, given)
end

local function keep(self, handle, condition)
  local known = self.inner.watches
  if not known then
    known = {}
    self.inner.watches = known
  end
  known[handle] = condition
end

-- As watches.add, for stories and formulas, which are told only between calls.
function watches.add_idle(self, given, program)
  local condition, inner = condition_of(self, given, program), self.inner
  inner.is_changed = true
  local code, handle = self.core:watch(condition.fn, inner.seen, nil, nil, condition.runs)
  if code == ENAN then names.fail("watch: the margin is NaN at t = %t", self.core:time(0)) end
  if code ~= 0 then names.fail("watch: %s", core.status_text(code)) end
  if handle == 0 then return nil, true end
  keep(self, handle, condition)
  return handle
end

-- `program`: what computes the condition, a function, without Lua (saltus.formula.program).
function watches.add(self, condition, program)
  preconditions.assert_idle(self, preconditions.WATCHES)
  preconditions.check_inputs(self)
  return watches.add_idle(self, condition, program)
end

-- As watches.remove, of a watch that is known.
function watches.remove_idle(self, handle)
  self.core:unwatch(handle)
  self.inner.watches[handle] = nil
end

function watches.remove(self, handle)
  preconditions.assert_idle(self, preconditions.WATCHES)
  local was_armed
  if math.type(handle) == "integer" then was_armed = self.core:unwatch(handle) end
  names.check(was_armed ~= nil, handle, "unwatch takes what watch returned")
  self.inner.watches[handle] = nil
  return was_armed
end

-- Lets a simulator know a watch of a run that it will load, with its handle there. Returns the engine's status.
function watches.know(self, handle, given, program)
  local condition = condition_of(self, given, program)
  local code = self.core:know_watch(condition.fn, self.inner.seen, nil, handle, condition.runs)
  if code == 0 then keep(self, handle, condition) end
  return code
end

-- Lets another simulator of the same system know the same watches, before it loads the run. `except`: handles of those
-- that others add.
function watches.copy(from, to, except)
  for _, handle in ipairs(names.sorted_keys(from.inner.watches)) do
    local known, wanted = from.inner.watches[handle], not (except and except[handle])
    names.fail_if(wanted and watches.know(to, handle, known.fn, known.program) ~= 0, "clone: not enough memory")
  end
end

-- Lets a simulator that exists know the watches of another one, before it takes its run. Another watch with the same
-- handle, of an earlier run, is removed.
function watches.adopt(from, to)
  local own = to.inner.watches or {}
  for _, handle in ipairs(names.sorted_keys(from.inner.watches)) do
    local wanted = from.inner.watches[handle]
    if own[handle] and own[handle].fn ~= wanted.fn then watches.remove(to, handle) end
    names.fail_if(not (own[handle] and own[handle].fn == wanted.fn)
      and watches.know(to, handle, wanted.fn, wanted.program) ~= 0, "copy_from: not enough memory")
  end
end

return watches
