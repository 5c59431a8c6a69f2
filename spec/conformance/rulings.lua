-- Where a ruling of the conformance README changes what a recorded case of drake/ requires, and the check of the better
-- thing. The judge decides by what a case contains; this table pins, for the cases known by name, the values that the
-- better engine gives. Each entry: the rulings' numbers, and a check of the run that returns nil or what is wrong.
local rulings = {}

local function same(what, expected, got, tolerance)
  if type(got) ~= "number" or math.abs(got - expected) > (tolerance or 0) then
    return ("%s: expected %.17g, got %s"):format(what, expected, tostring(got))
  end
end

-- The calls of one event over the whole run.
local function calls(got, id)
  local list = {}
  for _, op in ipairs(got.ops) do
    for _, entry in ipairs(op.log) do
      if entry.event == id then list[#list + 1] = entry end
    end
  end
  return list
end

local function times(id, expected, tolerance)
  return function(got)
    local seen = calls(got, id)
    for i = 1, math.max(#expected, #seen) do
      local what = ("%s %d of %d"):format(id, i, #expected)
      local wrong = same(what, expected[i] or math.huge, seen[i] and seen[i].t, tolerance)
      if wrong then return wrong end
    end
  end
end

local function after(op, name, expected)
  return function(got) return same(("op %d %s"):format(op, name), expected, got.ops[op].after.counters[name]) end
end

local function state(op, sys, prefix, index, expected, tolerance)
  return function(got)
    local value = got.ops[op].after.state[sys][prefix][index]
    return same(("op %d %s %s%d"):format(op, sys, prefix, index), expected, value, tolerance)
  end
end

local function reason(op, expected)
  return function(got)
    local status = got.ops[op].status
    if not status or status.reason ~= expected then
      return ("op %d: expected %s, got %s"):format(op, expected, status and status.reason or got.ops[op].error)
    end
  end
end

local function raises(op, text)
  return function(got)
    local raised = got.ops[op].error
    if not raised then return ("op %d: expected an error"):format(op) end
    if text and not raised:find(text, 1, true) then
      return ("op %d: the error should name %q: %s"):format(op, text, raised)
    end
  end
end

-- The order of calls in one operation, as "event@time" words.
local function order(op, expected)
  return function(got)
    local words = {}
    for i, entry in ipairs(got.ops[op].log) do words[i] = ("%s@%.9g"):format(entry.event, entry.t) end
    local seen = table.concat(words, " ")
    if seen ~= expected then return ("op %d: expected %s, got %s"):format(op, expected, seen) end
  end
end

-- What the calls of an event saw of xd.
local function saw(id, expected)
  return function(got)
    local words = {}
    for i, entry in ipairs(calls(got, id)) do
      local values = {}
      for k, x in ipairs(entry.xd) do values[k] = ("%g"):format(x) end
      words[i] = table.concat(values, ",")
    end
    local seen = table.concat(words, " ")
    if seen ~= expected then return ("%s saw xd %s instead of %s"):format(id, seen, expected) end
  end
end

local function both(...)
  local checks = { ... }
  return function(got)
    for _, check in ipairs(checks) do
      local wrong = check(got)
      if wrong then return wrong end
    end
  end
end

local bounces = { 0.451523640986, 1.173961466563, 1.751911727025, 2.214271935394 }
local function four_bounces(tolerance, at_end)
  return both(times("bounce", bounces, tolerance), state(2, "ball", "xc", 1, 0.11795005967, at_end))
end

rulings.table = {
  ["D03.0"] = { { 6 }, both(after(2, "steps", 33), after(2, "publishes", 34), function(got)
    local log = got.ops[2].log
    for i, entry in ipairs(log) do
      if entry.event == "e3" then
        if entry.t ~= 1.0 and (log[i - 1].event ~= "e0" or log[i - 1].t ~= entry.t) then
          return ("e0 should come first, in one instant with e3 at %.17g"):format(entry.t)
        end
      end
    end
  end, times("e3", { 0.3, 1.0, 1.7 })) },
  ["D03.7"] = { { 6 }, both(times("e0", { 0.3, 0.4, 0.5, 6 * 0.1, 7 * 0.1, 0.8, 0.9 }), after(2, "steps", 7),
    after(2, "discrete_updates", 7)) },
  ["D06.0"] = { { 9 }, both(times("w", {}), after(2, "steps", 80), function(got)
    local count = got.ops[2].after.counters.integrator.integrator_num_derivative_evaluations
    return count and count > 240 and ("at most 240 evaluations, got %d"):format(count) or nil
  end) },
  ["D06.1"] = { { 1 }, both(times("w", { 1.5707913227379324, 7.8539559766650076 }, 1e-6),
    state(2, "plant", "xc", 1, -0.14547851808534412, 1e-5)) },
  ["D06.2"] = { { 1 }, both(times("w", { 4.712373332679269 }, 1e-6),
    state(2, "plant", "xc", 1, -0.14547813463239515, 1e-5)) },
  ["D06.3"] = { { 1 }, both(times("w", { 1.5707913227379324, 4.712373654544354, 7.853955987095824 }, 1e-6),
    state(2, "plant", "xc", 1, -0.1454785433260607, 1e-5)) },
  ["D06.9"] = { { 1 }, both(times("w", { 1.0 }, 1e-12), after(2, "steps", 2)) },
  ["D06.10"] = { { 1, 3 }, both(times("w", { 1.0 }, 1e-12), reason(2, "reached_boundary_time"),
    state(2, "plant", "xc", 1, 1, 1e-9), function(got)
      local ends = {}
      for _, step in ipairs(got.steps) do
        if step.op == 2 then ends[#ends + 1] = step.t end
      end
      -- As recorded up to 0.9781, then a step that ends at w.
      for n, t in ipairs(ends) do
        if math.abs(t - 1.0) <= 1e-12 then return same("the step end before w", 0.9781, ends[n - 1], 1e-9) end
      end
      return "no step ends at 1.0"
    end) },
  ["D06.14"] = { { 1, 4 }, times("w", { 0.55, 0.56 }, 1e-9) },
  ["D07.0"] = { { 1 }, both(times("w1", { 0.3 }, 1e-9), times("w2", { 0.6 }, 1e-9), saw("w1", "0,0"),
    saw("w2", "1,0")) },
  ["D07.1"] = { { 1 }, both(times("w2", { 0.3 }, 1e-9), times("w1", { 0.6 }, 1e-9), saw("w2", "0,0"),
    saw("w1", "0,1")) },
  ["D07.2"] = { { 1 }, both(times("w1", { 0.5 }, 1e-9), times("w2", { 0.5 }, 1e-9),
    after(2, "unrestricted_updates", 1)) },
  ["D07.3"] = { { 1 }, both(times("w1", { 0.5 }, 1e-9), times("w2", { 0.5001 }, 1e-9),
    after(2, "unrestricted_updates", 2)) },
  ["D07.7"] = { { 1 }, order(2, "step@0.3 step@1.3 step@2") },
  ["D07.8"] = { { 1 }, both(order(2, "p@0.5 w@0.5 d@0.5"), times("w", { 0.5 }), saw("d", "1"),
    state(2, "s", "xd", 1, 10)) },
  ["D07.9"] = { { 1 }, both(times("before", { 0.25 }, 1e-12), times("p", { 0.5 }), times("after", { 0.75 }, 1e-12)) },
  ["D07.10"] = { { 1 }, both(times("w", { 0.30000000000000004 }, 1e-15), after(2, "steps", 10),
    after(3, "steps", 20)) },
  ["D08.0"] = { { 1, 5 }, four_bounces(1e-9, 1e-8) },
  ["D08.1"] = { { 1, 5 }, four_bounces(1e-9, 1e-8) },
  ["D08.3"] = { { 1, 5 }, four_bounces(1e-9, 1e-8) },
  ["D08.2"] = { { 9 }, after(2, "steps", 250) },
  ["D08.4"] = { { 1, 5 }, both(raises(2, "bounce"), function(got)
    local count = #calls(got, "bounce")
    return count < 10 and ("expected more than 10 bounces, got %d"):format(count) or nil
  end) },
  ["D08.5"] = { { 5 }, both(raises(2, "bounce"), function(got)
    local seen, t = calls(got, "bounce"), got.ops[2].after.t
    if t < 3.8 or t > 4.1 then return ("accumulation reported at %.9g, expected within [3.8, 4.1]"):format(t) end
    return same("bounce 17", 3.86, seen[17] and seen[17].t, 1e-9)
  end) },
  ["D08.6"] = { { 1, 5 }, both(times("bounce", { bounces[1] }, 1e-9), state(2, "ball", "xc", 1, 0.468004452527, 1e-8),
    state(2, "ball", "xa", 1, 1)) },
  ["D10.3"] = { { 7 }, after(3, "publishes", 2) },
  ["D10.9"] = { { 7 }, both(after(4, "steps", 2), after(4, "publishes", 2), after(4, "unrestricted_updates", 1),
    after(4, "discrete_updates", 1), reason(4, "reached_boundary_time")) },
  ["D10.10"] = { { 7 }, after(3, "unrestricted_updates", 1) },
  ["D10.12"] = { { 7 }, both(raises(4, "d1"), after(4, "unrestricted_updates", 2)) },
  ["D10.13"] = { { 7 }, both(times("d", { 0.5, 1.0, 1.5 }), times("p", { 0.0, 0.5, 1.0, 1.5 }),
    state(4, "s", "xd", 1, 3)) },
  ["D10.14"] = { { 7 }, both(saw("quiet", "0,0 0,1 0,1 0,2"), after(2, "discrete_updates", 2),
    state(2, "s", "xd", 2, 2)) },
  ["D10.18"] = { { 7 }, both(raises(2, "terrible"), function(got) return same("t", 0.875, got.ops[2].after.t) end) },
  ["D14.7"] = { { 8 }, both(raises(1), times("d", { 0.0 }), after(1, "discrete_updates", 1),
    state(1, "plant", "xc", 1, 0.1), function(got)
      local sim = got.sim
      local again = not pcall(sim.advance_to, sim, 1.0)
      if not again then return "the repeated call should give the same error" end
      return #calls(got, "d") ~= 1 and "the repeated call ran `d` again" or nil
    end) },
  ["D15.5"] = { { 1 }, times("w", { 1.0467014 }, 2e-5) },
}

-- D06.5, .6, .7 and D07.4, .5, .6 are alike.
for _, name in ipairs { "D06.5", "D06.6", "D06.7" } do
  rulings.table[name] =
    { { 1 }, order(2, "step@0.25 step@0.5 step@0.75 step@1 step@1.1 w@1.1 step@1.35 step@1.6 step@1.85 step@2") }
end
for _, name in ipairs { "D07.4", "D07.5", "D07.6" } do
  rulings.table[name] = { { 2 }, both(order(2, "step@1 w1@1 w2@1 step@2"), saw("w1", "0,0"), saw("w2", "0,0"),
    state(2, "s", "xd", 1, 1), state(2, "s", "xd", 2, 1), after(2, "unrestricted_updates", 1),
    after(2, "publishes", 3)) }
end

-- The cases that are meant, by a print of what they contain: another folder may hold others under the same number.
rulings.prints = {
  ["D03.0"] = "6ce86f5bf5864169", ["D03.7"] = "f5e880a59816cc4a", ["D06.0"] = "6ab218b9a267dc77",
  ["D06.1"] = "ca3c1f35c5f3640f", ["D06.2"] = "be19d4c7de5c9d2f", ["D06.3"] = "1d1d62f9d57089c7",
  ["D06.5"] = "ba12f4b6448583fe", ["D06.6"] = "9394d67489ebbd35", ["D06.7"] = "232652bcfc14f65d",
  ["D06.9"] = "27254e143be21587", ["D06.10"] = "6ce68b7836556e6d", ["D06.14"] = "1d7e723e5ee0ae3e",
  ["D07.0"] = "3eb5a3f54cdd65d9", ["D07.1"] = "9d503123c2afc039", ["D07.2"] = "570b6be3d8cc9372",
  ["D07.3"] = "a76311c58a58de37", ["D07.4"] = "70658cda6ba82cf7", ["D07.5"] = "943e02fc3fbefc88",
  ["D07.6"] = "23a58d5d4965b850", ["D07.7"] = "73b717a51783e4dd", ["D07.8"] = "0a39b0a9c59cf1ef",
  ["D07.9"] = "9598cdcba09705f4", ["D07.10"] = "cba4f0405b0b63ef", ["D08.0"] = "b4bc59a9ba5a0787",
  ["D08.1"] = "c175cfad82c4aa8f", ["D08.2"] = "dd78fb7b36adfddb", ["D08.3"] = "c29d6b9f599fb434",
  ["D08.4"] = "a7ec7e7712d5ddb6", ["D08.5"] = "44bbdd800815b521", ["D08.6"] = "a1b54e3f8ebd43e5",
  ["D10.3"] = "2b4de0b28edbdd6a", ["D10.9"] = "0f2bc539361e2308", ["D10.10"] = "5d2e8ff518a43ee3",
  ["D10.12"] = "13a62f80ddeecd9f", ["D10.13"] = "b37659064c96d990", ["D10.14"] = "ac0881700d481d52",
  ["D10.18"] = "5f45e4ce103487c1", ["D14.7"] = "e5f5221ec7808277", ["D15.5"] = "3807c8bf216d3443",
}

local function serialize(value, out)
  if type(value) == "table" then
    local keys = {}
    for key in pairs(value) do keys[#keys + 1] = key end
    table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
    for _, key in ipairs(keys) do
      out[#out + 1] = "<" .. tostring(key) .. ">"
      serialize(value[key], out)
    end
  else
    out[#out + 1] = type(value) == "number" and ("%.17g"):format(value) or tostring(value)
  end
  return out
end

-- FNV-1a over the sorted content.
function rulings.print_of(recorded)
  local hash = 0xcbf29ce484222325
  for byte in table.concat(serialize(recorded, {}), ";"):gmatch "." do
    hash = (hash ~ byte:byte()) * 0x100000001b3
  end
  return ("%016x"):format(hash)
end

-- The pinned { numbers, check } of a case, or nil.
function rulings.of(id, recorded)
  local pin = rulings.table[id]
  if not pin or not recorded or rulings.prints[id] ~= rulings.print_of(recorded) then return nil end
  return { numbers = pin[1], check = pin[2] }
end

return rulings
