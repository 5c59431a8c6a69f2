-- The verbs of stories in words, for the help and the type stubs.
local description = {}

description.verbs = {
  { "wait(seconds)", "lets time pass" },
  { "at(t)", "waits until the time t" },
  { "every(seconds)", "for t in s:every(0.5) do: at each multiple from now" },
  { "wait_until(condition, options)", "goes on when it is met, at once if it is met already; returns its value; "
    .. "{ within = 5 }: the run fails after so many seconds" },
  { "wait_event(name, options)", "waits for an event of the model, or one that a story emits; returns the data of "
    .. "emit" },
  { "wait_any(conditions, options)", "waits for the first one; returns its index, the lowest of those at one instant, "
    .. "and its value" },
  { "wait_all(conditions, options)", "waits until each has been met once" },
  { "event(name)", "an event as a condition, for wait_any and wait_all" },
  { "spawn(name, fn, ...)", "another story: fn(s, run, ...) begins at this instant; the name may be left out" },
  { "cancel(story)", "ends a story where it waits; false if it had ended" },
  { "emit(name, data)", "wakes the stories that wait for the event; one of the model with at = \"demand\" runs with "
    .. "the updates of this instant" },
  { "name()", "the name of the story" },
  { "ramp(input, value, options)", "moves an input on a straight line, { over = 5 } seconds, and waits for its end" },
  { "expect(holds, text)", "fails the run unless a value is true, or a condition is met now" },
  { "stop(why)", "ends the run; the next advance goes on after it" },
  { "read(fn, ...)", "calls a function that reads something outside of the run" },
  { "random()", "uniform in (0, 1), from a stream of this story" },
  { "exponential(mean)", "exponentially distributed" },
  { "normal(mean, sd)", "normally distributed" },
  { "uniform(a, b)", "uniform between a and b" },
  { "integer(a, b)", "a whole number from a to b" },
  { "resource(options)", "seats to request: { name = \"desk\", capacity = 2 }" },
  { "store(options)", "items to put and get: { name = \"box\", capacity = 10 }" },
  { "tank(options)", "an amount to put and get: { name = \"fuel\", capacity = 200, level = 50 }" },
}

description.conditions = {
  { "\"level < 1\"", "words over the run, also over the parts of a diagram" },
  { "function(run) return margin end", "met where the margin is not negative" },
  { "30", "seconds from now" },
  { "s:event \"ring\"", "an event" },
  { "a story", "its end" },
  { "desk:request { rank = 1, preempt = true }", "a seat, which is the value; the lowest rank is served first; "
    .. "preempt: takes the seat of a higher rank" },
  { "seat:lost()", "another story took the seat" },
  { "box:request { match = fn }", "an item of a store; box:offer(item): room for it" },
  { "fuel:request(30)", "an amount of a tank; fuel:offer(30): room for it" },
}

description.things = {
  { "desk:take { rank = 1, within = 5 }", "waits for a seat, and returns it" },
  { "seat:release()", "gives the seat back; the end of its story does too" },
  { "box:put(item), box:get { within = 5 }", "wait where they must; the same for fuel:put(50), fuel:get(30)" },
  { "desk.statistics", "requests, served, left, waiting, mean_wait, max_wait, mean_queue, max_queue, in_use, mean_use, "
    .. "utilisation; of a store items, mean_items; of a tank level, mean_level" },
  { "stories:parked()", "the stories that wait: name, line, what for, margin now" },
  { "stories.queues.desk", "a resource, store or tank by name" },
}

description.example = [[
local tank = saltus.system { name = "tank", z = { { "level", 2 } }, inputs = { { "inflow", 0.1 } },
  derivatives = function(ctx, dot) dot.level = ctx.inflow - 0.2 end,
  events = { { name = "low", witness = function(ctx) return ctx.level - 1 end, direction = "falling" } } }
return saltus.scenario { system = tank, duration = 60,
  story = function(s, tank)
    s:wait(2)
    tank.inflow = 0
    s:wait_event("low", { within = 10 })
    s:ramp("inflow", 0.3, { over = 5 })
    s:stop "done"
  end }]]

-- The page of help.
function description.page()
  return "what happens in a run, in order",
    { text = "A scenario's field story is function(s, run): run is read and written by path, s has these verbs. "
      .. "saltus.stories(sim):spawn(fn) adds a story to a simulator." },
    { title = "Verbs, as s:wait(2):", rows = description.verbs },
    { title = "Conditions:", rows = description.conditions },
    { title = "Shared things:", rows = description.things },
    { text = "At one instant publishes run first, then the stories that are due, which read the state before the "
      .. "updates; then the updates, which see what stories wrote; then the stories that events woke, which read the "
      .. "state after them." },
    { example = description.example }
end

return description
