-- Signals that the `saltus` program caught (src/hosts/saltus.c); other hosts have none.
local complaint = require "saltus.cli.complaint"

local has_host, host = pcall(require, "saltus.host")

local interruption = { hosted = has_host }

if has_host then host.attend(require("saltus.core").runs()) end

-- Returns { code =, closed = }, the exit status and whether standard output was closed; nil without a signal.
function interruption.caught()
  local number, what = nil, nil
  if has_host then number, what = host.caught() end
  if not number then return nil end
  local closed = what == "closed"
  return { code = closed and 1 or 128 + number, closed = closed }
end

-- Raises the complaint that ends the command, if there was a signal.
function interruption.check()
  local caught = interruption.caught()
  if not caught then return end
  error(complaint.new { code = caught.code, interrupted = true, message = "interrupted" }, 0)
end

-- From now on results are written: a signal no longer stops Lua, and is only reported by caught().
function interruption.hold()
  if has_host then host.hold() end
end

-- A signal that ends this program also ends the process with this number; nil: no process from now on.
function interruption.take_along(pid)
  if not has_host then return end
  if pid then host.take_along(pid) else host.take_along() end
end

-- Forgets a signal that was caught, so that the next run is not interrupted by it.
function interruption.forget()
  if has_host then host.forget() end
end

return interruption
