-- A locale with a decimal comma for processes that specs start: { name =, environment = "LOCPATH=... " }. One that the
-- system has, else one made by localedef in the build folder.
local comma = {}

local candidates = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "de_DE" }

local function run(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read "a"
  return pipe:close() and true or false, text
end

local function writes_comma(environment, name)
  local script = ("os.setlocale([[%s]], [[numeric]]) os.exit(([[%%.1f]]):format(0.5) == [[0,5]])"):format(name)
  return (run(("%s %s -e '%s' /dev/null"):format(environment, os.getenv "SALTUS_LUA" or "lua5.4", script)))
end

local function made()
  local folder = (os.getenv "SALTUS_BUILD" or "build") .. "/locale"
  local environment = ("LOCPATH=\"$PWD/%s\""):format(folder)
  if not writes_comma(environment, "comma") then
    local _, text = run(("mkdir -p %s && localedef -i de_DE -f UTF-8 %s/comma"):format(folder, folder))
    assert(writes_comma(environment, "comma"), "no locale with a decimal comma, and localedef makes none: " .. text)
  end
  return { environment = environment, name = "comma" }
end

function comma.locale()
  for _, name in ipairs(candidates) do
    if writes_comma("", name) then return { environment = "", name = name } end
  end
  return made()
end

return comma
