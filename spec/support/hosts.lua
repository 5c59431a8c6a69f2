-- Builds programs of examples/hosts/ for their specs, against this build instead of an installed prefix.
local examples = require "spec.support.examples"

local output_of = examples.output_of
local hosts = {}

local function succeeds(command) return (os.execute(command .. " >/dev/null 2>&1")) end

local has = {
  command = function(name) return succeeds("command -v " .. name) end,
  pkg = function(name) return succeeds("pkg-config --exists " .. name) end,
  file = function(name) return succeeds("test -e " .. name) end,
}

-- What a host needs and does not find here, or nil.
function hosts.missing(name)
  if not has.command "pkg-config" then return "pkg-config" end
  for line in io.lines("examples/hosts/" .. name .. "/needs") do
    local kind, what = line:match "(%S+) (%S+)"
    if not has[kind](what) then return what end
  end
end

local function write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

-- Writes the saltus.pc of a prefix whose headers are those of the sources. Returns its folder.
local function package_folder(folder, here)
  write(folder .. "/saltus.pc", ([[
prefix=%s/%s
Name: saltus
Description: simulation of hybrid systems
Version: 0.1.0
Cflags: -I%s/src/include
Libs: -L${prefix}/lib -lsaltus
]]):format(here, examples.build, here))
  return folder
end

-- Builds examples/hosts/NAME by its Makefile; returns the folder of the program.
function hosts.build(name)
  local here = output_of "pwd":gsub("\n", "")
  local folder = ("%s/%s/hosts/%s"):format(here, examples.build, name)
  assert(os.execute("mkdir -p " .. folder))
  local flags = examples.build:find "asan" and "-O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined"
    or "-O2"
  local text, ok = output_of(("env -u MAKELEVEL -u MAKEFLAGS PKG_CONFIG_PATH=%s make -s -B -C examples/hosts/%s " ..
    "BUILD=%s CC='%s' CFLAGS='%s -Wpedantic -Wshadow -Wconversion -Werror'"):format(package_folder(folder, here), name,
      folder, os.getenv "CC" or "cc", flags))
  assert(ok, text)
  return folder
end

return hosts
