-- Mirrors lua/saltus/cli/help.lua: what help says is what there is.
local saltus = require "saltus"
local variable = require "saltus.model.variable"
local integrator_options = require "saltus.simulation.integrator_options"
local options = require "saltus.simulation.options"
local help = require "saltus.cli.help"

local ball = saltus.system { name = "ball", z = { "x" }, derivatives = function(_, dot) dot.x = 1 end }

local function words_of(rows)
  local out = {}
  for i, row in ipairs(rows) do out[i] = row[1]:match "^[%a_]+" end
  table.sort(out)
  return out
end

local function public(methods)
  local out = {}
  for name, value in pairs(methods) do
    if type(value) == "function" and name:sub(1, 2) ~= "__" then out[#out + 1] = name end
  end
  table.sort(out)
  return out
end

local function all_text()
  local out = {}
  for i, name in ipairs(help.names()) do out[i] = help.text(help.page(name)) end
  return table.concat(out, "\n")
end

describe("a topic of help", function()
  it("is found by its name, singular or plural, and listed", function()
    local list = help.list()
    for _, name in ipairs(help.names()) do
      local page = help.page(name)
      assert.equal(name, page.name)
      assert.is_truthy(list:find(name .. " +" .. page.doc:gsub("%p", "%%%0")), name)
      assert.equal(name, help.page(name:gsub("s$", "")).name)
    end
    assert.equal("integrator", help.page("integrators").name)
    assert.is_nil(help.page "nonsense")
  end)

  it("has a line for each option and field, with the text of the table that checks it", function()
    local text = all_text():gsub("%s+", " ")
    for _, list in ipairs { options.simulator, integrator_options.set_integrator, variable.fields, variable.sections,
      require("saltus.model.system").fields, require("saltus.model.event").fields, require("saltus.output.log").options,
      require("saltus.output.plot").options, require("saltus.simulation.scenario").fields,
      require("saltus.simulation.scenario").run_fields } do
      for _, field in ipairs(list) do
        assert.is_truthy(text:find(" " .. field.name .. " ", 1, true), field.name)
        assert.is_truthy(text:find(field.doc:gsub("%s+", " "), 1, true), field.doc)
      end
    end
    for _, method in ipairs(require("saltus.core").methods()) do
      assert.is_truthy(text:find(" " .. method.name .. " ", 1, true), method.name)
    end
    assert.matches("min_step +0 s +shortest step", text)
  end)

  it("describes every method, and no other", function()
    local sim = saltus.simulator(ball)
    local of_simulator = public(require "saltus.simulation.simulator_methods")
    for _, name in ipairs { "initialize", "advance_to", "advance_pending_events", "clone", "recorder" } do
      assert.is_function(sim[name])
      of_simulator[#of_simulator + 1] = name
    end
    table.sort(of_simulator)
    assert.same(of_simulator, words_of(help.methods.simulator))
    assert.same(public(getmetatable(saltus.diagram "d")), words_of(help.methods.diagram))
    assert.same(public(getmetatable(saltus.scenario { system = ball })), words_of(help.methods.scenario))
    local log = saltus.log(sim)
    for _, row in ipairs(help.methods.log) do assert.is_function(log[row[1]:match "^[%a_]+"]) end
    local ok, message = pcall(function() return log.nonsense end)
    assert.is_false(ok)
    for name in message:match("known: (.*)"):gmatch "[%a_]+" do
      local is_method = name ~= "x" and name ~= "time" and name ~= "events" and name ~= "marks" and name ~= "columns"
      if is_method then assert.is_truthy(table.concat(words_of(help.methods.log), " "):find(name, 1, true), name) end
    end
  end)

  it("describes the fields of a simulator", function()
    local sim = saltus.simulator(ball)
    for _, part in ipairs(help.page "simulator") do
      if part.title == "Fields, as sim.context:" then
        assert.is_true(#part.rows > 5)
        for _, row in ipairs(part.rows) do assert.has_no.errors(function() return sim[row[1]] end) end
      end
    end
    for _, part in ipairs(help.page "integrator") do
      if part.title and part.title:find("Methods, as sim.integrator", 1, true) then
        assert.is_true(#part.rows > 5)
        for _, row in ipairs(part.rows) do assert.is_function(sim.integrator[row[1]:match "^[%a_]+"]) end
      end
    end
  end)

  it("has an example that runs", function()
    local print_before, count = print, 0
    for _, name in ipairs { "system", "events", "diagram", "log" } do
      for _, part in ipairs(help.page(name)) do
        local printed = {}
        local run = part.example and assert(load("local saltus, print = ... " .. part.example, "=" .. name))
        if run then
          run(saltus, function(value) printed[#printed + 1] = tostring(value) end)
          assert.is_true(#printed > 0, name)
          count = count + 1
        end
      end
    end
    assert.equal(4, count)
    assert.equal(print_before, print)
  end)

  it("fits a wide terminal", function()
    for line in all_text():gmatch "[^\n]+" do assert.is_true(#line <= 120, line) end
  end)
end)
