-- Mirrors lua/saltus/cli/graph/ and commands/graph.lua: the picture of a diagram, for graphviz and without it.
local command = require "spec.support.command"
local saltus = require "saltus"
local drawing = require "saltus.cli.graph.drawing"
local loops = require "spec.support.loops"
local models = require "spec.support.model_files"
local nests = require "spec.support.nests"
local slurp = require "spec.support.slurp"
local wiring_graph = require "saltus.cli.graph.wiring_graph"

local arm = saltus.system { name = "arm", q = { "angle" }, inputs = { "torque" }, derivatives = function() end }
local pid = saltus.system { name = "pid", inputs = { "measured", { "target", 1 } }, params = { kp = 2 },
  outputs = { output = function(ctx) return ctx.kp * (ctx.target - ctx.measured) end,
    spare = function() return 1 end } }

local function two_loops() return loops.exported_chain(loops.loop(arm, pid)) end

describe("the picture of a diagram", function()
  it("is DOT, with a box around the parts of each diagram inside", function()
    local text = wiring_graph.dot(two_loops():build())
    for _, line in ipairs { 'digraph "outer" {', '  subgraph "cluster_a" {', '    label="a";',
      '    "a.plant" [label="{{<i_torque> torque}|plant\\n(arm)|{<o_angle> angle}}"];',
      '  "a.pid":"o_output":e -> "a.plant":"i_torque":w;', '  "a.plant":"o_angle":e -> "b.pid":"i_target":w;',
      '  "goal" -> "a.pid":"i_target":w;', '  "b.plant":"o_angle":e -> "reached";' } do
      assert.is_truthy(text:find(line .. "\n", 1, true), line .. " in\n" .. text)
    end
  end)

  if os.execute "command -v dot >/dev/null" then
    it("is accepted by graphviz", function()
      local path = os.tmpname()
      for seed = 1, 5 do
        local file = assert(io.open(path, "w"))
        file:write(wiring_graph.dot(nests.nested(nests.random(seed)):build()))
        file:close()
        local complaint = assert(io.popen("dot -Tsvg " .. path .. " 2>&1 >/dev/null")):read "a"
        assert.equal("", complaint)
      end
      os.remove(path)
    end)
  end

  it("is SVG without graphviz: every part in the frame of its diagram, every connection", function()
    local text = drawing.svg(wiring_graph.of(two_loops():build()))
    for _, word in ipairs { ">a<", ">b<", ">plant<", ">pid<", ">measured<", ">spare<", ">goal<", ">reached<" } do
      assert.is_truthy(text:find(word, 1, true), word)
    end
    assert.equal(2, select(2, text:gsub('class="frame"', "")))
    assert.equal(7, select(2, text:gsub("marker%-end", ""))) -- two in each loop, to a, from a to b, from b
    local open, close = select(2, text:gsub("<%a+[^>]*[^/]>", "")), select(2, text:gsub("</%a+>", ""))
    assert.equal(open, close)
  end)

  local function outside_of(a, b) return a.x + a.w < b.x or b.x + b.w < a.x or a.y + a.h < b.y or b.y + b.h < a.y end

  local function inside_of(a, b)
    return a.x >= b.x and a.y >= b.y and a.x + a.w <= b.x + b.w and a.y + a.h <= b.y + b.h
  end

  local function each_level(level, at)
    at(level)
    for _, node in ipairs(level.nodes) do
      if node.level then each_level(node.level, at) end
    end
  end

  local function drawn(seed, kind)
    local g = wiring_graph.of(nests[kind](nests.random(seed)):build())
    return g, drawing.place(g)
  end

  it("has no overlapping boxes and frames", function()
    for seed = 1, 60 do
      for _, kind in ipairs { "flat", "nested" } do
        local g, root = drawn(seed, kind)
        for i, a in ipairs(g.boxes) do
          assert.is_true(inside_of(a, root))
          for k = i + 1, #g.boxes do
            assert.is_true(outside_of(a, g.boxes[k]), ("seed %d: %s and %s"):format(seed, a.id, g.boxes[k].id))
          end
        end
        each_level(root, function(level)
          for i, a in ipairs(level.nodes) do
            for k = i + 1, #level.nodes do
              local b = level.nodes[k]
              if not a.border and not b.border then assert.is_true(outside_of(a, b)) end
            end
            if a.level then assert.is_true(inside_of(a.level, level)) end
          end
        end)
      end
    end
  end)

  -- A piece of a wire that is parallel to an axis, and a box: do they meet?
  local function meets(p, q, box)
    local left, right = math.min(p[1], q[1]), math.max(p[1], q[1])
    local top, bottom = math.min(p[2], q[2]), math.max(p[2], q[2])
    return right > box.x + 0.5 and left < box.x + box.w - 0.5 and bottom > box.y + 0.5 and top < box.y + box.h - 0.5
  end

  it("has wires that run behind no box and behind no frame", function()
    for seed = 1, 60 do
      local _, root = drawn(seed, "nested")
      each_level(root, function(level)
        for _, hop in ipairs(level.hops) do
          local points = drawing.points(hop)
          for i = 2, #points do
            for _, node in ipairs(level.nodes) do
              assert.is_false(not node.border and meets(points[i - 1], points[i], node), ("seed %d"):format(seed))
            end
          end
        end
      end)
    end
  end)

  it("has wires from each output to each input that it feeds, through the borders of frames", function()
    for seed = 1, 20 do
      local g, root = drawn(seed, "nested")
      local ends, next_of = {}, {}
      each_level(root, function(level)
        for _, hop in ipairs(level.hops) do
          local points = drawing.points(hop)
          local from, to = points[1], points[#points]
          next_of[hop.source] = next_of[hop.source] or {}
          table.insert(next_of[hop.source], { from, to })
          if hop.is_last and hop.to.box then ends[hop.source .. ">" .. hop.to.box.id .. "." .. hop.port] = to end
        end
      end)
      for _, w in ipairs(g.wires) do
        local source, to = w.from .. "." .. w.output, g.boxes[w.to]
        local at = ends[source .. ">" .. to.id .. ".input " .. w.input]
        assert.is_truthy(at)
        assert.near(to.x, at[1], 0.1)
        local seen, grew = {}, true
        for _, piece in ipairs(next_of[source]) do
          if math.abs(piece[1][1] - g.boxes[w.from].x - g.boxes[w.from].w) < 0.1 then seen[piece] = true end
        end
        while grew do -- pieces that begin where a reached piece passes or ends
          grew = false
          for _, piece in ipairs(next_of[source]) do
            for other in pairs(seen) do
              local joined = math.abs(piece[1][1] - other[2][1]) < 0.1 and math.abs(piece[1][2] - other[2][2]) < 0.1
              if joined and not seen[piece] then
                seen[piece], grew = true, true
                break
              end
            end
          end
        end
        local arrived = false
        for piece in pairs(seen) do
          arrived = arrived or math.abs(piece[2][1] - at[1]) < 0.1 and math.abs(piece[2][2] - at[2]) < 0.1
        end
        assert.is_true(arrived, ("seed %d: %s"):format(seed, source))
      end
    end
  end)

  it("has sources left of their targets", function()
    local chain = saltus.diagram "chain"
    for i = 1, 30 do chain:add(pid, "p" .. i) end
    for i = 2, 30 do chain:connect(("p%d.output"):format(i - 1), ("p%d.measured"):format(i)) end
    local g = wiring_graph.of(chain:build())
    drawing.place(g)
    for i = 2, 30 do assert.is_true(g.boxes[i].x > g.boxes[i - 1].x + g.boxes[i - 1].w) end
  end)

  it("of a lone system is one box", function()
    local m = require("saltus.model.flat_model").of(arm)
    assert.matches('"arm" %[label=', wiring_graph.dot(m))
    assert.matches(">arm<", drawing.svg(wiring_graph.of(m)))
  end)
end)

describe("saltus graph", function()
  local at

  setup(function() at = command.new(models) end)

  teardown(function() at:remove() end)

  it("writes DOT and SVG of the wiring", function()
    local dot, svg = at:path "w.dot", at:path "w.svg"
    local status, out = at:saltus("graph", at:path "loop.lua", "--dot", dot, "--svg", svg)
    assert.equal(0, status)
    assert.matches("^wrote .*w.dot and .*w.svg %(laid out by %a+%)\n$", out)
    assert.matches('"gain":"o_output":e %-> "plant":"i_u":w;', slurp(dot))
    assert.matches("<svg", slurp(svg))
    for _, word in ipairs { "plant", "gain", "output", "input" } do assert.matches(word, slurp(svg)) end
  end)

  it("overwrites files of the default names only with --force", function()
    at:write("loop.svg", "precious")
    local inside = { inside = true }
    local status, _, err = at:run({ "graph", "loop.lua" }, inside)
    assert.same({ 1, "saltus: graph: loop.svg exists; --force overwrites it\n" }, { status, err })
    assert.equal("precious", at:read "loop.svg")
    assert.equal(0, (at:run({ "graph", "loop.lua", "--force" }, inside)))
    assert.matches("<svg", at:read "loop.svg")
  end)

  it("complains of a file that cannot be written, or is no model", function()
    at:fails(1, "^saltus: %-%-dot: ", "graph", at:path "loop.lua", "--dot", at:path "no/w.dot")
    at:fails(1, "returned 3; it should return a scenario, a system or a diagram",
      "graph", at:write("three.lua", "return 3"))
  end)
end)
