-- The README and docs/: every sample runs and prints what the page shows, every link and path exists.
local markdown = require "spec.support.markdown"
local slurp = require "spec.support.slurp"

local build = os.getenv "SALTUS_BUILD" or "build"

local function lines_of(command)
  local pipe, lines = assert(io.popen(command)), {}
  for line in pipe:lines() do lines[#lines + 1] = line end
  pipe:close()
  return lines
end

local function words_of(text)
  local words = {}
  for word in text:gmatch "%S+" do words[#words + 1] = word end
  return words
end

-- `--> words` in a sample are what it prints there; else the indented block after "prints" is all of it.
local function shown_by(sample)
  local marked = {}
  for words in sample.source:gmatch "%-%->([^\n]+)" do marked[#marked + 1] = words end
  local block = sample.after:match "^\nprints\n\n(    .-\n)\n"
  return words_of(block or table.concat(marked, " "))
end

local function printed_by(sample, folder)
  local said = {}
  local function note(...)
    for _, word in ipairs { ... } do said[#said + 1] = tostring(word) end
  end
  local source = sample.source:gsub('"out%.', ('"%s/out.'):format(folder))
  local globals = setmetatable({ print = note, saltus = require "saltus" }, { __index = _G })
  assert(load(source, "=sample", "t", globals))()
  return said
end

local function compare(wanted, said, within)
  assert.equal(#wanted, #said)
  for i, word in ipairs(wanted) do
    local number = tonumber(word)
    if number then assert.near(number, tonumber(said[i]), within) else assert.equal(word, said[i]) end
  end
end

local function write(name, text)
  local out <close> = assert(io.open(name, "w"))
  out:write(text)
end

local IN_FOLDER = [[root=$PWD; export root; cd '%s'; ln -sf "$root/examples" .
export LUA_PATH="$root/lua/?.lua;$root/lua/?/init.lua;;" LUA_CPATH="$root/%s/lua/?.so;;"
%s </dev/null 2>&1; echo "status $?"]]

-- A sample with a title is a file: a spec that must pass, or a scenario that must run.
local function run_file(sample, folder)
  write(folder .. "/" .. sample.title, sample.source .. "\n")
  local lua = os.getenv "LUA" or "lua5.4"
  local command = ("%s -e '(function() return dofile \"%s\" end)():run()'"):format(lua, sample.title)
  if sample.title:find "_spec%.lua$" then
    command = ("%s $root/spec/support/busted.lua --ignore-lua -o TAP --cpath=$root/%s/lua/?.so %s"):format(lua, build,
      sample.title)
  end
  local said = table.concat(lines_of(IN_FOLDER:format(folder, build, command)), "\n")
  assert.truthy(said:find "status 0$", said)
  assert.is_nil(said:find("1..0", 1, true), said)
end

local function run_samples(path, check)
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir " .. folder))
  local ok, wrong = pcall(function()
    for _, sample in ipairs(markdown.code_blocks(slurp(path))) do
      if sample.language == "lua" and sample.title then
        run_file(sample, folder)
      elseif sample.language == "lua" then
        check(sample, folder)
      end
    end
  end)
  os.execute("rm -r " .. folder)
  if not ok then error(wrong, 0) end
end

local function compile_and_run(source)
  local file, program = os.tmpname(), os.tmpname()
  write(file, source)
  local command = "cc -std=c11 -Isrc/include -x c %s -x none build/lib/libsaltus.a -lm -o %s && %s 2>&1"
  local shown = table.concat(lines_of(command:format(file, program, program)), "\n")
  os.remove(file)
  os.remove(program)
  return shown
end

local function numbers_of(text)
  local found = {}
  for number in text:gmatch "%-?%d+%.?%d*" do found[#found + 1] = number end
  return found
end

local sources = { src = true, lua = true, spec = true, examples = true, docs = true, [".ci"] = true }

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
      run_samples(path, function(sample, folder)
        local wanted = shown_by(sample)
        assert.is_true(#wanted > 0, "a sample shows nothing")
        compare(wanted, printed_by(sample, folder), 1e-6)
      end)
    end)

    it("has C programs that print what it shows", function()
      if build ~= "build" or not os.execute "command -v cc >/dev/null" then return end
      for _, sample in ipairs(markdown.code_blocks(slurp(path))) do
        if sample.language == "c" then
          local wanted = numbers_of(sample.after:match "^\nprints `([^`]+)`" or error "a C program shows nothing")
          assert.is_true(#wanted > 0)
          compare(wanted, numbers_of(compile_and_run(sample.source)), 2e-6)
        end
      end
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
      local makefile = slurp "Makefile"
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

describe("README.md", function()
  it("has a first model, and recipes of ten lines at most", function()
    local count = 0
    run_samples("README.md", function(sample)
      count = count + 1
      if count > 1 then assert.is_true(select(2, sample.source:gsub("\n", "")) < 10) end
    end)
    assert.equal(6, count)
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
