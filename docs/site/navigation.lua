-- The order of the pages. { "Title", "page.md" } is a page, { "Title", { ... } } a section.
local navigation = {}

local function pages_of(folder, pages)
  local list = { { "Overview", folder .. "/index.md" } }
  for _, page in ipairs(pages) do list[#list + 1] = { page.title or page.name, folder .. "/" .. page.name .. ".md" } end
  return list
end

local function short(pages)
  local list = {}
  for i, page in ipairs(pages) do list[i] = { name = page.name, title = page.name } end
  return list
end

function navigation.tree(built)
  return {
    { "Home", "index.md" },
    { "Start", "start.md" },
    { "Playground", "playground.md" },
    { "Tutorial", {
      { "1. A ball", "tutorial/1-ball.md" }, { "2. A thermostat", "tutorial/2-thermostat.md" },
      { "3. A walker", "tutorial/3-walker.md" }, { "4. A sampled controller", "tutorial/4-controller.md" },
      { "5. Delays", "tutorial/5-delays.md" }, { "6. Tests", "tutorial/6-testing.md" },
      { "7. Stories", "tutorial/7-stories.md" } } },
    { "Concepts", {
      { "Systems and steps", "concepts.md" }, { "Time, x- and x+", "concepts/time.md" },
      { "Events and their order", "concepts/events.md" }, { "Zeno and sliding", "concepts/zeno.md" },
      { "Delays", "delays.md" }, { "Constraints", "constraints.md" }, { "Determinism", "concepts/determinism.md" },
      { "Accuracy", "concepts/accuracy.md" }, { "Glossary", "glossary.md" } } },
    { "How-to", {
      { "Recipes", "recipes.md" }, { "Write handlers", "handlers.md" }, { "Connect systems", "diagrams.md" },
      { "Run, save and branch", "runs.md" }, { "Sweep", "sweeps.md" },
      { "Test properties", "properties.md" },
      { "The command line", "command-line.md" }, { "Log and plot", "logs.md" },
      { "Run live", "live.md" }, { "Write stories", "stories.md" }, { "Check a run", "formulas.md" },
      { "Use NumPy and pandas", "howto/numpy.md" }, { "Test in CI", "howto/ci.md" },
      { "Frames", "frames.md" }, { "Embed in C", "embedding.md" }, { "Install the library", "installing.md" },
      { "Scripts that are not trusted", "sandbox.md" },
      { "Use in LÖVE", "howto/love.md" },
      { "Troubleshooting", "troubleshooting.md" } } },
    { "Reference", {
      { "Lua", pages_of("reference", short(built.topics)) }, { "Blocks", pages_of("blocks", short(built.blocks)) },
      { "C", pages_of("c", short(built.headers)) }, { "Host programs", "hosts.md" },
      { "Limits", "limits.md" } } },
    { "Coming from", {
      { "Drake", "coming-from/drake.md" }, { "SimPy", "coming-from/simpy.md" },
      { "Simulink", "coming-from/simulink.md" }, { "DifferentialEquations.jl", "coming-from/differentialequations.md" },
    } },
    { "Gallery", pages_of("gallery", built.examples) },
    { "Inside", {
      { "Numerics", "numerics.md" }, { "Benchmarks", "benchmarks.md" }, { "Compiler", "compiler.md" },
      { "Architecture", "architecture.md" }, { "Stability", "stability.md" }, { "Renamed", "renamed.md" },
      { "Changes", "changes.md" },
      { "Contributing", "contributing.md" }, { "Security", "security.md" }, { "Licence", "licence.md" } } },
  }
end

local function lines_of(tree, indent, lines)
  for _, entry in ipairs(tree) do
    local is_section = type(entry[2]) == "table"
    lines[#lines + 1] = ("%s- %q: %s"):format(indent, entry[1], is_section and "" or entry[2])
    if is_section then lines_of(entry[2], indent .. "    ", lines) end
  end
  return lines
end

-- mkdocs' `nav`, as YAML.
function navigation.yaml(tree) return "nav:\n" .. table.concat(lines_of(tree, "  ", {}), "\n") .. "\n" end

return navigation
