-- Writes to the context of a run, between calls.
local core = require "saltus.core"
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"
local variable = require "saltus.model.variable"

local context_write = {}

local number_of = core.constants.partition

local function write_number(engine, part, e, index, value)
  engine:poke(part, number_of[e.partition], e.offset + index - 1, value)
end

function context_write.write(engine, part, e, element, value, who)
  if e.partition == "input" then engine:end_feed(part, e.index) end
  if element then
    write_number(engine, part, e, element, variable.element(e, value, who))
    return
  end
  local checked = variable.value(e, value, who)
  if e.abstract then
    engine:poke_slot(part, e.slot, require("saltus.util.serialize").encode(checked))
    if e.partition == "input" then write_number(engine, part, e, 1, 0.0) end -- it has a value
  elseif e.vector then
    for i = 1, e.size do write_number(engine, part, e, i, checked[i]) end
  else
    write_number(engine, part, e, 1, checked)
  end
end

-- Writes to a view of context.lua. `check_present` (engine) raises an error if another time than that of the run is
-- shown.
function context_write.set(view, key, value, check_present)
  if not view.writable then
    names.fail("%s is read-only here; in an update, write to next.%s", numerals.text(key), numerals.text(key))
  end
  names.fail_if(view.core:running(), "the context can be written between calls only; in an update, write to `next`")
  check_present(view.core)
  if key == "time" and view.prefix == "" then
    names.check(type(value) == "number" and value == value, value, "time must be a number")
    return view.core:set_time(value)
  end
  local path = type(key) == "string" and names.join(view.prefix, key) or key
  local part, e, element = view.model:resolve(path)
  if not part then names.fail(e) end
  view.model:check_not_fed(part, e, path)
  return context_write.write(view.core, part, e, element, value, ("%q"):format(path))
end

return context_write
