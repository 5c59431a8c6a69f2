-- Runs the scenarios of examples/ for their specs.
local examples = {}

examples.build = os.getenv "SALTUS_BUILD" or "build"

-- What a command prints, and whether it succeeded.
function examples.output_of(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read "a"
  return text, pipe:close()
end

function examples.scenario(name) return dofile("examples/" .. name .. ".lua") end

-- The results of `fn`, which prints nothing, and the lines that it wanted to print.
function examples.quietly(fn)
  local said, print_before = {}, print
  _G.print = function(...) said[#said + 1] = table.concat({ ... }, "\t") end
  local ok, result = pcall(fn)
  _G.print = print_before
  assert(ok, result)
  return result, said
end

-- Runs without printing; returns the result and what was printed.
function examples.run(name, changes)
  return examples.quietly(function() return examples.scenario(name):run(changes or {}) end)
end

return examples
