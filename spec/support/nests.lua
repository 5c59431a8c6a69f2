-- Random models of several parts, built twice: as diagrams in diagrams, and flat, with the same parts in the same
-- order. Wires that leave a diagram go through what it exports.
local saltus = require "saltus"
local random = require "spec.support.random"

local nests = {}

-- ---- schemes ----

local triggers = { "every", "every", "witness", "witness", "step", "initialization", "next_time" }
local kinds = { "discrete_update", "unrestricted_update", "publish" }

local function random_event(r, i)
  return { name = "e" .. i, trigger = r:pick(triggers), kind = r:pick(kinds), every = r:integer(1, 8) / 16,
    offset = r:integer(0, 4) / 16, level = r:integer(-4, 4) / 4, a = r:integer(-3, 3), noisy = r:chance(0.3),
    guarded = r:chance(0.2) }
end

local function random_leaf(r, i)
  local leaf = { name = "p" .. i, x = r:chance(0.7) and r:integer(-8, 8) / 8 or nil, rate = r:integer(-8, 8) / 8,
    size = r:pick { 1, 1, 3 }, through = r:chance(0.5), n = r:integer(0, 5), events = {} }
  for k = 1, r:integer(0, 3) do leaf.events[k] = random_event(r, k) end
  return leaf
end

-- Neighbours are put together, again and again: a tree with ordered leaves.
local function random_tree(r, first, last, depth)
  local tree, i = {}, first
  while i <= last do
    local width = depth > 0 and r:chance(0.6) and r:integer(1, last - i + 1) or 0
    if width > 0 then
      tree[#tree + 1] = random_tree(r, i, i + width - 1, depth - 1)
      i = i + width
    else
      tree[#tree + 1] = i
      i = i + 1
    end
  end
  return tree
end

-- An output that lets its input through feeds later parts only, so that there is no loop.
local function random_wires(r, leaves)
  local wires, fed = {}, {}
  for _ = 1, r:integer(0, 2 * #leaves) do
    local from, to, port = r:integer(1, #leaves), r:integer(1, #leaves), r:pick { "u", "w" }
    local sound = leaves[from].size == leaves[to].size or port == "w"
    local output = port == "w" and "sum" or "y"
    if sound and not fed[to .. port] and (not leaves[from].through or from < to) then
      fed[to .. port] = true
      wires[#wires + 1] = { from = from, output = output, to = to, port = port }
    end
  end
  return wires
end

function nests.random(seed)
  local r = random.new(seed)
  local scheme = { seed = seed, leaves = {}, stop = r:integer(4, 24) / 8, fixed = r:chance(0.3) }
  for i = 1, r:integer(1, 7) do scheme.leaves[i] = random_leaf(r, i) end
  scheme.tree = random_tree(r, 1, #scheme.leaves, 3)
  scheme.wires = random_wires(r, scheme.leaves)
  return scheme
end

-- ---- systems ----

local function handler_of(leaf, e)
  return function(ctx, next)
    if e.kind == "publish" then return end
    next.n = (ctx.n + e.a + next.n) % 101
    if e.noisy then next.noise = next.random() end
    if e.trigger == "next_time" then next.alarm = ctx.time + e.every end
    if e.kind == "unrestricted_update" and leaf.x then next.x[1] = 0.5 * ctx.x[1] + ctx.w / 16 end
    if e.kind == "unrestricted_update" then next.gain = 1 + ctx.n % 3 end
  end
end

local function event_of(leaf, e)
  local spec = { name = e.name, [e.kind] = handler_of(leaf, e) }
  if e.trigger == "every" then
    spec.every, spec.offset = e.every, e.offset
  elseif e.trigger == "witness" then
    spec.witness = function(ctx) return (leaf.x and ctx.x[1] or ctx.time - 1) + ctx.u[1] / 8 - e.level end
  elseif e.trigger == "next_time" then
    spec.next_time = "alarm"
  else
    spec.at = e.trigger
  end
  if e.guarded then spec.when = function(ctx) return ctx.n % 2 == 0 end end
  return spec
end

local function zeros(size)
  local list = {}
  for i = 1, size do list[i] = 0 end
  return list
end

local function system_of(leaf)
  local def = { name = leaf.name, inputs = { { "u", zeros(leaf.size) }, { "w", 0.25 } }, params = { gain = 1 },
    discrete = { { "n", leaf.n }, "noise", { "alarm", 0.5 } }, events = {} }
  local function element(ctx, i)
    return (leaf.x and ctx.x[i] or ctx.n / 7) + (leaf.through and ctx.gain * ctx.u[i] / 3 or 0)
  end
  def.outputs = {
    { "y", function(ctx)
      local y = {}
      for i = 1, leaf.size do y[i] = element(ctx, i) end
      return y
    end, size = leaf.size },
    sum = function(ctx) return element(ctx, 1) + ctx.noise + (leaf.through and ctx.w or 0) end,
  }
  if leaf.size == 1 then def.outputs[1] = { "y", function(ctx) return element(ctx, 1) end } end
  if leaf.x then
    local start = zeros(leaf.size)
    start[1] = leaf.x
    def.z = { { "x", start } }
    def.derivatives = function(ctx, dot)
      for i = 1, leaf.size do dot.x[i] = leaf.rate * ctx.u[i] - ctx.gain * ctx.x[i] / 2 + ctx.w * ctx.time end
    end
  end
  for i, e in ipairs(leaf.events) do def.events[i] = event_of(leaf, e) end
  return saltus.system(def)
end

-- ---- diagrams ----

-- node: { parts = { { name =, leaf = | node = } }, holds = set of leaves, exports, wires = lists }
local function grow(tree)
  local node = { parts = {}, holds = {}, exports = {}, wires = {} }
  for k, branch in ipairs(tree) do
    local inner = type(branch) == "table" and grow(branch)
    node.parts[k] = inner and { name = "d" .. k, node = inner } or { name = "p" .. branch, leaf = branch }
    for leaf in pairs(inner and inner.holds or { [branch] = true }) do node.holds[leaf] = true end
  end
  return node
end

-- The part of a node in which a leaf is.
local function part_with(node, leaf)
  for _, part in ipairs(node.parts) do
    if part.leaf == leaf or part.node and part.node.holds[leaf] then return part end
  end
end

local function export_name(leaf, port) return ("p%d_%s"):format(leaf, port) end

-- What a node calls the port of a leaf in it.
local function path_in(node, leaf, port)
  local part = part_with(node, leaf)
  return part.name .. "." .. (part.node and export_name(leaf, port) or port)
end

local function note_export(node, leaf, port, side)
  for _, e in ipairs(node.exports) do
    if e.leaf == leaf and e.port == port then return end
  end
  table.insert(node.exports, { leaf = leaf, port = port, side = side })
end

-- The wire belongs to the innermost node that holds both ends; on the way down to them it is exported.
local function lay(node, wire)
  local from, to = part_with(node, wire.from), part_with(node, wire.to)
  if from == to and from.node then return lay(from.node, wire) end
  table.insert(node.wires, wire)
  for _, e in ipairs { { from, wire.from, wire.output, "output" }, { to, wire.to, wire.port, "input" } } do
    local part = e[1]
    while part.node do
      note_export(part.node, e[2], e[3], e[4])
      part = part_with(part.node, e[2])
    end
  end
end

local function assemble(node, name, systems)
  local d = saltus.diagram(name)
  for _, part in ipairs(node.parts) do
    d:add(part.node and assemble(part.node, part.name, systems) or systems[part.leaf], part.name)
  end
  for _, w in ipairs(node.wires) do d:connect(path_in(node, w.from, w.output), path_in(node, w.to, w.port)) end
  for _, e in ipairs(node.exports) do
    local name_out, path = export_name(e.leaf, e.port), path_in(node, e.leaf, e.port)
    if e.side == "input" then d:export_input(name_out, path) else d:export_output(path, name_out) end
  end
  return d
end

local function systems_of(scheme)
  local systems = {}
  for i, leaf in ipairs(scheme.leaves) do systems[i] = system_of(leaf) end
  return systems
end

local function find_paths(node, prefix, paths)
  for _, part in ipairs(node.parts) do
    if part.node then find_paths(part.node, prefix .. part.name .. ".", paths)
    else paths[part.leaf] = prefix .. part.name end
  end
  return paths
end

-- A diagram, and the paths of its leaves.
function nests.nested(scheme)
  local root = grow(scheme.tree)
  for _, wire in ipairs(scheme.wires) do lay(root, wire) end
  return assemble(root, "nested", systems_of(scheme)), find_paths(root, "", {})
end

function nests.flat(scheme)
  local d, paths = saltus.diagram "flat", {}
  for i, system in ipairs(systems_of(scheme)) do paths[i] = d:add(system) end
  for _, w in ipairs(scheme.wires) do
    d:connect(("p%d.%s"):format(w.from, w.output), ("p%d.%s"):format(w.to, w.port))
  end
  return d, paths
end

-- ---- runs ----

local function names_of(scheme, paths)
  local list = {}
  for i, leaf in ipairs(scheme.leaves) do
    for _, name in ipairs { "n", "noise", "y", "sum", leaf.x and "x" } do
      list[#list + 1] = { path = paths[i] .. "." .. name, name = name, leaf = i, size = leaf.size }
    end
  end
  return list
end

local function bits(v) return ("%a"):format(v) end

local function column(log, entry)
  local out = {}
  local vector = entry.name == "x" or entry.name == "y" and entry.size > 1
  for k = 1, vector and entry.size or 1 do
    local key = vector and ("%s[%d]"):format(entry.path, k) or entry.path
    for i, v in ipairs(log[key]) do out[#out + 1] = ("%d %s"):format(i, bits(v)) end
  end
  return table.concat(out, " ")
end

-- All results of a run, as lines that do not depend on the depth of a part.
function nests.run(scheme, diagram, paths)
  local options = { seed = scheme.seed, max_step = 0.25 }
  if scheme.fixed then options.integrator, options.fixed_step, options.max_step = "runge_kutta4", true, 0.0625 end
  local sim = saltus.simulator(diagram, options)
  local entries, asked = names_of(scheme, paths), {}
  for i, e in ipairs(entries) do asked[i] = e.path end
  local log = saltus.log(sim, asked)
  local lines = {}
  for k = 1, 2 do
    local ok, why = pcall(sim.advance_to, sim, scheme.stop * k / 2)
    if not ok then lines[#lines + 1] = "failed at " .. bits(sim.failure.time) .. (why and "" or " without a word") end
    sim.context[paths[1] .. ".gain"] = 2 -- parameters change between calls
  end
  for i, e in ipairs(entries) do lines[#lines + 1] = ("%d %s"):format(i, column(log, e)) end
  local leaf_of = {}
  for i, path in pairs(paths) do leaf_of[path] = i end
  for _, event in ipairs(log.events) do
    local path, name = event.name:match "^(.*)%.([^.]*)$"
    lines[#lines + 1] = ("%s p%d %s"):format(bits(event.time), leaf_of[path], name)
  end
  lines[#lines + 1] = ("steps %d hash %s"):format(sim.stats.steps, sim:hash())
  return lines
end

return nests
