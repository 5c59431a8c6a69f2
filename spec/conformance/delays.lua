-- Recorded delays (`saltus-delay-trace`) and delay problems with reference values (`saltus-dde`). Both wait until the
-- engine has delay buffers and the past; then they count by themselves.
local delays = {}

local function number(value)
  if value == "NaN" then return 0 / 0 end
  if value == "Infinity" then return math.huge end
  return value
end

local function list_of(value) return type(value) == "table" and value or { value } end

-- The names under which points and expectations hold an entry: by id, else by position.
local function entry_of(values, key, position)
  if type(values) ~= "table" then return values end
  if values[key] ~= nil then return values[key] end
  return values[position]
end

-- What a probe must return. In a linear mode the recording itself; in the default mode what the documentation
-- promises and the recording gives: both sides of a jump, the curve of the current point, Hermite's, the cubic
-- through four points; before the start, at a point, and while there is only one, all rules agree. Where a delayed
-- time lies beyond the newest point and nothing closes the interval, extending is free.
local agreed = { before_start = true, hit = true, single_point = true }
local function wanted_of(instance, expect, out)
  if instance.linear_only then return out end
  local promised = expect.one_sided or expect.current_hermite or expect.hermite or expect.cubic4
  if promised ~= nil or not agreed[expect.rule] then return promised end
  return expect.linear
end

-- Appends the points and runs the probes of one instance.
local function trace(saltus, set, file, position)
  local instance = file.instances[position]
  local source_position
  for i, source in ipairs(file.sources) do
    if source.id == instance.source then source_position = i end
  end
  local function of_source(values) return entry_of(values, instance.source, source_position) end
  local first = list_of(number(of_source(set.points[1].v)))
  local buffer = saltus.delay_buffer { size = #first, delay = instance.delay, linear_only = instance.linear_only,
    can_use_current = instance.can_use_current }
  local stored = 0
  for n, probe in ipairs(set.probes) do
    while stored < probe.committed do
      stored = stored + 1
      local point = set.points[stored]
      local before = point.before_event
      if before and not instance.linear_only then buffer:append(point.t, of_source(before.v), of_source(before.d)) end
      buffer:append(point.t, of_source(point.v), of_source(point.d))
    end
    local expect = entry_of(probe.expect, instance.id, position)
    local wanted = expect and wanted_of(instance, expect, entry_of(probe.out, instance.id, position))
    if wanted ~= nil and probe.where ~= "start_cached" then
      local got = list_of(buffer:read(probe.t, probe.now and of_source(probe.now)))
      for k, want in ipairs(list_of(wanted)) do
        want = number(want)
        if want == want and math.abs(want - got[k]) > 1e-12 * math.max(1, math.abs(want)) then
          return ("probe %d (%s, %s) at %.17g: expected %.17g, got %.17g"):format(n, probe.where, expect.rule, probe.t,
            want, got[k])
        end
      end
    end
  end
end

function delays.trace_cases(file)
  local cases = {}
  local sets = file.runs or { file }
  for s, set in ipairs(sets) do
    for position, instance in ipairs(file.instances or {}) do
      cases[#cases + 1] = {
        title = ("%s: %s, delay %s%s"):format(file.name or "delay", tostring(instance.id or instance.source),
          tostring(instance.delay), file.runs and (", run %d"):format(s - 1) or ""),
        judge = function(saltus) return trace(saltus, set, file, position) end,
      }
    end
  end
  return cases
end

-- A problem given by its texts: x' = f(t, x, past, rate of the past).
local function told(saltus, file)
  local rhs = load(file.lua.rhs)()
  local history = file.lua.history and load(file.lua.history)()
  local dhistory = file.lua.dhistory and load(file.lua.dhistory)()
  return saltus.system {
    name = "problem",
    z = { { "y", file.initial } },
    past = { y = math.huge },
    history = history and function(t) return { y = history(t) } end,
    history_rate = dhistory and function(t) return { y = dhistory(t) } end,
    derivatives = function(ctx, dot)
      dot.y = rhs(ctx.time, ctx.y, function(i, s) return ctx.past.y:at(s)[i] end,
        function(i, s) return ctx.past_rate.y:at(s)[i] end)
    end,
  }
end

local function is_hybrid(file)
  for _, kind in ipairs(file.kinds or {}) do
    if kind == "hybrid" then return true end
  end
  return false
end

local function far(want, got, tolerance, accuracy)
  return math.abs(want - got) > tolerance * math.max(1, math.abs(want)) + (accuracy or 0)
end

local function compare_events(log, times, tolerance)
  for name, expected in pairs(times) do
    local got = log:times(name)
    for i, want in ipairs(expected) do
      if want < log.time[#log.time] and (not got[i] or far(want, got[i], tolerance)) then
        return ("%s %d: expected at %.15g, got %s"):format(name, i, want, tostring(got[i]))
      end
    end
  end
end

-- Under our own accuracy, at the reference's times; states and events within ten times the accuracy.
local function problem(saltus, file, accuracy)
  local build = is_hybrid(file) and require("conformance.delay_models")[file.title]
  if is_hybrid(file) and not build then return nil, "a hybrid problem that is not built by name here" end
  local system, times
  if build then
    system, times = build(saltus)
  else
    system = told(saltus, file)
  end
  local sim = saltus.simulator(system, { accuracy = accuracy, start_time = file.start })
  local log = saltus.log(sim, { "y" })
  for i, t in ipairs(file.reference.t) do
    sim:advance_to(t + 0.0)
    for k, want in ipairs(list_of(file.reference.y[i])) do
      local got = sim.context.y[k]
      if far(want, got, 10 * accuracy, file.reference.accuracy) then
        return ("accuracy %g: y%d at %.9g: expected %.15g, got %.15g"):format(accuracy, k, t, want, got)
      end
    end
  end
  return times and compare_events(log, times(file), 10 * accuracy)
end

-- The largest error at the reference's times.
function delays.largest_error(saltus, file, accuracy)
  local sim = saltus.simulator(told(saltus, file), { accuracy = accuracy, start_time = file.start })
  local largest = 0
  for i, t in ipairs(file.reference.t) do
    sim:advance_to(t + 0.0)
    for k, want in ipairs(list_of(file.reference.y[i])) do
      largest = math.max(largest, math.abs(want - sim.context.y[k]))
    end
  end
  return largest, sim.stats.derivative_evaluations
end

function delays.problem_cases(file)
  local cases = {}
  for i, accuracy in ipairs { 1e-4, 1e-6, 1e-9 } do
    cases[i] = { title = ("%s, accuracy %g"):format(file.title, accuracy),
      judge = function(saltus) return problem(saltus, file, accuracy) end }
  end
  return cases
end

-- Simbody's ring by itself: the same points, the same lines between and beyond them. Its `earliest` is our delay before
-- the time of appending; what either keeps longer than that is bookkeeping. Nothing is ever put before the oldest point
-- here (`prepend`); where copying begins, the copied buffer held one point.
local function operations(saltus, file)
  local buffer, last = saltus.delay_buffer { linear_only = true }, nil
  for n, op in ipairs(file.ops) do
    if op.op == "append" or op.op == "copy_in_and_update" then
      if op.op ~= last and op.op ~= "append" then
        buffer:clear()
        buffer:append(op.times[1], number(op.queries[1][2]))
      end
      buffer:set_delay(op.t - op.earliest)
      buffer:append(op.t, number(op.v))
      buffer:set_delay(0)
      for _, query in ipairs(op.queries) do
        local want, got = number(query[2]), buffer:read(query[1])
        if math.abs(want - got) > 1e-12 * math.max(1, math.abs(want)) then
          return ("operation %d (%s) at %.17g: expected %.17g, got %.17g"):format(n, op.op, query[1], want, got)
        end
      end
      last = op.op
    end
  end
end

-- The other files about delays and measures.
function delays.other_cases(file)
  return { { title = file.name or file.title or file.format, judge = function(saltus)
    if file.format:find("saltus-delay-buffer", 1, true) then return operations(saltus, file) end
    return nil, ("the format %s is not one of those that are replayed"):format(file.format)
  end } }
end

return delays
