-- Functions that adapters call for values other than numbers: outcomes, abstract values, errors.
local context = require "saltus.simulation.context"
local names = require "saltus.util.names"
local outcome = require "saltus.simulation.outcome"

local runtime = {}

local function closure_of(ctx) return getmetatable(ctx).closure end

local function reject(...) require("saltus.closure.diagnostics").reject(...) end

local codes = require("saltus.core").constants.outcome

-- The engine's number (sal_outcome) for the result of a handler or the monitor.
function runtime.outcome_code(core, o, label, whole)
  local made = outcome.take()
  if o == nil then
    if made then
      error(("%s made %s and did not return it; write `return saltus.%s(...)`"):format(label, tostring(made),
        made.kind), 0)
    end
    return codes.succeeded
  end
  if not outcome.is(o) then
    error(("%s returned %s; return nothing, saltus.did_nothing, saltus.terminate(why) or saltus.fail(why)"):format(
      label,
      names.show(o)), 0)
  end
  if made and made ~= o then error(("%s made %s and returned another outcome"):format(label, tostring(made)), 0) end
  core:note(o.message or "", o.path == "" and whole or o.path or "")
  return codes[o.kind]
end

-- The value of an abstract output stays in Lua; the engine gets a number.
function runtime.keep_abstract(ctx, value)
  local c = closure_of(ctx)
  require("saltus.simulation.context.abstract_values").store_output(c.core, c.part, c.entry, value)
  return 0.0
end

-- Raises an error for a witness that returned a second value.
function runtime.second(ctx, value)
  reject(closure_of(ctx), "returns a second value, %s; a witness is one number: write two events for two conditions",
    names.show(value))
end

-- Raises an error for a condition that returned neither true nor false.
function runtime.no_boolean(ctx, value)
  reject(closure_of(ctx), "returned %s; it must return true or false", names.show(value))
end

-- The value of a name that is not passed with the call.
function runtime.fetch(ctx, e)
  local c = closure_of(ctx)
  return context.read(c.core, context.RUN, c.part, e)
end

function runtime.handler_outcome(ctx, o)
  local c = closure_of(ctx)
  local proper = o == nil and not outcome.last_made or outcome.is(o)
  local label = proper and c.label or ("%s: %s"):format(names.defined(c.fn) or c.system.source, c.label)
  return runtime.outcome_code(c.core, o, label, c.model.name)
end

function runtime.forget(ctx, name)
  local c = closure_of(ctx)
  rawset(c.target, name, nil)
  c.present[name] = nil
end

function runtime.put(ctx, e, value)
  local c = closure_of(ctx)
  if type(value) == "function" or type(value) == "userdata" then
    reject(c, "sets %q to a %s; abstract state holds plain data", e.name, type(value))
  end
  local ok, bytes = pcall(require("saltus.util.serialize").encode, value)
  if not ok then reject(c, "sets %q: %s", e.name, bytes) end
  c.core:put(c.part, e.slot, bytes)
end

return runtime
