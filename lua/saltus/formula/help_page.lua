-- The page of help for formulas.
local help_page = {}

local words = {
  { "x < y, <=, >, >=", "compares numbers: paths, + - * / ^, brackets, functions; the margin is the difference" },
  { "pump == 'off', ~=", "compares a mode, or numbers that only updates change" },
  { "ring", "the name of an event, of the model or of a story: true at its instants" },
  { "fn(x, y)", "a Lua function of `functions`, or abs min max sqrt exp log sin cos tan atan floor ceil; as a "
    .. "condition, it returns a boolean or a margin" },
  { "not p, p and q, p or q, p -> q", "as usual; `->`: if p, then q" },
  { "always[a,b] p", "p holds all the time from a to b seconds from now; without an interval, up to the end" },
  { "eventually[a,b] p", "p holds at some time then; also within[a,b] p" },
  { "never[a,b] p", "always not p" },
  { "p within 0.3", "eventually[0,0.3] p; also p within [0.1, 0.3]" },
  { "p until[a,b] q", "q comes true from a to b seconds from now, and p holds before it" },
  { "p after[a,b] q", "always (q -> always[a,b] p)" },
  { "rise p, fall p", "true at the instants at which p becomes true, or false" },
}

local functions = {
  { "parse(text)", "returns a tree; tostring(tree) is its text" },
  { "condition(words, system, functions)", "returns function(ctx) that returns a margin; no operators of time" },
  { "check(run, words, options)", "checks a log, the result of scenario:run, or a scenario; options: functions, "
    .. "tolerance, pieces" },
  { "monitor(words, sim, functions)", "the truth while a run goes on: m:advance_to(t) ends where it is known; m.holds "
    .. "is true, false or nil, m.time is since when; m:finish() is the verdict if the run ends now" },
  { "always, eventually, never, rise, fall, negation (p, { a, b })", "the same trees by functions" },
  { "implies, holds_until, after (p, q, { a, b })", "the same, of two" },
  { "all(p, ...), any(p, ...)", "joined by and, or" },
}

local results = {
  { "holds", "whether it holds, whatever a longer run would do" },
  { "margin", "by how much it holds; negative: it fails; infinite: modes and events have no degrees" },
  { "time, first", "when the margin is decided, and when it first fails" },
  { "complete, needs, ends", "whether the run was long enough for its intervals, how long it should be, and how long "
    .. "it was" },
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
