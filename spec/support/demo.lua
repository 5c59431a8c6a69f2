-- demo.lua SALTUS DIR: what `make demo` shows. Each scenario is run by the command, which writes a page into DIR;
-- its events are listed here.
local command, dir = arg[1], arg[2]

local shows = {
  { file = "examples/02-bouncing-ball.lua", name = "ball" },
  { file = "examples/03-thermostat.lua", name = "thermostat" },
  { file = "examples/07-compass-gait.lua", name = "compass-gait", duration = 10 },
  { file = "examples/23-tank-alarm.lua", name = "tank-alarm" },
}

local function list(events, most)
  for i, event in ipairs(events) do
    if i > most and #events > most + 1 then
      print(("  ... and %d more, the last at %.6f"):format(#events - most, events[#events].time))
      return
    end
    print(("  %10.6f  %s"):format(event.time, event.name))
  end
end

for _, show in ipairs(shows) do
  local page = ("%s/%s.html"):format(dir, show.name)
  local changed = show.duration and (" --duration %g"):format(show.duration) or ""
  local line = ("%s run %s%s --animate %s"):format(command, show.file, changed, page)
  print("\n== " .. line)
  io.stdout:flush()
  if not os.execute(line) then os.exit(1, true) end

  local scenario = (function() return dofile(show.file) end)()
  local result = scenario:run { duration = show.duration }
  print(("events of %s, %d in all"):format(show.name, #result.log.events))
  list(result.log.events, 12)
end
print(("\nThe pages are in %s: open them in a browser."):format(dir))
