-- Conditions over one instant, for watches and stories: words become a function(ctx) that returns a margin. The
-- condition holds where the margin is at least 0.
local codegen = require "saltus.formula.codegen"
local grammar = require "saltus.formula.grammar"
local meaning = require "saltus.formula.meaning"
local model_of = require("saltus.model.flat_model").of
local names = require "saltus.util.names"
local program = require "saltus.formula.program"

local condition = {}

local function check_instant(tree, found)
  grammar.visit(tree.root, function(node)
    if meaning.is_temporal[node.op] then
      grammar.fail(tree, node, "%s speaks of a span of time; a condition is about one instant", node.op)
    end
    if found[node] and found[node].event then
      grammar.fail(tree, node, "%q is an event; a condition is about values (a story waits with s:wait_event)",
        found[node].event)
    end
  end)
end

-- c.height, c["plant.height"], c.r[2]
function condition.read(_, signal)
  local whole, index = names.split_element(signal.path)
  local code = names.is_identifier(whole) and "c." .. whole or ("c[%q]"):format(whole)
  return index and ("%s[%d]"):format(code, index) or code
end

local function model_behind(system)
  if names.kind(system) == "simulator" then return system.model end
  return model_of(system, "saltus.formula.condition", require("saltus.model.flat_model").LOOPS_TOO)
end

-- Returns function(ctx), the tree, and the program of saltus.formula.program or nil; a function is returned as it is.
-- `system`: a system, a diagram or a simulator.
function condition.new(given, system, functions)
  if type(given) == "function" then return given end
  local tree = grammar.is_tree(given) and given or grammar.parse(given)
  local found = meaning.of(tree, model_behind(system), functions)
  check_instant(tree, found)
  local chunk = codegen.new(found, condition.read, 1)
  return chunk:closure("c", chunk:margin(tree.root)), tree, program.of(tree.root, found)
end

return condition
