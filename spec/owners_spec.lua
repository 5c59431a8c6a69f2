-- Each part of a simulator has one owner: no other file writes its members. Found in the sources.
local files = require "spec.support.house.files"
local writes = require "spec.support.house.writes"

-- What witnesses read at the ends of a step is set by arming and by step_ends.c, where they cross by the search for
-- crossings; a condition finds both for its finders.
local ENDS = "witness/witness.c witness/step_ends.c witness/condition_search.c witness/witness_snapshot.c"
local CROSSING = "witness/crossing_search.c witness/crossing_list.c witness/locate.c witness/turning_point.c " ..
  "witness/condition_search.c witness/witness_snapshot.c"

-- struct -> the file that writes its members, or both halves of one; where it differs, by member
local owners = {
  sal_simulator = {
    config = "settings.c", integrator = "settings.c", integrator_config = "settings.c", jacobian = "settings.c",
    has_interior_search = "settings.c",
    projection = "constraint/projection.c",
    delay_state = "delay/delay.c",
    journal = "event/journal.c",
    pool = "lifecycle.c", system = "lifecycle.c", plan = "lifecycle.c",
  },
  sal__contexts = "lifecycle.c",
  sal__run_state = "simulator.c",
  sal__derivatives = "derivatives.c",
  sal__derivative_part = "derivatives.c",
  sal__stray_numbers = "stray_numbers.c event/stray_writes.c",
  sal__stray_number = "stray_numbers.c",
  sal__flow_state = "flow.c",
  sal__interrupted_step = "flow.c",
  sal__last_event = "event/instant.c",
  sal__schedule = "event/schedule.c",
  sal__followers = "event/follow.c",
  sal__timer_queue = "event/timer_queue.c",
  sal__timer = "event/timer_queue.c",
  sal__time_heap = "event/time_heap.c event/timer_queue.c event/event_calendar.c",
  sal__event_calendar = "event/event_calendar.c",
  sal__scheduled_event = "event/event_calendar.c",
  sal__dispatch = "event/dispatch.c",
  sal__transaction = "event/transaction.c",
  sal__journal = "event/journal.c",
  sal__witnesses = "witness/witness.c witness/witness_info.c witness/witness_array.c witness/witness_snapshot.c",
  sal__watches = {
    rest = "watch/watch.c watch/watch_snapshot.c",
    witness_block = "witness/witness_array.c", witness_bytes = "witness/witness_array.c",
  },
  sal__watch = "watch/watch.c",
  sal__witness = {
    rest = "witness/witness.c witness/witness_info.c witness/witness_snapshot.c",
    w0 = ENDS, w1 = ENDS, s0 = ENDS, s1 = ENDS, end_unread = ENDS,
    theta = CROSSING, crossing_side = CROSSING, crossing_level = CROSSING, crossing_value = CROSSING,
    has_jumped = CROSSING,
  },
  sal__witness_info = "witness/witness_info.c",
  sal__firings = "witness/zeno.c",
  sal__candidates = "witness/step_ends.c witness/witness_array.c",
  sal__crossings = "witness/crossing_list.c witness/witness_array.c",
  sal__conditions = {
    rest = "witness/condition.c", rounding_until = "witness/condition.c witness/condition_rounding.c",
  },
  sal__condition = {
    rest = "witness/condition.c", turns_at = "witness/condition_search.c", stays = "witness/condition_rounding.c",
    true_at_end = "witness/condition_search.c", changed_at = "witness/condition.c witness/condition_search.c",
    guard_at_end = "witness/condition_search.c",
  },
  sal__result = "report.c",
  sal__past_readers = "delay/past_readers.c",
  sal__discontinuities = "delay/discontinuity.c",
  sal__delay_checkpoint = "delay/delay.c delay/discontinuity.c",
  sal__feeds = "feed.c",
  sal__pacing = "frame/pacing.c",
  sal__frame = "frame/frame.c",
  sal__host = { rest = "simulator_api.c", pacing = "frame/pacing.c", frame = "frame/frame.c",
    watches = "watch/watch.c watch/watch_snapshot.c witness/witness_array.c" },
  sal__warnings = "warnings.c",
}

local function in_engine(file) return (file:gsub("%S+", "src/engine/%0")) end

for struct, owner in pairs(owners) do
  if type(owner) == "string" then
    owners[struct] = in_engine(owner)
  else
    for member, file in pairs(owner) do owner[member] = in_engine(file) end
  end
end

-- Memory that everyone may write to.
local lent = { ["sal__flow_state.scratch"] = true, ["sal__flow_state.rate"] = true, ["sal_simulator.pool"] = true }

local function sources()
  local texts = {}
  for _, path in ipairs(files.below("src", ".c", ".h")) do
    if not files.is_test(path) then texts[path] = files.read(path) end
  end
  return texts
end

-- What a stranger may not do, and may.
local planted = {
  { "sim->run_state.updated = true;", "sal__run_state.updated (=)" },
  { "sim->run_state.total_steps += 2;", "sal__run_state.total_steps (=)" },
  { "sim->run_state.total_steps++;", "sal__run_state.total_steps (=)" },
  { "--sim->run_state.total_steps;", "sal__run_state.total_steps (=)" },
  { "sim->schedule.due[0][1] = 3;", "sal__schedule.due (=)" },
  { "memcpy(sim->transaction.undo, sim->flow.rate, 8);", "sal__transaction.undo (copy)" },
  { "memset(&sim->host.stats, 0, sizeof sim->host.stats);", "sal__host.stats (&)" },
  { "sal__schedule *s = &sim->schedule;", "sal_simulator.schedule (&)" },
  { "take(&sim->flow.instant_steps);", "sal__flow_state.instant_steps (&)" },
  { "const double t = sim->flow.interrupted_step.t0 = 1;", "sal__interrupted_step.t0 (=)" },
  { "list->is_spent = true;", "sal__timer.is_spent (=)" },
  { "sim->flow.scratch = NULL;", "sal__flow_state.scratch (=)" },
  { "sim->flow.scratch[0] = 1;" },
  { "const sal__schedule *s = &sim->schedule;" },
  { "look(&sim->schedule);" },
  { "if (sim->run_state.updated == true) return;" },
  { "sim->contexts.current->time = 2;" },
}

local function plant(own)
  local lines, expected = {}, {}
  for i, case in ipairs(planted) do
    lines[i] = "    " .. case[1]
    if case[2] then expected[#expected + 1] = ("src/engine/planted.c:%d: %s"):format(i + 3, case[2]) end
  end
  own["src/engine/planted.c"] = "void take(int *number);\nvoid look(const sal__schedule *s);\n" ..
    "void plant(sal_simulator *sim, sal__timer *list) {\n" .. table.concat(lines, "\n") .. "\n}\n"
  return table.concat(expected, "\n")
end

describe("the members of a simulator", function()
  local strange, found, expected = {}, {}, nil

  setup(function()
    local own = sources()
    expected = plant(own)
    for _, line in ipairs(writes.foreign(writes.of(own), owners, lent)) do
      table.insert(line:find "^src/engine/planted%.c:" and found or strange, line)
    end
  end)

  it("are written by their owner only", function() assert.equal("", table.concat(strange, "\n")) end)

  it("are watched: a write of any kind by another file is found, and no other use", function()
    assert.equal(expected, table.concat(found, "\n"))
  end)
end)
