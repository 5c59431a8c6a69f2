-- Mirrors lua/saltus/output/animation/encoding.lua, page.lua and init.lua: what a page contains. `make browser` opens
-- the pages.
local dkjson = require "dkjson"
local saltus = require "saltus"
local animation = require "saltus.output.animation"
local encoding = require "saltus.output.animation.encoding"
local slurp = require "spec.support.slurp"

local function taken(scenario, changes, path)
  local run = scenario:prepare(changes or {})
  local film = animation.film(scenario, run, path or "a.html")
  film:advance_to(run.stop)
  return film, run
end

-- The page of a scenario, its frames as data, and the film.
local function page_of(scenario, changes)
  local path = os.tmpname() .. ".html"
  local film, run = taken(scenario, changes, path)
  animation.write(film, run.log)
  local text = slurp(path)
  os.remove(path)
  local data = assert(dkjson.decode((text:match '<script id="film"[^>]*>(.-)</script>')))
  return text, data, film, run
end

-- What player.js makes of a column.
local function values(column, count, unit)
  local out, sum = {}, 0
  for i = 1, count do
    sum = type(column) == "table" and sum + column[i] or column
    out[i] = sum * unit
  end
  return out
end

-- The commands of a row of the page's data, with numbers in the place of columns.
local function commands_at(data, row)
  local before, out = 0, {}
  for _, block in ipairs(data.blocks) do
    if row > before and row <= before + block.count then
      for c, command in ipairs(block.commands) do
        out[c] = { command[1], command[2] }
        for k, column in ipairs(command[3]) do out[c][k + 2] = values(column, block.count, 1)[row - before] end
      end
    end
    before = before + block.count
  end
  return out
end

local function example(name) return dofile(("examples/%s.lua"):format(name)) end

local moving = { "02-bouncing-ball", "03-thermostat", "06-rimless-wheel", "07-compass-gait", "09-cart-pole",
  "13-quadrotor", "17-hot-water-pipe" }

describe("the page of a film", function()
  it("has the numbers of its frames, to the rounding of their unit", function()
    local _, data, film = page_of(example "13-quadrotor")
    local at = 0
    for _, block in ipairs(data.blocks) do
      for c, command in ipairs(block.commands) do
        for k, column in ipairs(command[3]) do
          local unit = command[1] == "box" and k == 5 and 1e-4 or data.unit
          for i, value in ipairs(values(column, block.count, unit)) do
            assert.near(film.frames[at + i].commands[c][k], value, 0.51 * unit)
          end
        end
      end
      at = at + block.count
    end
    assert.equal(#film.frames, at)
  end)

  it("has the first footfall of the compass gait twice, at one time, with different numbers", function()
    local _, data, _, run = page_of(example "07-compass-gait")
    local at, rows = run.log:times("footfall")[1], {}
    for row, time in ipairs(data.times) do
      if time == at then rows[#rows + 1] = row end
    end
    assert.near(0.4172273, at, 1e-5)
    assert.equal(2, #rows)
    assert.equal(rows[1] + 1, rows[2])
    assert.not_same(commands_at(data, rows[1]), commands_at(data, rows[2]))
  end)

  it("has all times exactly", function()
    local _, data, film = page_of(example "07-compass-gait")
    assert.equal(#film.frames, #data.times)
    for i, frame in ipairs(film.frames) do assert.equal(frame.time, data.times[i]) end
  end)

  for _, name in ipairs(moving) do
    local most = name == "02-bouncing-ball" and 150e3 or 400e3
    it(("of %s is one file of less than %d kB that moves, for at least 10 s"):format(name, most / 1000), function()
      local scenario = example(name)
      local text, data = page_of(scenario, { duration = math.max(10, scenario.duration) })
      assert.is_true(#data.times > 600)
      assert.is_true(#text < most, ("%d bytes"):format(#text))
      local lists = 0
      for _, block in ipairs(data.blocks) do
        for _, command in ipairs(block.commands) do
          for _, column in ipairs(command[3]) do lists = lists + (type(column) == "table" and 1 or 0) end
        end
      end
      assert.is_true(lists > 0)
      assert.is_nil(text:find "<script[^>]+src" or text:find "<link" or text:find "@import" or text:find "url%(")
    end)
  end

  it("has the events of the run on its timeline, by name, and counts those that fired too often", function()
    local _, data, _, run = page_of(example "02-bouncing-ball")
    assert.equal("touch", data.events[1].name)
    assert.same(run.log:times "touch", data.events[1].times)
    local _, many = page_of(example "09-cart-pole")
    for _, event in ipairs(many.events) do
      assert.equal(event.count > 150 and 0 or event.count, #event.times, event.name)
    end
  end)

  it("escapes what comes from a scenario", function()
    local evil = "</script><b>\"&"
    local s = saltus.scenario { log = false, duration = 1, system = saltus.system { name = "evil" },
      draw = function(_, pen) pen:text(0, 0, evil) end }
    local text, data = page_of(s)
    assert.is_nil(text:find(evil, 1, true))
    assert.equal(evil, data.texts[1])
  end)

  it("is written by scenario:run { animate = }, which refuses other files", function()
    local path = os.tmpname() .. ".html"
    example("02-bouncing-ball"):run { animate = path }
    assert.matches("^<!doctype html>", slurp(path))
    os.remove(path)
    assert.error_matches(function() example("02-bouncing-ball"):run { animate = "ball.svg" } end,
      'animate: the file must end in .html, got "ball.svg"')
    assert.error_matches(function() example("05-lorenz"):run { animate = path } end, "nothing would move")
    assert.is_nil(io.open(path))
  end)

  it("needs no log", function()
    local text = page_of(saltus.scenario { log = false, duration = 1, system = example("02-bouncing-ball").system,
      draw = function(ctx, pen) pen:circle(0, ctx.height, 1) end })
    assert.is_truthy(text:find('"groups":[]', 1, true))
    assert.is_nil(text:find "Drag to zoom")
  end)

  it("encodes constants once, and commands that come and go in blocks of their own", function()
    local blink = saltus.scenario { log = false, duration = 2, system = saltus.system { name = "blink",
      draw = function(ctx, pen)
        pen:circle(1, 2, 3)
        if ctx.time >= 1 then pen:text(0, 0, ctx.time < 1.5 and "on" or "off") end
      end } }
    local _, data = page_of(blink)
    assert.same({ 60, 61 }, { data.blocks[1].count, data.blocks[2].count })
    assert.equal("table", type(data.blocks[2].commands[2][4]))
    assert.same({ "on", "off" }, data.texts)
    for _, column in ipairs(data.blocks[1].commands[1][3]) do assert.equal("number", type(column)) end
  end)
end)

describe("saltus run --animate", function()
  local folder = os.tmpname()
  setup(function() os.execute(("rm %s && mkdir %s"):format(folder, folder)) end)
  teardown(function() os.execute("rm -r " .. folder) end)

  local function saltus_run(arguments)
    local pipe = io.popen(("%s/bin/saltus run -q %s 2>&1"):format(os.getenv "SALTUS_BUILD" or "build", arguments))
    local text = pipe:read "a"
    return text, select(3, pipe:close())
  end

  it("writes the page", function()
    assert.same({ "", 0 }, { saltus_run(("examples/02-bouncing-ball.lua --animate %s/ball.html"):format(folder)) })
    assert.matches("^<!doctype html>", slurp(folder .. "/ball.html"))
  end)

  it("refuses what cannot move, and files that are no page, and writes nothing", function()
    local text, code = saltus_run(("examples/05-lorenz.lua --animate %s/no.html"):format(folder))
    assert.equal(1, code)
    assert.matches("^saltus: nothing would move: neither the scenario nor a system of it has draw", text)
    text, code = saltus_run(("examples/02-bouncing-ball.lua --animate %s/no.svg"):format(folder))
    assert.equal(2, code)
    assert.matches("%-%-animate: the file must end in .html, got", text)
    assert.is_nil(io.open(folder .. "/no.html"))
    assert.is_nil(io.open(folder .. "/no.svg"))
  end)

  it("writes what came before a failure", function()
    local file = assert(io.open(folder .. "/broken.lua", "w"))
    file:write [[
      local saltus = require "saltus"
      return saltus.scenario { duration = 2, system = saltus.system { name = "broken", z = { "x" },
        derivatives = function(_, dot) dot.x = 1 end,
        draw = function(ctx, pen) pen:circle(0, ctx.time <= 0.999 and ctx.x or {}, 1) end } }
    ]]
    file:close()
    local text, code = saltus_run(("%s/broken.lua --animate %s/broken.html"):format(folder, folder))
    assert.equal(1, code)
    assert.matches("broken.lua:4: pen:circle: y must be a finite number, got a table %(draw at t = 1%)", text)
    local film = dkjson.decode((slurp(folder .. "/broken.html"):match '<script id="film"[^>]*>(.-)</script>'))
    assert.equal(60, #film.times) -- 0 to 59 / 60
    assert.near(59 / 60, film.stop, 1e-12)
  end)

  local function run_drawing(draw)
    local file = assert(io.open(folder .. "/drawing.lua", "w"))
    file:write(([[
      local saltus = require "saltus"
      return saltus.scenario { duration = 2, log = { "x", every = 1 }, system = saltus.system { name = "s",
        z = { "x" }, derivatives = function(_, dot) dot.x = 1 end, draw = function(ctx, pen) %s end } }
    ]]):format(draw))
    file:close()
    os.remove(folder .. "/d.html")
    local text, code = saltus_run(("%s/drawing.lua --csv %s/d.csv --animate %s/d.html"):format(folder, folder, folder))
    local page = io.open(folder .. "/d.html")
    if page then page:close() end
    return text, code, page ~= nil, #slurp(folder .. "/d.csv")
  end

  it("goes on after an error in draw: the data are whole, and the command fails", function()
    local text, code, has_page, size = run_drawing "pen:circle(0, ctx.x, 1)"
    assert.same({ "", 0, true }, { text, code, has_page })
    for condition, kept in pairs { ["ctx.x > 0.5"] = true, ["true"] = false } do
      local message, failed, page, bytes = run_drawing(("pen:circle(0, ctx.x, 1) if %s then error 'oh' end"):format(
        condition))
      assert.matches("^warning: .*drawing.lua:3: oh %(draw at t = [%d.]+%); .*d.html ", message)
      assert.same({ 1, kept, size }, { failed, page, bytes })
    end
  end)

  it("says what it cannot show", function()
    local function says(what, draw)
      local text = run_drawing(draw)
      assert.is_truthy(text:find(what, 1, true), text)
    end
    says("d.html is empty: no draw function has drawn anything", "")
    says("pen:circle: y must be at most 1e100 in size, got 1e+300", "pen:circle(0, 1e300, 1)")
    says("pen:line: a picture can have 100000 numbers; draw less", "for i = 1, 1e6 do pen:line(0, 0, i, i) end")
    says("too much for one page: ", "corners = corners or {} "
      .. "while #corners < 49999 do corners[#corners + 1] = { #corners, 0 } end pen:polygon(corners)")
  end)
end)

describe("the numbers of a page", function()
  local function film_of(view, ...)
    local frames = {}
    for i, y in ipairs { ... } do
      frames[i] = { time = i, commands = { { op = "text", style = "{}", text = "a", 0, y } } }
    end
    return dkjson.decode((encoding.film({ scene = { view = view }, frames = frames, speed = 1 }, {})))
  end

  it("are whole multiples of the unit for any view and any drawing that the pen takes", function()
    local data = film_of(nil, 1e20)
    assert.near(1, data.blocks[1].commands[1][3][2] * data.unit / 1e20, 1e-9)
    data = film_of({ bottom = 0, top = 1e-90 }, 1e100, -1e100)
    assert.same({ 2 ^ 52, -2 ^ 53 }, data.blocks[1].commands[1][3][2])
    assert.is_true(data.unit > 0)
  end)
end)

describe("a frame of a live run", function()
  it("is the JSON that animation.add takes", function()
    local film = taken(example "02-bouncing-ball", { duration = 0 })
    assert.equal('{"time":0,"commands":[["line",{},[-0.8,0,0.8,0]],["circle",{"colour":1,"fill":true},[0,1.05,0.05]]]}',
      encoding.frame(film.frames[1]))
  end)
end)
