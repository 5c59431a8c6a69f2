-- work_precision.lua FILE.html: what every code needs for which error, a chart a problem. All pairs come from the
-- programs that `make bench` compares with, run with WORK=1; a code that is not installed is not in the picture.
local build = os.getenv "SALTUS_BUILD" or "build"
local html = require "saltus.output.plot.html"

-- { code = { { error, microseconds }, ... } }, of lines "code 1e-03 error 2.3e-04 12.3 us ...".
local function pairs_of(command, rename)
  local pipe = assert(io.popen("WORK=1 " .. command .. " 2>&1 >/dev/null"))
  local codes = {}
  for line in pipe:lines() do
    local code, error, time, unit = line:match "^(.-)%s+%S+ error (%S+)%s+(%S+) ([um]s)"
    error, time = tonumber(error), tonumber(time)
    code = rename and rename[code] or code
    if error and error > 0 and error < 1 and time > 0 then
      codes[code] = codes[code] or {}
      table.insert(codes[code], { error, unit == "ms" and 1000 * time or time })
    end
  end
  pipe:close()
  return codes
end

local function log10(x) return math.log(x, 10) end

-- All codes share one row of errors; a code's values are in its own rows, with gaps elsewhere.
local function group(name, codes, order)
  local g = { label = name .. ": log10 of microseconds", time = {}, signals = {} }
  local rows = 0
  for _, code in ipairs(order) do rows = rows + #(codes[code] or {}) end
  for _, code in ipairs(order) do
    local points = codes[code] or {}
    table.sort(points, function(a, b) return a[1] > b[1] end)
    local signal = { name = code, values = {}, low = math.huge, high = -math.huge }
    for row = 1, rows do signal.values[row] = 0 / 0 end
    for _, point in ipairs(points) do
      local row, value = #g.time + 1, log10(point[2])
      g.time[row], signal.values[row] = log10(point[1]), value
      signal.low, signal.high = math.min(signal.low, value), math.max(signal.high, value)
    end
    if #points > 0 then table.insert(g.signals, signal) end
  end
  return g
end

local function merge(into, from)
  for code, points in pairs(from) do into[code] = into[code] or points end
  return into
end

local picture = { title = "Work and precision: the time that each code needs for an error at the end", events = {},
  groups = {}, x = { label = "log10 of the error at the end, by the largest value there", low = -14, high = 0 } }

for _, problem in ipairs { "lorenz", "vdp5", "arenstorf", "pleiades" } do
  local codes = pairs_of(("%s/bench/nonstiff %s"):format(build, problem))
  table.insert(picture.groups, group(problem, codes,
    { "dormand_prince8", "tsitouras5", "GSL rk8pd", "odeint fehlberg78", "odeint dopri5" }))
end
for _, problem in ipairs { "van_der_pol", "robertson", "hires", "orego", "brusselator", "heat" } do
  local codes = {}
  for _, method in ipairs { "radau5", "rodas4", "auto" } do
    local command = ("%s/bench/stiff %s %s"):format(build, problem, method)
    merge(codes, pairs_of(command, { ours = method, theirs = "CVODE BDF" }))
  end
  table.insert(picture.groups, group(problem, codes, { "radau5", "rodas4", "auto", "CVODE BDF" }))
end

local file = assert(io.open(assert(arg[1], "work_precision.lua FILE.html"), "wb"))
file:write(html.draw(picture))
file:close()
