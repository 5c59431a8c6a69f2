-- The verbs of stories in words, for the help and the type stubs.
local description = {}

description.verbs = {
  { "wait(seconds)", "lets time pass" },
  { "at(t)", "waits until the time t" },
  { "every(seconds)", "for t in s:every(0.5) do: at each multiple of 0.5 s from now" },
  { "wait_until(condition, options)", "waits until it is met, not at all if it is met already; returns its value; "
    .. "{ within = 5 }: the run fails if it is not met within 5 s" },
  { "wait_event(name, options)", "waits for an event of the model, or one that a story emits; returns the data of "
    .. "emit" },
  { "wait_any(conditions, options)", "waits for the first one that is met; returns its index and its value; the lowest "
    .. "index, if several are met at one instant" },
  { "wait_all(conditions, options)", "waits until each has been met once" },
  { "event(name)", "an event as a condition, for wait_any and wait_all" },
  { "spawn(name, fn, ...)", "starts another story at this instant: fn(s, run, ...); the name may be left out" },
  { "cancel(story)", "ends a story where it waits; returns false if it had ended" },
  { "emit(name, data)", "wakes the stories that wait for the event; an event of the model with this name and "
    .. "at = \"demand\" runs with the updates of this instant" },
  { "name()", "the name of the story" },
  { "ramp(input, value, options)", "moves an input on a straight line, { over = 5 } seconds, and waits for its end" },
  { "expect(holds, text)", "fails the run unless a value is true, or a condition is met now" },
  { "stop(why)", "ends the run; the next advance continues it" },
  { "read(fn, ...)", "calls a function that reads something outside of the run, and records its result for loads" },
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
  { "\"level < 1\"", "words; names are paths in the run, as \"plant.level\" in a diagram" },
  { "function(run) return margin end", "met where the margin is not negative" },
  { "30", "this number of seconds from now" },
  { "s:event \"ring\"", "an event" },
  { "a story", "its end" },
  { "desk:request { rank = 1, preempt = true }", "a seat, which is also the value; the lowest rank is served first; "
    .. "preempt: may take the seat of a higher rank" },
  { "seat:lost()", "another story took the seat" },
  { "box:request { match = fn }", "an item of a store; box:offer(item): room for it" },
  { "fuel:request(30)", "an amount of a tank; fuel:offer(30): room for it" },
}

description.things = {
  { "desk:take { rank = 1, within = 5 }", "waits for a seat, and returns it" },
  { "seat:release()", "gives the seat back; the end of its story does too" },
  { "box:put(item), box:get { within = 5 }", "wait for room, or for an item; likewise fuel:put(50), fuel:get(30)" },
  { "desk.statistics", "requests, served, left, waiting, mean_wait, max_wait, mean_queue, max_queue, in_use, mean_use, "
    .. "utilisation; of a store also items, mean_items; of a tank also level, mean_level" },
  { "stories:parked()", "lists the stories that wait: name, line, what each waits for, its margin now" },
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
    { text = "The field story of a scenario is a function(s, run). s has the verbs below; run is the context, read and "
      .. "written by path. saltus.stories(sim):spawn(fn) adds a story to a simulator." },
    { title = "Verbs, as s:wait(2):", rows = description.verbs },
    { title = "Conditions:", rows = description.conditions },
    { title = "Shared things:", rows = description.things },
    { text = "At one instant publishes run first. Then the stories that are due run; they read the state before the "
      .. "updates. Then the updates run; they read what the stories wrote. Last, the stories run that the updates "
      .. "woke; they read the state after the updates." },
    { example = description.example }
end

return description
