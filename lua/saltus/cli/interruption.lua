-- Signals that the `saltus` program caught (src/hosts/saltus.c); under another Lua there are none.
local has_host, host = pcall(require, "saltus.host")

local interruption = { hosted = has_host }

if has_host then host.attend(require("saltus.core").runs()) end

-- nil, or { code =, closed = }: the exit status, and whether standard output was closed.
function interruption.caught()
  local number, what = nil, nil
  if has_host then number, what = host.caught() end
  if not number then return nil end
  local closed = what == "closed"
  return { code = closed and 1 or 128 + number, closed = closed }
end

-- Results are written from now on: a signal is seen by caught(), and ends nothing.
function interruption.hold()
  if has_host then host.hold() end
end

return interruption
