-- A program in the background: what it has written so far, and its end by a signal. A variable `<close>` ends it with
-- its block, also where a test fails.
local slurp = require "spec.support.slurp"
local socket = require "socket"

local background = {}
background.__index = background

-- Starts a command line.
function background.start(line)
  local out = os.tmpname()
  local pipe = assert(io.popen(("%s >%s 2>&1 & pid=$!; echo $pid; wait $pid; echo $?"):format(line, out)))
  return setmetatable({ out = out, pipe = pipe, pid = pipe:read "l" }, background)
end

-- Waits until its output matches; returns the captures. nil after ten seconds.
function background:wait_for(pattern)
  for _ = 1, 500 do
    local found = table.pack(slurp(self.out):match(pattern))
    if found[1] then return table.unpack(found) end
    socket.sleep(0.02)
  end
  return nil
end

-- Sends a signal that ends it; returns its exit status.
function background:finish(signal)
  os.execute(("kill -%s %s"):format(signal, self.pid))
  return self:wait()
end

-- Waits for its end; returns its exit status.
function background:wait()
  local status = self.pipe:read "n"
  self.pipe:close()
  os.remove(self.out)
  self.pipe = nil
  return status
end

-- Ends it if it still runs.
function background:close()
  if self.pipe then self:finish "KILL" end
end

background.__close = background.close

return background
