-- A sender sends the time to two receivers every 6 to 10 s. Each of them has a box for messages, and needs 4 to 8 s for
-- a message. A message that waits in the box is late.
--
--   saltus run examples/simpy/process-communication.lua --duration 100
--   saltus sweep examples/simpy/process-communication.lua --runs 200
local saltus = require "saltus"

local post = saltus.system {
  name     = "post",
  discrete = { "sent", "handled", "late", { "delay", 0, unit = "s", doc = "of all late messages together" } },
}

local function receive(s, run, box)
  while true do
    local delay = s.time - box:get()
    run.handled = run.handled + 1
    if delay > 0 then run.late, run.delay = run.late + 1, run.delay + delay end
    s:wait(s:uniform(4, 8))
  end
end

return saltus.scenario { system = post, duration = 2000, seed = 1,
  story = function(s, run)
    local boxes = { s:store(), s:store() }
    for number, box in ipairs(boxes) do s:spawn("receiver " .. number, receive, box) end
    while true do
      s:wait(s:uniform(6, 10))
      run.sent = run.sent + 1
      for _, box in ipairs(boxes) do box:put(s.time) end
    end
  end,
  measure = { "handled", "late", "delay" },
  log = { "sent", "handled", "late" } }
