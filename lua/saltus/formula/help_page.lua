-- The page of help for formulas.
local help_page = {}

local words = {
  { "x < y, <=, >, >=", "compares numbers: paths, + - * / ^, brackets, functions; the margin is the difference" },
  { "pump == 'off', ~=", "compares modes, or numbers that only updates change" },
  { "ring", "the name of an event: true at each instant at which it fires, or at which a story emits it" },
  { "fn(x, y)", "a Lua function of `functions`, or abs min max sqrt exp log sin cos tan atan floor ceil; as a "
    .. "condition, it returns a boolean or a margin" },
  { "not p, p and q, p or q, p -> q", "as usual; `->`: if p, then q" },
  { "always[a,b] p", "p holds all the time from a to b seconds from now; without an interval, from now to the end of "
    .. "the run" },
  { "eventually[a,b] p", "p holds at some time then; also within[a,b] p" },
  { "never[a,b] p", "always not p" },
  { "p within 0.3", "eventually[0,0.3] p; also p within [0.1, 0.3]" },
  { "p until[a,b] q", "q becomes true between a and b seconds from now, and p holds until then" },
  { "p after[a,b] q", "always (q -> always[a,b] p)" },
  { "rise p, fall p", "true at each instant at which p becomes true; at which it becomes false" },
}

local functions = {
  { "parse(text)", "returns a tree; tostring(tree) is its text" },
  { "condition(words, system, functions)", "returns function(ctx) that returns a margin; no operators of time" },
  { "check(run, words, options)", "checks a log, the result of scenario:run, or a scenario; options: functions, "
    .. "tolerance, pieces" },
  { "monitor(words, sim, functions)", "evaluates a formula during a run: m:advance_to(t) ends as soon as the verdict "
    .. "is certain; m.holds is true, false or nil, m.time the time of the verdict; m:finish() returns the verdict if "
    .. "the run ends now" },
  { "always, eventually, never, rise, fall, negation (p, { a, b })", "build trees of one operand" },
  { "implies, holds_until, after (p, q, { a, b })", "build trees of two operands" },
  { "all(p, ...), any(p, ...)", "join operands by and, or" },
}

local results = {
  { "holds", "whether it holds, whatever a longer run would do" },
  { "margin", "by how much it holds; negative: it fails; infinite: modes and events have no degrees" },
  { "time, first", "the time at which the margin is smallest, and the time of the first failure" },
  { "complete, needs, ends", "whether the run was long enough for its intervals, the time up to which it should run, "
    .. "and the time at which it ended" },
  { "text", "the explanation: each term that decides, its time and its margin" },
  { "term, values", "the last of these terms, and the values there: { { name =, value = }, ... }" },
}

local example = [[
local ball = saltus.system { name = "ball", q = { { "height", 1 } }, v = { "speed" },
  derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, -9.81 end }
local falls = saltus.scenario { system = ball, duration = 1 }
local result = saltus.formula.check(falls, "always[0,0.5] height > 0 or speed < -4")
print(result.holds, result.margin)
print(result.text)]]

function help_page.page()
  return "conditions in words, over one instant or a whole run",
    { title = "Words:", rows = words },
    { text = "From the weakest: ->, or, and, until and after, not and the operators of time, within, rise and fall, "
      .. "comparisons. Times are in seconds; inf is an end that is open." },
    { title = "Functions, as saltus.formula.check(run, \"always height > 0\"):", rows = functions },
    { title = "The result of a check:", rows = results },
    { text = "A check reads steps with what is between them, and both sides of each jump. It needs a log without "
      .. "every; a scenario is run with the log that it needs." },
    { text = "expects = { \"always height < 2\", functions = { } } in a scenario, and `saltus run --expect WORDS`, "
      .. "fail a run in which a formula does not hold; the run goes on to its end, and the failure is printed when it "
      .. "is known. `--until WORDS` ends a run where one becomes true." },
    { example = example }
end

return help_page
