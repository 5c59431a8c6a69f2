-- saltus env: lines for the shell, so that lua5.4 finds the module and the shell the command.
local files = require "saltus.util.files"
local complaint = require "saltus.cli.complaint"
local own_command = require "saltus.util.own_command"
local process = require("saltus.core").process

-- An absolute path without "..".
local function absolute(folder)
  if folder:sub(1, 1) ~= "/" then folder = (os.getenv "PWD" or ".") .. "/" .. folder:gsub("^%./", "") end
  repeat
    local count
    folder, count = folder:gsub("/[^/]+/%.%.%f[/\0]", "", 1)
  until count == 0
  return folder
end

-- The folder that contains saltus/cli/main.lua.
local function lua_folder()
  local path = package.searchpath("saltus.cli.main", package.path)
  return path and absolute(path:match "^(.*)/saltus/cli/main%.lua$")
end

-- The folder that contains saltus/core.so: beside the program in a build tree and in an installation, or where Lua
-- finds it.
local function module_folder()
  local program = process.executable() or ""
  local root = program:match "^(.*)/[^/]*/[^/]*$" or ""
  for _, place in ipairs { "/lua", "/lib/lua/5.4" } do
    if files.exists(root .. place .. "/saltus/core.so") then return root .. place end
  end
  local path = package.searchpath("saltus.core", package.cpath)
  return path and absolute(path:match "^(.*)/saltus/core%.so$")
end

-- The value of a variable of paths with `own` first; ";;" stands for Lua's default path.
local function with_first(own, variable)
  local parts = {}
  local rest = os.getenv(variable .. "_5_4") or os.getenv(variable) or ";;"
  for _, part in ipairs(own) do
    parts[#parts + 1] = part .. ";"
    local from, to = (";" .. rest .. ";"):find(";" .. part .. ";", 1, true)
    if from then rest = rest:sub(1, from - 1) .. rest:sub(to) end
  end
  return table.concat(parts) .. (rest == "" and ";" or rest:gsub("^;*(.)", "%1"))
end

local function say(variable, value, rest)
  complaint.say(("export %s=%s%s"):format(variable, own_command.quoted(value), rest or ""))
end

local function env()
  local lua, module, program = lua_folder(), module_folder(), process.executable() or ""
  complaint.raise_if(not lua or not module, complaint.FAILED, "saltus env: the folder of saltus/%s was not found",
    lua and "core.so" or "cli/main.lua")
  if program:find "/saltus$" then say("PATH", program:match "^(.*)/", ':"$PATH"') end
  say("LUA_PATH", with_first({ lua .. "/?.lua", lua .. "/?/init.lua" }, "LUA_PATH"))
  say("LUA_CPATH", with_first({ module .. "/?.so" }, "LUA_CPATH"))
  return complaint.SUCCESS
end

return {
  name = "env", doc = "Print lines for the shell so that lua5.4 and busted find saltus: eval \"$(saltus env)\".",
  run = env,
}
