-- The README and docs/: every sample runs and prints what the page shows, every link and path exists.
local markdown = require "spec.support.markdown"
local samples = require "spec.support.samples"
local slurp = require "spec.support.slurp"

local function lines_of(command)
  local pipe, lines = assert(io.popen(command)), {}
  for line in pipe:lines() do lines[#lines + 1] = line end
  pipe:close()
  return lines
end

local sources = { src = true, lua = true, spec = true, examples = true, docs = true, packaging = true, [".ci"] = true }

-- All words of `saltus help`, and the choices of the options of a simulator.
local known, choices = {}, {}
for _, topic in ipairs(require("saltus.cli.help").names()) do
  local help = require "saltus.cli.help"
  for word in help.text(help.page(topic)):gmatch "[%a_][%w_]*" do known[word] = true end
end
for _, option in ipairs(require("saltus.simulation.options").simulator) do
  if option.choices then choices[option.name] = table.concat(option.choices, " ") end
end

local pages = lines_of "ls README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md docs/*.md docs/*/*.md"

for _, path in ipairs(pages) do
  describe(path, function()
    it("has samples that run and print what it shows", function()
      local skipped = samples.run(path)
      if skipped then pending(skipped) end
    end)

    it("has links that lead somewhere", function()
      for _, target in ipairs(markdown.links(slurp(path))) do
        local from = path:match "^(.*/)" or ""
        assert.is_true(os.execute(("[ -e '%s%s' ]"):format(from, target)), target)
      end
    end)

    it("names files and folders that exist", function()
      for start, name in slurp(path):gmatch "%f[%w.]([%l.]+)/([%w_./-]*[%w_/])" do
        if sources[start] and not name:find "your_name" then
          local file = start .. "/" .. name
          assert.is_true(os.execute(("[ -e '%s' ]"):format(file)), file)
        end
      end
    end)

    it("names C identifiers that exist", function()
      local text = slurp(path):gsub("\n| `[^|]*|", path == "docs/renamed.md" and "\n|" or "%0") -- old names are gone
      for name in text:gmatch "%f[%w_]sal__?%l[%w_]*" do
        if not name:find "your_name" then
          assert.is_true(os.execute("grep -rqw --include='*.h' " .. name .. " src"), name)
        end
      end
    end)

    it("names methods, options and choices that the help has", function()
      local text = slurp(path):gsub("\n```.-\n```", "\n"):gsub("\n    [^\n]*", "\n")
      for method in text:gmatch "%f[%w](%l+:%l[%w_]*)%f[(]" do
        if method:find "^sim:" or method:find "^log:" then assert.is_true(known[method:match ":(.*)"], method) end
      end
      for key, value in text:gmatch "`([%l_]+) = ([^`]*)`" do
        assert.is_true(known[key], key)
        local choice = choices[key] and value:match '^"(.*)"$'
        if choice then assert.truthy(choices[key]:find(choice, 1, true), value) end
      end
    end)

    it("names targets that the Makefile has", function()
      local makefile = slurp "Makefile" .. slurp "packaging/packaging.mk"
      for command in slurp(path):gmatch "[`\n] *make ([^`\n#]+)" do
        for word in command:gmatch "%S+" do
          if word:find "^[%l_.-]+$" and not word:find "^-" then
            assert.truthy(makefile:find("\n" .. word:gsub("%p", "%%%0") .. ":"), word)
          end
        end
      end
    end)
  end)
end

describe("the commands of the first pages", function()
  it("succeed in one shell, in the order of reading", function()
    local skipped = samples.run_commands(lines_of "ls -U docs/start.md docs/tutorial/*.md docs/runs.md")
    if skipped then pending(skipped) end
  end)
end)

describe("README.md", function()
  it("has a first model, and recipes of ten lines at most", function()
    local blocks = markdown.code_blocks(slurp "README.md")
    assert.equal(6, #blocks)
    for i = 2, #blocks do assert.is_true(select(2, blocks[i].source:gsub("\n", "")) < 10) end
  end)
end)

describe("the pages", function()
  it("count integrators and blocks as the library does", function()
    local blocks, found = 0, 0
    for _, kind in ipairs(require("saltus.blocks").kinds()) do blocks = blocks + (kind.instead_of and 0 or 1) end
    local integrators = 0 -- those of SUNDIALS are optional, and not counted
    for _, method in ipairs(require("saltus.core").methods()) do
      integrators = integrators + (method.name:find "^cvode_" and 0 or 1)
    end
    local counts, wrong = { integrators = integrators, ["ready-made"] = blocks }, {}
    for _, path in ipairs(pages) do
      for count, what in slurp(path):gmatch "%f[%w](%d+) ([%w-]+)" do
        found = found + (counts[what] and path == "README.md" and 1 or 0)
        if counts[what] and counts[what] ~= tonumber(count) then
          wrong[#wrong + 1] = ('%s says "%s %s", the library has %d'):format(path, count, what, counts[what])
        end
      end
    end
    assert.same({}, wrong)
    assert.equal(2, found)
  end)
end)

describe("docs/numerics.md", function()
  it("names every integrator", function()
    local text = slurp "docs/numerics.md"
    for _, method in ipairs(require("saltus.core").methods()) do
      assert.truthy(text:find("`" .. method.name .. "`", 1, true), method.name)
    end
  end)
end)

describe("CHANGELOG.md", function()
  it("begins with the version that the library has, or with what is not released", function()
    local version = slurp "CHANGELOG.md":match "\n## (%S+)"
    assert.truthy(version == "Unreleased" or version == require("saltus.core").version, version)
  end)
end)
