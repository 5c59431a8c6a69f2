-- Mirrors lua/saltus/output/plot/: three kinds of pictures of one log.
local axis_ticks = require "saltus.output.plot.axis_ticks"
local saltus = require "saltus"
local fake = require "spec.support.fake_simulator"
local slurp = require "spec.support.slurp"

local function nothing() end

local thing = saltus.system {
  name = "thing", q = { { "height", unit = "m" }, { "width", unit = "m" } }, v = { { "speed", unit = "m/s" } },
  discrete = { { "mode", values = { "falling", "resting" } } }, derivatives = nothing,
  events = { { name = "bounce", witness = nothing } },
}

local function log(rows)
  local times = {}
  for i = 0, rows or 100 do times[i + 1] = i / 10 end
  local sim = fake.new(thing, {
    height = function(t) return math.sin(t) end,
    width = function(t) return t < 5 and t or 0 / 0 end,
    speed = function() return 3 end,
    mode = function(t) return t < 4 and 1 or 2 end,
  }, { rows = times, events = { { time = 2.5, name = "bounce" }, { time = 4, name = "bounce" } } })
  return saltus.log(sim)
end

local function drawn(ending, ...)
  local path = os.tmpname() .. ending
  log():plot(path, ...)
  local text = slurp(path)
  os.remove(path)
  return text
end

local function count(text, part) return select(2, text:gsub(part, "")) end

describe("log:plot", function()
  it("draws a panel for each unit, and modes by name, in SVG", function()
    local svg = drawn ".svg"
    assert.matches("^<svg xmlns", svg)
    assert.equal(3, count(svg, 'class="frame"'))
    for _, part in ipairs { "[m]", "speed [m/s]", "falling", "resting", "time [s]", "bounce ×2",
      "prefers-color-scheme" } do
      assert.truthy(svg:find(part, 1, true), part)
    end
    assert.is_nil(svg:find("nan", 1, true))
  end)

  it("draws the requested panels", function()
    local svg = drawn(".svg", { { "height", "speed" }, { "width" }, title = "a < b" })
    assert.equal(2, count(svg, 'class="frame"'))
    assert.matches("a &lt; b", svg)
  end)

  it("puts all into one HTML file", function()
    local html = drawn ".html"
    assert.matches("^<!doctype html>", html)
    assert.matches('"label":"speed %[m/s%]"', html)
    assert.matches('"modes":%["falling","resting"%]', html)
    assert.matches('"name":"bounce","times":%[2.5,4%]', html)
    assert.matches("var uPlot=", html)
    assert.is_nil(html:find "src=")
    assert.is_nil(html:find "<link")
  end)

  it("prints different texts for neighbouring ticks of the page", function()
    if not os.execute "command -v node >/dev/null 2>&1" then return pending "needs node" end
    local source = drawn(".html"):match "\nfunction tickTexts.-\n}\n"
    local function texts(splits, step)
      local pipe = io.popen(("node -e '%s console.log(tickTexts([%s], %s).join(\" \"))'"):format(source, splits, step))
      return pipe:read "a", pipe:close()
    end
    assert.equal("0.0015 0.0020 0.0025\n", (texts("0.0015, 0.002, 0.0025", "0.0005")))
    assert.equal("-0.5 0.0 0.5\n", (texts("-0.5, 0, 0.5", "0.5")))
    assert.equal("1000000.0 1000000.2\n", (texts("1e6, 1000000.2", "0.2")))
    assert.equal("0.25 0.50 0.75\n", (texts("0.25, 0.5, 0.75", "0.25")))
    assert.equal("0.0 2.5 5.0\n", (texts("0, 2.5, 5", "2.5")))
    assert.equal("0 25 50\n", (texts("0, 25, 50", "25")))
    assert.equal("0 1e-5 2.5e-5\n", (texts("0, 1e-5, 2.5e-5", "5e-6")))
    assert.equal("0 5e6 1e7\n", (texts("0, 5e6, 1e7", "5e6")))
  end)

  it("has values on the page with digits for their small changes", function()
    local sim = saltus.simulator(saltus.system { name = "ramp", z = { { "x", 3e6 } },
      derivatives = function(_, dot) dot.x = -0.02 end })
    local ramp = saltus.log(sim, { "x", every = 1 })
    sim:advance_to(4)
    local path = os.tmpname() .. ".html"
    ramp:plot(path)
    assert.matches('"values":%[3000000,2999999.98,2999999.96,2999999.94,2999999.92%]', slurp(path))
    os.remove(path)
  end)

  it("has the logarithmic ticks of the picture on the page too", function()
    if not os.execute "command -v node >/dev/null 2>&1" then return pending "needs node" end
    local source = drawn(".html"):match "\nfunction tickTexts.*\nfunction logTexts.-\n}\n"
    for _, case in ipairs { { 14.7, 22.4 }, { 0.9, 4.4 }, { 990, 1010 }, { 2e-9, 3 }, { 0.02, 0.4 }, { 3, 2e4 },
      { 1e-9, 1e9 } } do
      local low, high, wanted = case[1], case[2], {}
      for i, tick in ipairs(axis_ticks.log(low, high, 5)) do wanted[i] = tick.text end
      local pipe = io.popen(("node -e '%s console.log(logTexts(logTicks(%s, %s, 5)).join(\" \"))'"):format(source, low,
        high))
      assert.equal(table.concat(wanted, " "), pipe:read "l")
      assert.is_true(pipe:close())
    end
  end)

  it("has ticks on the page at values of every size", function()
    if not os.execute "command -v node >/dev/null 2>&1" then return pending "needs node" end
    local source = drawn(".html"):match "\nfunction roundTicks.-\n}\n"
    local program = "node -e '%s console.log([...new Set(roundTicks(%s))].map(v => +v.toPrecision(9)).join(\" \"))'"
    for call, wanted in pairs { ["1e300, 2e300, 4"] = "1e+300 1.5e+300 2e+300", ["-1, 1, 4"] = "-1 -0.5 0 0.5 1",
      ["1e-300, 2e-300, 4"] = "1e-300 1.5e-300 2e-300", ["1, 1 + 2 ** -52, 5"] = "1 1",
      ["-1.5e308, 1.5e308, 5"] = "-1e+308 0 1e+308" } do
      local pipe = io.popen(program:format(source, call))
      assert.equal(wanted, pipe:read "l", call)
      assert.is_true(pipe:close())
    end
  end)

  it("keeps the data of the page from ending its script", function()
    assert.is_nil(drawn(".html", { title = "</script>" }):find "<h1></script>", 1, true)
    assert.matches([["title":"\u003c/script>"]], drawn(".html", { title = "</script>" }), 1, true)
  end)

  it("returns 80 columns of text without a file", function()
    local text = log():plot()
    for line in text:gmatch "[^\n]+" do assert.is_true(utf8.len(line) <= 82, line) end
    for _, part in ipairs { "height %[m%]",
      "├falling─", "─┼resting─", "▴ bounce ×2", "⠒" } do assert.matches(part, text) end
    assert.is_nil(text:find "\27")
  end)

  it("draws one signal against another, the curve turning back where they do", function()
    local function phase() return drawn(".svg", { "width", x = "height" }) end
    local xs, turns, last, direction = {}, 0, nil, nil
    for x in phase():match('<path class="line s1 d1" d="M([^"]*)"'):gmatch "([%d.]+) [%d.]+" do
      xs[#xs + 1] = tonumber(x)
    end
    for _, x in ipairs(xs) do
      local now = last and x ~= last and x > last
      if last and x ~= last then
        if direction ~= nil and now ~= direction then turns = turns + 1 end
        direction = now
      end
      last = x
    end
    assert.equal(2, turns) -- sin(t) turns at pi / 2 and 3 pi / 2; width ends at 5
    assert.truthy(phase():find(">height [m]<", 1, true))
    assert.is_nil(phase():find("eventname\"", 1, true))
    assert.truthy(drawn(".html", { "width", x = "height" }):find('"x":"height [m]"', 1, true))
    assert.truthy(log():plot(nil, { "width", x = "height" }):find("height [m]", 1, true))
    assert.error_matches(function() log():plot(nil, { x = 3 }) end, "x must be the name of a logged signal, got 3")
    assert.error_matches(function() log():plot(nil, { x = "hight" }) end, 'did you mean "height"')
  end)

  it("draws modes as bands with their names", function()
    local svg = drawn ".svg"
    local bands = {}
    for x, width, colour in
      svg:gmatch '<rect x="([%d.]+)" y="[%d.]+" width="([%d.]+)" height="28.0" class="band b(%d)' do
      bands[#bands + 1] = { tonumber(x), tonumber(width), colour }
    end
    assert.same({ 2, "1", "2" }, { #bands, bands[1][3], bands[2][3] })
    assert.near(bands[1][1] + bands[1][2], bands[2][1], 0.11)
    assert.near(4 / 10, bands[1][2] / (bands[1][2] + bands[2][2]), 1e-3) -- falling until 4 of 10 s
    assert.equal(2, count(svg, ">falling<")) -- in the legend and in the band
    assert.matches('"bands":%[%[0,4,1%],%[4,10,2%]%]', (drawn ".html"))
  end)

  it("writes the names of events above the panel, where no curve is", function()
    local svg = drawn ".svg"
    local top = tonumber(svg:match '<rect x="[%d.]+" y="([%d.]+)" width="[%d.]+" height="[%d.]+" class="frame"')
    local names = 0
    for y in svg:gmatch 'y="([%d.]+)" class="eventname"' do
      names = names + 1
      assert.is_true(tonumber(y) < top)
    end
    assert.equal(2, names)
  end)

  it("tells many signals apart, and wraps their legend", function()
    local names = {}
    for i = 1, 13 do names[i] = { "signal_" .. i, i } end
    local sim = saltus.simulator(saltus.system { name = "many", z = names, derivatives = function(ctx, dot)
      for i = 1, 13 do dot["signal_" .. i] = -ctx["signal_" .. i] end
    end })
    local many = saltus.log(sim)
    sim:advance_to(1)
    local path = os.tmpname() .. ".svg"
    many:plot(path)
    local svg = slurp(path)
    os.remove(path)
    local looks, rows, widest = {}, {}, 0
    for look in svg:gmatch '<path class="(line s%d d%d)"' do
      assert.is_nil(looks[look])
      looks[look] = true
    end
    for x, y in svg:gmatch '<text x="([%d.]+)" y="([%d.]+)" >signal_' do
      rows[y], widest = true, math.max(widest, tonumber(x))
    end
    assert.is_truthy(next(rows, (next(rows)))) -- two rows at least
    assert.is_true(widest + 7.2 * #"signal_13" < 800)
  end)

  it("shows short runs in ms", function()
    local sim = saltus.simulator(saltus.system { name = "fast", z = { { "x", 1 } },
      derivatives = function(ctx, dot) dot.x = -1e4 * ctx.x end })
    local fast = saltus.log(sim)
    sim:advance_to(3e-4)
    assert.matches("0%.30 ms", fast:plot())
    assert.equal("time [ms]", require("saltus.output.plot.panels").of(fast, {}).time_label)
  end)

  it("draws a run that has events and no signals", function()
    local sim = saltus.simulator(saltus.system { name = "bell",
      events = { { name = "ring", every = 0.3, publish = function() end } } })
    local bell, path = saltus.log(sim), os.tmpname()
    sim:advance_to(1)
    for _, ending in ipairs { ".svg", ".html" } do
      bell:plot(path .. ending)
      assert.matches("bell", slurp(path .. ending))
      os.remove(path .. ending)
    end
  end)

  it("draws logarithmic axes, with gaps where a value is not greater than 0", function()
    local svg = drawn(".svg", { "width", "height", log = "xy" })
    assert.is_nil(svg:find("nan", 1, true))
    assert.is_nil(svg:find("inf", 1, true))
    local _, sine = svg:match 'class="line s1 d1" d="([^"]*)".*class="line s1 d1" d="([^"]*)"'
    assert.equal(2, count(sine, "M")) -- sin(t) is positive twice in 10 s
    assert.matches('"log":true', (drawn(".html", { "width", log = "y" })))
    assert.error_matches(function() log():plot(nil, { log = "z" }) end, 'log must be "x", "y" or "xy", got "z"')
  end)

  it("refuses files of other kinds, options and names that do not exist", function()
    assert.error_matches(function() log():plot "ball.png" end, 'must end in .html or .svg, got "ball.png"')
    assert.error_matches(function() log():plot { titel = "x" } end, 'unknown option "titel"; did you mean "title"')
    assert.error_matches(function() log():plot { { "heigth" } } end,
      'unknown name "heigth" in this log; did you mean "height"')
    assert.error_matches(function() log():plot { width = 3 } end, "width must be a number of at least 20, got 3")
  end)
end)

describe("a picture of much", function()
  local panels = require "saltus.output.plot.panels"
  local rows, events = {}, {}
  for i = 1, 20000 do rows[i] = i / 100 end
  for i = 1, 151 do events[i] = { time = i, name = "bounce" } end
  local many = saltus.log(fake.new(thing, {
    height = function(_, row) return row == 7777 and 50 or row == 8888 and -50 or math.sin(row / 1000) end,
    width = function(_, row) return row == 9999 and 0 / 0 or 1 end,
    speed = function(t) return t end,
    mode = function(_, row) return row < 12345 and 1 or 2 end,
  }, { rows = rows, events = events }))

  it("keeps the lowest and highest of each bin, the ends and the gaps", function()
    for _, group in ipairs(panels.of(many, {}).groups) do
      assert.is_true(#group.time > 1400 and #group.time <= 2 * 2 * 1500 + 2, #group.time)
      assert.same({ rows[1], rows[20000] }, { group.time[1], group.time[#group.time] })
      for _, s in ipairs(group.signals) do assert.equal(#group.time, #s.values) end
    end
    local metres = panels.of(many, {}).groups[1]
    local at, gaps = {}, 0
    for i, t in ipairs(metres.time) do
      at[t] = metres.signals[1].values[i]
      if metres.signals[2].values[i] ~= metres.signals[2].values[i] then gaps = gaps + 1 end
    end
    assert.same({ 50, -50, 1 }, { at[rows[7777]], at[rows[8888]], gaps })
  end)

  it("keeps every row of 3,000", function()
    assert.equal(3000, #panels.of(log(2999), {}).groups[1].time)
  end)

  it("has at most four points in a pixel of a chart 750 pixels wide, also between the rows of a curve", function()
    local swing = saltus.system { name = "swing", q = { { "x", 1 } }, v = { "u" },
      derivatives = function(ctx, dot) dot.x, dot.u = ctx.u, -ctx.x end }
    for _, stop in ipairs { 3, 30, 60, 300, 3000 } do
      local sim = saltus.simulator(swing)
      local long = saltus.log(sim, { "x" })
      sim:advance_to(stop)
      local points = #panels.of(long, {}).groups[1].time
      assert.is_true(points > 200 and points <= 4 * 750 + 2, stop .. " s: " .. points)
    end
  end)

  it("names an event that fired too often, and does not mark it", function()
    local event = panels.of(many, {}).events[1]
    assert.same({ "bounce ×151, not drawn", 0, 151 }, { event.label, #event.times, event.count })
    local text = many:plot()
    assert.matches("bounce ×151, not drawn", text)
    assert.equal(1, count(text, "▴"))
  end)
end)
