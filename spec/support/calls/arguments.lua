-- Arguments of random calls, of the world `w` that they are made in: what fits, or whatever a user's slip may give.
local saltus = require "saltus"

local arguments = {}

local long = ("x"):rep(300)

-- Whatever a user's slip may give.
function arguments.anything(w)
  local r = w.random
  local kind = r:integer(1, 26)
  if kind == 1 then return nil end
  if kind <= 3 then return kind == 2 end
  if kind <= 12 then
    return r:pick { 0, 1, -1, 0.5, -0.0, 2, 3, 1e-300, -1e300, 1e300, math.huge, -math.huge, 0 / 0, 1 << 53,
      math.mininteger, math.maxinteger, 2 ^ 31, 1e9 }
  end
  if kind <= 16 then
    return r:pick { "", "x", "a.x", "a", "a.v[2]", "v[3]", "a.v[0]", "b.output", "a..x", ".", "a.x[1]", "time", "no",
      "tick", "a.tick", "a.ask", "b.ask", "\0", "\27[31m", long, "every", "a.mode", "1", "%d %s" }
  end
  if kind <= 20 then
    return r:pick { {}, { 1, 2 }, { 1, 2, 3 }, { "a.x" }, { x = 1 }, { [1.5] = 2 }, { every = 1 }, { {} },
      setmetatable({}, { __index = function() error("planned", 0) end }), { 0 / 0, 1 }, { max_step = "x" } }
  end
  return r:pick { math.type, function() end, coroutine.create(math.type), w.sim or 1, w.sim and w.sim.context or 1,
    w.logs[1] or 1, io.stdout, saltus.did_nothing, saltus.terminate "why", w.system or 1, error }
end

function arguments.one_of(w, list) return w.random:chance(0.7) and w.random:pick(list) or arguments.anything(w) end

local values = { "a.x", "a.v", "a.v[2]", "a.n", "a.mode", "a.rate", "a.out", "a.data", "b.output", "a.u" }
local events = { "a.tick", "a.ask", "a.shout", "a.cross", "a.start", "a.due" }

function arguments.path(w) return arguments.one_of(w, values) end
function arguments.event(w) return arguments.one_of(w, events) end
function arguments.number(w) return arguments.one_of(w, { 0, 0.1, 0.25, 1, 2, 1e-3, -1 }) end

-- Not so far that a run takes long: where a call may be given any number, the run has a limit of steps.
function arguments.later(w)
  local now = w.sim.context.time
  return arguments.one_of(w, { now, now + 0.05, now + 0.3, now + 1, now - 0.5, now + 1e-9 })
end

function arguments.some_file(w)
  return w.random:chance(0.8)
    and w.folder .. "/" .. w.random:pick { "a.csv", "b.svg", "c.html", "d.npz", "no/e.csv", "" }
    or w.random:pick { false, true, 7, {}, math.type }
end

return arguments
