-- Contexts of a run, and the ctx of a closure, as text and in `pairs`.
local unconnected_inputs = require "saltus.model.unconnected_inputs"
local variable = require "saltus.model.variable"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

local context_view = {}

-- A value in one line: numbers, modes, vectors; for abstract data its type.
local function value_text(e, value)
  if e.abstract then return type(value) == "string" and value or "(" .. type(value) .. ")" end
  return e.vector and numerals.list("%s", value) or numerals.text(value)
end

-- ---- sim.context, state_at, event.before: `view` has core, model, which, prefix ----

-- Whether it is an input without source and without value.
local function is_open(view, part, e)
  return e.partition == "input" and not view.model:feeder(part, e)
    and not unconnected_inputs.has_value(view.core, view.which, part, e)
end

-- The names under the prefix, in the order of the model.
local function names_in(view)
  local out, before = {}, view.prefix == "" and "" or view.prefix .. "."
  for _, path in ipairs(view.model:paths()) do
    if path:sub(1, #before) == before then out[#out + 1] = path:sub(#before + 1) end
  end
  return out
end

-- Iterates over the time and all names with a value; names of a part are without its path. `read` is context.read.
function context_view.each(view, read)
  local list, i = names_in(view), -1
  return function()
    i = i + 1
    if i == 0 then return "time", view.core:time(view.which) end
    while list[i] do
      local part, e = view.model:resolve(names.join(view.prefix, list[i]))
      local value
      if not is_open(view, part, e) then value = read(view.core, view.which, part, e) end
      if value ~= nil then return list[i], value end
      i = i + 1
    end
  end
end

-- The time and all names except outputs and abstract data.
function context_view.text(view, read)
  local lines = { numerals.format("time = %.17g", view.core:time(view.which)) }
  for _, name in ipairs(names_in(view)) do
    local part, e = view.model:resolve(names.join(view.prefix, name))
    if e.partition ~= "output" and not e.abstract then
      local text = "(no value)"
      if not is_open(view, part, e) then text = value_text(e, read(view.core, view.which, part, e)) end
      lines[#lines + 1] = ("%s = %s"):format(name, text)
    end
  end
  return table.concat(lines, "\n")
end

-- ---- a closure's ctx ----

-- The entries of a system; without the outputs for the ctx of an output.
local function entries_of(system, kind)
  return variable.in_ctx(system, kind == "output" and variable.settable_sections or nil)
end

-- Iterates over the time and the names of the system. `kind`: that of the closure.
function context_view.each_of_ctx(system, kind, ctx)
  local list, i = entries_of(system, kind), -1
  return function()
    i = i + 1
    if i == 0 then return "time", ctx.time end
    if list[i] then return list[i].name, ctx[list[i].name] end
  end
end

function context_view.text_of_ctx(system, kind, ctx)
  local lines = { "time = " .. numerals.text(ctx.time) }
  for _, e in ipairs(entries_of(system, kind)) do
    lines[#lines + 1] = e.name .. " = " .. value_text(e, ctx[e.name])
  end
  return table.concat(lines, "\n")
end

return context_view
