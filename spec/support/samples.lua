-- Runs the samples of a page in a folder of their own, in order, and compares what they print with what the page shows.
--
--   lua     `--> words` are what it prints; else the indented block after "prints" is all of it, or the one after
--           "fails with" is the message of its error. With a title it is a file: a spec that must pass, a scenario
--           that must run, or main.lua, which LuaJIT runs as LÖVE would.
--   c       a program that prints the numbers between backticks after "prints"; with a title, a shared library.
--   python  a program that prints the indented block after "prints".
local assert = require "luassert"
local markdown = require "spec.support.markdown"
local names = require "saltus.util.names"
local slurp = require "spec.support.slurp"

local samples = {}

local build = os.getenv "SALTUS_BUILD" or "build"
local lua = os.getenv "LUA" or "lua5.4"
local lua_from_anywhere = lua:find "^[^/].*/" and "$root/" .. lua or lua

local function output(command)
  local pipe = io.popen(command .. " 2>&1")
  local text = pipe:read "a"
  return text, pipe:close()
end

local function has(program) return (os.execute(("command -v %s >/dev/null"):format(program))) end

local function write(name, text)
  local out <close> = io.open(name, "w")
  out:write(text)
end

local words_of = names.words

local function compare(wanted, said, within)
  assert.is_true(#wanted > 0, "a sample shows nothing")
  assert.equal(#wanted, #said, table.concat(said, " "))
  for i, word in ipairs(wanted) do
    local number = tonumber(word)
    if number and tonumber(said[i]) then
      assert.near(number, tonumber(said[i]), within)
    else
      assert.equal(word, said[i])
    end
  end
end

local function block_after(sample, words) return sample.after:match("^\n" .. words .. "\n\n(    .-\n)\n") end

-- Files that a sample names "out.csv" are in its folder.
local function in_folder(sample, folder) return (sample.source:gsub('"out%.', ('"%s/out.'):format(folder))) end

-- ---- Lua ----

local function shown_by(sample)
  local marked = {}
  for words in sample.source:gmatch "%-%->([^\n]+)" do marked[#marked + 1] = words end
  return words_of(block_after(sample, "prints") or block_after(sample, "fails with") or table.concat(marked, " "))
end

local function printed_by(sample, folder)
  local said = {}
  local function note(...)
    for _, word in ipairs { ... } do said[#said + 1] = tostring(word) end
  end
  local globals = setmetatable({ print = note }, { __index = _G })
  local ok, message = pcall(assert(load(in_folder(sample, folder), "=sample", "t", globals)))
  if ok then return said end
  if not block_after(sample, "fails with") then error(message, 0) end
  return words_of(tostring(message))
end

local IN_FOLDER = [[root=$PWD; export root; cd '%s'; ln -sf "$root/examples" .
export LUA_PATH="$root/lua/?.lua;$root/lua/?/init.lua;;" LUA_CPATH="$root/%s/lua/?.so;;"
%s </dev/null]]

local LOVE = [[luajit -e 'love = { graphics = { circle = print, print = print }, filesystem = { getSource =
function() return "." end } } dofile "main.lua" love.load() for _ = 1, 60 do love.update(1 / 60) end love.draw()']]

local function command_of(title)
  if title == "main.lua" then return LOVE end
  if title:find "_spec%.lua$" then
    local words = "%s $root/spec/support/busted.lua --ignore-lua -o TAP --cpath=$root/%s/lua/?.so %s"
    return words:format(lua_from_anywhere, build, title)
  end
  return ("%s -e '(function() return dofile \"%s\" end)():run()'"):format(lua_from_anywhere, title)
end

local function run_file(sample, folder)
  write(folder .. "/" .. sample.title, sample.source .. "\n")
  local said, good = output(IN_FOLDER:format(folder, build, command_of(sample.title)))
  assert.is_true(good, said)
  assert.is_nil(said:find("1..0", 1, true), said)
end

local languages = {}

function languages.lua(sample, folder)
  if sample.title == "main.lua" and (not has "luajit" or build ~= "build") then return "luajit is not installed" end
  if sample.title then return run_file(sample, folder) end
  compare(shown_by(sample), printed_by(sample, folder), 1e-6)
end

-- ---- C ----

local function numbers_of(text)
  local found = {}
  for number in text:gmatch "%-?%d+%.?%d*" do found[#found + 1] = number end
  return found
end

-- The headers and the library of Lua.
local function lua_flags()
  for _, name in ipairs { "lua5.4", "lua-5.4", "lua54" } do
    local flags, found = output("pkg-config --cflags --libs " .. name)
    if found then return (flags:gsub("\n", " ")) end
  end
  return "-I/usr/include/lua5.4 -llua5.4"
end

-- The library in build/ is one without sanitizers.
function languages.c(sample, folder)
  if build ~= "build" or not has "cc" then return "no C compiler, or another build" end
  local source = folder .. "/" .. (sample.title or "program.c")
  local made = sample.title and folder .. "/lib" .. sample.title:gsub("%.c$", ".so") or folder .. "/program"
  write(source, sample.source .. "\n")
  local embeds_lua = sample.source:find("saltus/script.h", 1, true)
  local library = embeds_lua and "build/lib/libsaltus-lua.a " .. lua_flags() or "build/lib/libsaltus.a"
  local said, good = output(("cc -std=c11 -Isrc/include %s %s %s -lm -o %s"):format(
    sample.title and "-shared -fPIC" or "", source, library, made))
  assert.is_true(good, said)
  if sample.title then return end
  local wanted = numbers_of(sample.after:match "^\nprints `([^`]+)`" or "")
  compare(wanted, numbers_of((output(made))), 2e-6)
end

-- ---- Python ----

local function missing_module(source)
  for name in ("\n" .. source):gmatch "\n%l+ ([%w_]+)[%w_.]*" do
    local is_import = ("\n" .. source):find("\nimport " .. name) or ("\n" .. source):find("\nfrom " .. name)
    if is_import and not select(2, output(("python3 -c 'import %s'"):format(name))) then return name end
  end
end

function languages.python(sample, folder)
  local missing = not has "python3" and "python3" or missing_module(sample.source)
  if missing then return missing .. " is not installed" end
  local source = folder .. "/program.py"
  write(source, in_folder(sample, folder))
  compare(words_of(block_after(sample, "prints") or ""), words_of((output("python3 " .. source))), 1e-6)
end

-- ---- a page ----

-- Returns what `run` returns.
local function with_folder(run)
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir " .. folder))
  local ok, result = pcall(run, folder)
  os.execute("rm -r " .. folder)
  if not ok then error(result, 0) end
  return result
end

-- Returns why samples were skipped, or nil when all have run.
function samples.run(path)
  return with_folder(function(folder)
    local skipped
    for _, sample in ipairs(markdown.code_blocks(slurp(path))) do
      local run = languages[sample.language]
      skipped = run and run(sample, folder) or skipped
    end
    return skipped
  end)
end

local SHELL = [[set -e; root=$PWD; cd '%s'; ln -s "$root/examples" .
unset MAKEFLAGS MAKELEVEL LUA_PATH LUA_CPATH; make() { command make -C "$root" "$@"; }
]]

local function commands_of(text)
  local commands = {}
  for line in text:gsub("\n```.-\n```", "\n"):gmatch "\n    ([^\n]+)" do
    if line ~= "make" then commands[#commands + 1] = line end
  end
  return table.concat(commands, "\n")
end

-- Runs the commands that pages show in indented lines, in one shell, beside the files that they show. The clone is
-- built, so `make` alone is left out. Returns why they were skipped, or nil.
function samples.run_commands(paths)
  if build ~= "build" or not has "busted" then return "no busted, or another build" end
  return with_folder(function(folder)
    local script = { SHELL:format(folder) }
    for _, path in ipairs(paths) do
      local text = slurp(path)
      for _, sample in ipairs(markdown.code_blocks(text)) do
        if sample.title then write(folder .. "/" .. sample.title, sample.source .. "\n") end
      end
      script[#script + 1] = commands_of(text)
    end
    write(folder .. "/commands.sh", table.concat(script, "\n"))
    local said, good = output(("sh -x '%s/commands.sh' </dev/null"):format(folder))
    assert.is_true(good, said)
  end)
end

return samples
