-- Mirrors lua/saltus/story/resource.lua, store.lua, tank.lua and line.lua.
local saltus = require "saltus"

local function nothing() return saltus.system { name = "shop", discrete = { { "n", 0 } } } end

-- Tells stories up to `stop`; `note` adds to the list that is returned.
local function notes(stop, fn)
  local list = {}
  local sim = saltus.simulator(nothing())
  local stories = saltus.stories(sim)
  stories:spawn(function(s, run) fn(s, function(...) list[#list + 1] = { ... } end, run) end)
  sim:advance_to(stop)
  return list, stories
end

describe("a resource", function()
  it("serves by rank, then in the order of the requests", function()
    local order = {}
    notes(100, function(s)
      local desk = s:resource { name = "desk" }
      local function visitor(name, rank)
        s:spawn(function(t)
          local seat = t:wait_until(desk:request { rank = rank })
          order[#order + 1] = name
          t:wait(1)
          seat:release()
        end)
      end
      visitor("first", 5)
      visitor("b", 2)
      visitor("c", 2)
      visitor("a", 1)
      visitor("last", 9)
    end)
    assert.same({ "first", "a", "b", "c", "last" }, order)
  end)

  it("has as many seats as its capacity", function()
    local most, now = 0, 0
    local _, stories = notes(100, function(s)
      local desks = s:resource { name = "desks", capacity = 3 }
      for i = 1, 10 do
        s:spawn(function(t)
          local seat = t:wait_until(desks:request())
          now = now + 1
          most = math.max(most, now)
          t:wait(1 + i / 100)
          now = now - 1
          seat:release()
        end)
      end
    end)
    assert.equal(3, most)
    assert.equal(0, stories.queues.desks.statistics.in_use)
  end)

  it("withdraws a request that another condition overtook", function()
    local list, stories = notes(100, function(s, note)
      local desk = s:resource "desk"
      local seat = s:wait_until(desk:request())
      s:spawn(function(t) note(t:wait_any { desk:request(), 3 }, t.time) end)
      s:spawn(function(t)
        local other = t:wait_until(desk:request())
        note("served", t.time)
        other:release()
      end)
      s:wait(10)
      seat:release()
    end)
    assert.same({ { 2, 3.0 }, { "served", 10.0 } }, list)
    local found = stories.queues.desk.statistics
    assert.same({ 3, 2, 1, 0 }, { found.requests, found.served, found.left, found.in_use })
  end)

  it("takes a seat back that was granted at the instant of a lower condition", function()
    local list = notes(100, function(s, note)
      local desk = s:resource "desk"
      local seat = s:wait_until(desk:request())
      s:spawn(function(t) note((t:wait_any { t:event "go", desk:request() })) end)
      s:wait(1)
      seat:release()
      s:emit "go"
      s:wait(1)
      note(desk.statistics.in_use)
    end)
    assert.same({ { 1 }, { 0 } }, list)
  end)

  it("takes the seat of a higher rank for a request with preempt; the loss is a condition", function()
    local list = notes(100, function(s, note)
      local machine = s:resource { name = "machine", capacity = 2 }
      for rank = 5, 6 do
        s:spawn(function(t)
          local seat = t:wait_until(machine:request { rank = rank })
          note(rank, t:wait_any { 20, seat:lost() }, t.time, seat.state)
          seat:release() -- does nothing for a lost one
        end)
      end
      s:wait(4)
      local seat = s:wait_until(machine:request { rank = 1, preempt = true })
      note("mine", s.time)
      s:wait(1)
      seat:release()
      note(machine.statistics.in_use)
    end)
    assert.same({ { "mine", 4.0 }, { 6, 2, 4.0, "lost" }, { 1 }, { 5, 1, 20.0, "granted" } }, list)
  end)

  it("gets the seats back of a story that ends or is cancelled", function()
    local list = notes(100, function(s, note)
      local desk = s:resource "desk"
      local function sit(t) t:wait_until(desk:request()) t:wait(2) end
      s:spawn(sit)
      local second = s:spawn(function(t) sit(t) t:wait(50) end)
      s:wait(2.5)
      note(desk.statistics.in_use)
      s:cancel(second)
      note(desk.statistics.in_use)
      s:wait_until(desk:request())
      local waiter = s:spawn(function(t) t:wait_until(desk:request()) end)
      s:wait(1)
      note(desk.statistics.waiting)
      s:cancel(waiter)
      note(desk.statistics.waiting)
    end)
    assert.same({ { 1 }, { 0 }, { 1 }, { 0 } }, list)
  end)

  it("closes a seat that is a to-be-closed variable", function()
    local list = notes(100, function(s, note)
      local desk = s:resource "desk"
      do
        local seat <close> = s:wait_until(desk:request())
        note(desk.statistics.in_use, seat.state)
      end
      note(desk.statistics.in_use)
    end)
    assert.same({ { 1, "granted" }, { 0 } }, list)
  end)

  it("has means weighted with time, as the areas of a drawing", function()
    local _, stories = notes(10, function(s)
      local desk = s:resource { name = "desk", capacity = 1 }
      for i = 1, 3 do -- 4 s each: waits of 0, 4 and 8 - 2, if they came at 0, 0 and 2
        s:spawn(function(t)
          if i == 3 then t:wait(2) end
          local seat <close> = t:wait_until(desk:request())
          t:wait(i == 3 and 1 or 4)
          return seat
        end)
      end
    end)
    local found = stories.queues.desk.statistics
    assert.near((0 + 4 + 6) / 3, found.mean_wait, 1e-12)
    assert.equal(6, found.max_wait)
    assert.near((4 * 1 + 6 * 1) / 10, found.mean_queue, 1e-12)
    assert.equal(2, found.max_queue)
    assert.near(9 / 10, found.utilisation, 1e-12)
  end)

  it("refuses what cannot be", function()
    local function refused(text, fn)
      local sim = saltus.simulator(nothing())
      saltus.stories(sim):spawn(fn)
      local _, message = pcall(sim.advance_to, sim, 1)
      assert.matches(text, message)
    end
    refused("capacity must be a whole number", function(s) s:resource { capacity = 1.5 } end)
    refused("capacity must be a number greater than 0", function(s) s:resource { capacity = 0 } end)
    refused("the name \"desk\" is taken", function(s) s:resource "desk" s:resource "desk" end)
    refused("option \"priority\"", function(s) s:resource():request { priority = 1 } end)
    refused("rank must be a number", function(s) s:resource():request { rank = "high" } end)
    refused("is met already", function(s)
      local seat = s:resource():request()
      s:wait_until(seat)
      s:wait_until(seat)
    end)
  end)
end)

describe("a store", function()
  it("is first in, first out; get waits, and put waits while it is full", function()
    local list = notes(100, function(s, note)
      local box = s:store { name = "box", capacity = 2 }
      s:spawn(function(t)
        for i = 1, 5 do
          box:put(i)
          note("put", i, t.time)
        end
      end)
      s:wait(10)
      for _ = 1, 5 do
        note("got", box:get())
        s:wait(1)
      end
    end)
    assert.same({ { "put", 1, 0.0 }, { "put", 2, 0.0 }, { "got", 1 }, { "put", 3, 10.0 }, { "got", 2 },
      { "put", 4, 11.0 }, { "got", 3 }, { "put", 5, 12.0 }, { "got", 4 }, { "got", 5 } }, list)
  end)

  it("finds an item that matches, and serves others that wait behind", function()
    local list = notes(100, function(s, note)
      local box = s:store()
      s:spawn(function(t) note(box:get { match = function(item) return item == "red" end }, t.time) end)
      s:spawn(function(t) note(box:get(t), t.time) end)
      s:wait(1)
      box:put "blue"
      s:wait(1)
      box:put "red"
    end)
    assert.same({ { "blue", 1.0 }, { "red", 2.0 } }, list)
  end)

  it("gives a request as a condition, with its item; one not chosen is back in front", function()
    local list = notes(100, function(s, note)
      local box = s:store()
      local get = box:request()
      note(s:wait_any { get, 0.5 }, get.item)
      s:spawn(function(t) t:wait(1) box:put "x" t:emit "go" end)
      local again = box:request()
      note(s:wait_any { s:event "go", again })
      note(again.item, #box, box:get())
    end)
    assert.same({ { 2 }, { 1 }, { nil, 1, "x" } }, list)
  end)

  it("fails a get that takes too long", function()
    local sim = saltus.simulator(nothing())
    saltus.stories(sim):spawn(function(s) s:store "box":get { within = 2 } end)
    assert.error_matches(function() sim:advance_to(5) end, "waited 2 s in vain for an item of \"box\"")
  end)
end)

describe("a tank", function()
  it("has a level that get and put change; a large request is not overtaken", function()
    local list = notes(100, function(s, note)
      local fuel = s:tank { name = "fuel", capacity = 100, level = 50 }
      fuel:get(30)
      s:spawn(function(t) fuel:get(60) note("large", t.time, fuel.level) end)
      s:spawn(function(t) fuel:get(10) note("small", t.time, fuel.level) end)
      s:wait(5)
      fuel:put(40)
      s:wait(5)
      fuel:put(70)
      note("put", s.time, fuel.level)
    end)
    assert.same({ { "large", 5.0, 0.0 }, { "put", 10.0, 60.0 }, { "small", 10.0, 60.0 } }, list)
  end)

  it("lets a put wait for room", function()
    local list = notes(100, function(s, note)
      local fuel = s:tank { capacity = 10, level = 8 }
      s:spawn(function(t) fuel:put(t, 5) note(t.time, fuel.level) end)
      s:wait(2)
      fuel:get(s, 4)
    end)
    assert.same({ { 2.0, 9.0 } }, list)
  end)
end)
