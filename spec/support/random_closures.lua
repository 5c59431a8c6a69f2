-- Random systems as source text, whose closures calculate: with branches, loops, helper functions, lists, modes, and
-- upvalues and tables that an event changes in mid-run. The text, loaded, returns a definition for saltus.system, of
-- input `a` and output `o`.
local Writer = {}
Writer.__index = Writer

local leaves = { "ctx.w", "ctx.u[2]", "ctx.k", "ctx.m[1]", "ctx.n", "ctx.time", "ctx.o", "ctx.both[1]", "gain",
  "box.at", "box.deep.er", "box.deep[2]", "count", "0", "1", "2", "-3", "7", "0.5", "-1.25", "3.0", "#ctx.u",
  "math.pi", "lists[3]", "ctx.a", "ctx.a" }

-- ---- expressions ----

function Writer:number()
  if self.r:chance(0.1) then return "4503599627370497" end -- twice as much is no double any more
  return self.r:chance(0.5) and tostring(self.r:integer(-4, 9)) or ("%.17g"):format(self.r:real() * 4 - 2)
end

function Writer:leaf()
  if #self.names > 0 and self.r:chance(0.6) then return self.r:pick(self.names) end
  if self.r:chance(0.1) then return self:number() end
  local leaf = self.r:pick(leaves)
  return self.kind == "output" and leaf:find "ctx%.[ob]" and "ctx.w" or leaf
end

function Writer:operand(depth) return depth <= 0 and self:leaf() or self:expression(depth - 1) end

-- Never 0: most runs would end in NaN.
function Writer:safe(depth) return ("(math.abs(%s) + 0.5)"):format(self:operand(depth)) end

local makers = {
  function(w, d) return ("(%s %s %s)"):format(w:operand(d), w.r:pick { "+", "-", "*" }, w:operand(d)) end,
  function(w, d) return ("(%s %s %s)"):format(w:operand(d), w.r:pick { "+", "-", "*" }, w:operand(d)) end,
  function(w, d) return ("(%s %s %s)"):format(w:operand(d), w.r:pick { "/", "%", "//" }, w:safe(d)) end,
  function(w, d) return ("(%s %s %d)"):format(w:operand(d), w.r:pick { "/", "%", "//" }, w.r:pick { -3, -1, 2, 5 }) end,
  function(w, d) return ("(%s ^ %s)"):format(w:safe(d), w.r:pick { "2", "0.5", "3", "-1" }) end,
  function(w, d) return ("(- %s)"):format(w:operand(d)) end,
  function(w, d)
    return ("math.%s(%s)"):format(w.r:pick { "sin", "cos", "abs", "floor", "ceil", "atan" }, w:operand(d))
  end,
  function(w, d) return ("%s(%s, %s)"):format(w.r:pick { "math.max", "math.min" }, w:operand(d), w:operand(d)) end,
  function(w, d) return ("(%s and %s or %s)"):format(w:condition(1), w:operand(d), w:operand(d)) end,
  function(w, d) return ("(%s or %s)"):format(w.r:pick { "box.none", "box.at", "gain" }, w:operand(d)) end,
  function(w, d) return ("helper(%s, %s)"):format(w:operand(d), w:operand(d)) end,
  function(w, d) return ("apply(%s, %s)"):format(w.r:pick { "helper", "math.max", "law" }, w:operand(d)) end,
  function(w, d)
    local how = w.looping and "math.max(%s, %s, %s)" or "third({ %s, %s, %s })"
    return how:format(w:operand(0), w:operand(d), w:leaf())
  end,
  function(w) -- now and then an element that there is not
    return ("ctx.u[math.floor(%s) %% %d + 1]"):format(w:operand(0), w.r:chance(0.03) and 4 or 3)
  end,
}

function Writer:expression(depth) return self.r:pick(makers)(self, depth) end

local orders = { "<", "<=", "==", "~=", ">", ">=" }
local flags = { "flag", "not flag", "box", "box.none", "box.flag", "not box.none", "box.none == nil" }

local tests = {
  function(w) return ("%s %s %s"):format(w:operand(1), w.r:pick(orders), w:operand(1)) end,
  function(w) return ("%s %s %d"):format(w:operand(1), w.r:pick(orders), w.r:integer(-2, 5)) end,
  function(w) return ("ctx.mode %s %q"):format(w.r:pick { "==", "~=" }, w.r:pick { "on", "off" }) end,
  function(w) return w.r:pick(flags) end,
}

function Writer:condition(depth)
  if depth <= 0 or self.r:chance(0.5) then return self.r:pick(tests)(self) end
  local how = self.r:integer(1, 3)
  if how == 1 then return ("not (%s)"):format(self:condition(depth - 1)) end
  return ("(%s %s %s)"):format(self:condition(depth - 1), how == 2 and "and" or "or", self:condition(depth - 1))
end

-- ---- statements ----

function Writer:fresh()
  self.fresh_names = self.fresh_names + 1
  return "v" .. self.fresh_names
end

function Writer:line(text, ...) self.lines[#self.lines + 1] = text:format(...) end

-- Names declared within are gone afterwards.
function Writer:block(depth, inside)
  local names, own = self.names, {}
  for i, name in ipairs(names) do own[i] = name end
  self.names = own
  for _ = 1, self.r:integer(1, 2) do self:statement(depth - 1, inside) end
  self.names = names
end

local statements = {}

function statements.declare(w, depth)
  local name = w:fresh()
  w:line("local %s = %s", name, w:expression(depth))
  w.names[#w.names + 1] = name
end

function statements.pair(w)
  local a, b = w:fresh(), w:fresh()
  w:line("local %s, %s = pair(%s, %s)", a, b, w:operand(1), w:operand(0))
  w.names[#w.names + 1], w.names[#w.names + 2] = a, b
end

function statements.assign(w, depth)
  if #w.names == 0 then return statements.declare(w, depth) end
  w:line("%s = %s", w.r:pick(w.names), w:expression(depth))
end

function statements.branch(w, depth, inside)
  w:line("if %s then", w:condition(2))
  w:block(depth, inside)
  if w.r:chance(0.3) then
    w:line("elseif %s then", w:condition(1))
    w:block(depth, inside)
  end
  if w.r:chance(0.6) then
    w:line "else"
    w:block(depth, inside)
  end
  w:line "end"
end

statements["for"] = function(w, depth)
  local name, label = w:fresh(), w:fresh()
  local from = w.r:pick { "1", "0", "3", "1.0", "-0.5", tostring(w.r:integer(-4, 4)) }
  local to = w.r:pick { "3", "2.5", "#ctx.u", "-1", "ctx.n % 4" }
  w:line("for %s = %s, %s%s do do", name, from, to, w.r:pick { "", "", ", -1", ", 2" })
  w.names[#w.names + 1] = name
  w:block(depth, label)
  w:line("end ::%s:: end", label)
  table.remove(w.names)
end

statements["while"] = function(w, depth)
  local name, label = w:fresh(), w:fresh()
  w:line("local %s = %s", name, w.r:pick { "0", "0.0", "1", "math.sin(ctx.w)" })
  w:line("while %s < %s do %s = %s + %s do", name, w.r:pick { "3", "4.5", "math.abs(gain) % 3" }, name, name,
    w.r:pick { "1", "0.75", "2" })
  w:block(depth, label)
  w:line("end ::%s:: end", label)
  w.names[#w.names + 1] = name
end

function statements.list(w)
  local name, value = w:fresh(), w:fresh()
  if w.looping then return statements.declare(w, 1) end
  w:line("local %s = { %s, %s, %s }", name, w:expression(1), w:operand(0), w:expression(1))
  w:line("local %s = %s[%d] + %s[#%s]", value, name, w.r:integer(1, 3), name, name)
  w.names[#w.names + 1] = value
end

function statements.leave(w, depth, inside)
  if not inside then return statements.assign(w, depth) end
  w:line("if %s then %s end", w:condition(1), w.r:chance(0.5) and "break" or "goto " .. inside)
end

local kinds_of = { "declare", "pair", "assign", "assign", "branch", "branch", "for", "while", "list", "leave" }

function Writer:statement(depth, inside)
  local kind = self.r:pick(kinds_of)
  if depth <= 0 and (kind == "branch" or kind == "for" or kind == "while") then kind = "assign" end
  local looping = self.looping
  self.looping = looping or kind == "for" or kind == "while"
  statements[kind](self, depth, inside)
  self.looping = looping
end

-- ---- closures ----

local function closure(r, kind, head, finish)
  local w = setmetatable({ r = r, kind = kind, names = {}, lines = {}, fresh_names = 0 }, Writer)
  for _ = 1, r:integer(1, 4) do w:statement(2) end
  finish(w)
  return ("function(%s)\n%s\nend"):format(head, table.concat(w.lines, "\n"))
end

local function derivatives(r)
  return closure(r, "derivatives", "ctx, dot", function(w)
    local how = r:integer(1, 3)
    if how == 1 then
      w:line("dot.u = { math.sin(%s), 0.5, math.cos(%s) }", w:expression(1), w:operand(1))
    elseif how == 2 then
      w:line("for j = 1, 3 do dot.u[j] = math.sin(%s) * j end", w:expression(1))
    else
      w:line("dot.u[1], dot.u[2] = math.sin(%s), 1", w:expression(1))
      w:line("if %s then dot.u[3] = 0 else dot.u[3] = dot.u[1] * 0.5 end", w:condition(1))
    end
    w:line("dot.w = math.cos(%s)", w:expression(2))
  end)
end

local function answer(r, kind, size)
  return closure(r, kind, "ctx", function(w)
    if w.r:chance(0.4) then
      w:line("if %s then return %s end", w:condition(1), size and "{ 0.5, 1 }" or w:operand(0))
    end
    w:line(size and "return { %s, math.sin(%s) }" or "return %s", w:expression(1), w:expression(1))
  end)
end

local function guard(r)
  return closure(r, "when", "ctx", function(w) w:line("return %s", w:condition(2)) end)
end

local function update(r, may)
  return closure(r, "update", "ctx, next, event", function(w)
    w:line("next.n = (event.count + math.floor(%s)) %% 5", w:expression(1))
    if r:chance(0.5) then w:line("if %s then next.n = next.n * 0.5 + ctx.n end", w:condition(1)) end
    w:line("next.mode = %s and %s or %q", w:condition(1), r:pick { "\"off\"", "\"on\"" }, r:pick { "on", "off" })
    if may == "discrete" then return end
    w:line("next.u[%s] = math.sin(%s)", r:pick { "1", "2", "event.count % 3 + 1" }, w:expression(1))
    if r:chance(0.5) then w:line("next.w = next.u[1] - next.w * 0.5") end
    if r:chance(0.3) then w:line("if %s then next.k = math.cos(%s) end", w:condition(1), w:expression(1)) end
  end)
end

local frame = [[
local gain, count, flag, lists = %s, 2, true, { 1.5, 2, -3 }
local box = { at = 1, flag = false, deep = { er = 0.25, 4 } }
box.deep[2] = 3
local function helper(a, b) if a > (b or 0) then return a - (b or 0.5) end return a * 0.5 end
local function pair(a, b) if a < b then return b, a end return a + 1, b end
local function apply(f, x) return f(x, x * 0.5) end
local function law(x) return x * gain end
local function third(list) return list[3] + #list * list[1] end
local function change(ctx)
  gain, count, flag = gain + 0.25, count + 1, not flag
  box.at, box.deep.er = box.at - 0.5, -box.deep.er
  if count == 4 then box = { at = 2.5, deep = { er = 1, 6, 7 } } end
  if count == 5 then box.none = 3.5 end
  if count == 6 then box.none, lists = nil, { 0, 0, 0.75 } end
  if count == 7 then law = function(x) return gain - x end end
end
return { name = "s", z = { { "u", { 0.5, -1.25, 2 } }, { "w", 0.75 } }, params = { k = 1.5, { "m", { 2, 3 } } },
  discrete = { { "mode", "on", values = { "on", "off" } }, { "n", 3 } }, inputs = { { "a", 0.75 } },
  outputs = { { "o", %s }, { "both", %s, size = 2 } },
  derivatives = %s,
  events = {
    { name = "change", every = 0.26, offset = 0.26, publish = change },
    { name = "pass", witness = %s, unrestricted_update = %s },
    { name = "tick", every = 0.01, when = %s, discrete_update = %s },
    { name = "tock", every = 0.015, unrestricted_update = %s },
  } }]]

return function(r)
  return frame:format(("%.17g"):format(r:real() * 4 - 2), answer(r, "output"), answer(r, "output", 2), derivatives(r),
    answer(r, "witness"), update(r), guard(r), update(r, "discrete"), update(r))
end
