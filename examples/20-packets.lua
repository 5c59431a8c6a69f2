-- A sender, a receiver, and a line that loses one packet of five in each direction. The sender waits for the
-- acknowledgement of a packet before it sends the next one, and sends it again when none came in time. The receiver
-- acknowledges duplicates too, because it was the acknowledgement that got lost.
--
--   saltus run examples/20-packets.lua --seed 3 --set loss=0.4 --animate packets.html
local saltus = require "saltus"

local line = saltus.system {
  name     = "line",
  discrete = { "sent", "received", "acknowledged",
    { "data_from", -math.huge, unit = "s", doc = "when the last packet left the sender" },
    { "ack_from", -math.huge, unit = "s", doc = "when the last acknowledgement left the receiver" } },
  params   = {
    { "packets", 20, doc = "how many to deliver" },
    { "delay", 0.04, unit = "s", doc = "of the line, in one direction" },
    { "loss", 0.2, doc = "probability that the line loses what it carries" },
    { "timeout", 0.1, unit = "s", doc = "more than both delays" },
  },
}

-- A packet on its way: it arrives in `box`, or nowhere.
local function carry(s, run, box, number)
  s:wait(run.delay)
  if s:random() >= run.loss then box:put(number) end
end

local function send(s, run, line_to, line_back)
  for number = 1, run.packets do
    local got, answer
    repeat
      run.sent, run.data_from = run.sent + 1, s.time
      s:spawn("data", carry, line_to, number)
      got, answer = s:wait_any { line_back:request(), run.timeout }
    until got == 1 and answer == number
    run.acknowledged = number
  end
  s:stop "all packets are acknowledged"
end

local function receive(s, run, line_to, line_back)
  while true do
    local number = line_to:get()
    if number > run.received then run.received = number end
    run.ack_from = s.time
    s:spawn("acknowledgement", carry, line_back, number)
  end
end

local function draw(ctx, pen)
  local function underway(since) return ctx.time >= since and ctx.time - since <= ctx.delay end
  pen:box(-0.1, 0.5, 0.2, 0.6, { colour = 1, fill = true })
  pen:box(1.1, 0.5, 0.2, 0.6, { colour = 2, fill = true })
  pen:line(0, 0.6, 1, 0.6, { colour = "soft" })
  pen:line(0, 0.4, 1, 0.4, { colour = "soft" })
  if underway(ctx.data_from) then
    pen:box((ctx.time - ctx.data_from) / ctx.delay, 0.6, 0.06, 0.1, { colour = 1, fill = true })
  end
  if underway(ctx.ack_from) then
    pen:circle(1 - (ctx.time - ctx.ack_from) / ctx.delay, 0.4, 0.03, { colour = 2, fill = true })
  end
  pen:text(-0.1, 0.05, ("sent %d"):format(ctx.sent), { align = "centre" })
  pen:text(1.1, 0.05, ("received %d"):format(ctx.received), { align = "centre" })
end

return saltus.scenario { system = line, duration = 6, seed = 1, draw = draw,
  view = { left = -0.3, right = 1.3, bottom = 0, top = 1 },
  story = function(s)
    local line_to, line_back = s:store(), s:store()
    s:spawn("sender", send, line_to, line_back)
    s:spawn("receiver", receive, line_to, line_back)
  end,
  log = { "sent", "received", "acknowledged" } }
