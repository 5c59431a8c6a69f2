-- saltus new NAME: a folder with a scenario that moves, its spec, and what editors need.
local files = require "saltus.util.files"
local complaint = require "saltus.cli.complaint"
local names = require "saltus.util.names"
local process = require("saltus.core").process
local templates = require "saltus.cli.templates"
local type_stubs = require "saltus.cli.type_stubs"
local whole_file = require "saltus.util.whole_file"

local function make_folder(path)
  local made, why = process.make_folder(path)
  if not made then complaint.raise(complaint.FAILED, "%s", why) end
end

-- { path, text } of each file.
local function files_of(name, identifier)
  local function filled(text) return (text:gsub("%f[%w]NAME%f[%W]", name):gsub("%f[%w]IDENT%f[%W]", identifier)) end
  return {
    { name .. ".lua", filled(templates.scenario) },
    { "spec/" .. name .. "_spec.lua", filled(templates.spec) },
    { ".busted", templates.busted },
    { ".luarc.json", type_stubs.configuration "types" },
    { "types/saltus.lua", type_stubs.text() },
  }
end

local function check_name(folder)
  local name = folder:gsub("/+$", ""):match "[^/]+$" or ""
  local identifier = name:gsub("-", "_")
  complaint.raise_if(not names.is_identifier(identifier) or names.is_reserved(identifier), complaint.USAGE,
    "a name consists of letters, digits, - and _, and begins with a letter; got '%s'", folder)
  return name, identifier
end

local function new(args)
  local name, identifier = check_name(args.name)
  local folder = args.name:gsub("/+$", "")
  local written = files_of(name, identifier)
  for _, file in ipairs(written) do
    complaint.raise_if(files.exists(folder .. "/" .. file[1]), complaint.FAILED, "%s/%s exists; nothing was written",
      folder, file[1])
  end
  make_folder(folder)
  make_folder(folder .. "/spec")
  make_folder(folder .. "/types")
  for _, file in ipairs(written) do
    whole_file.write(folder .. "/" .. file[1], "saltus new", function(put) put(file[2]) end)
    complaint.say(("wrote %s/%s"):format(folder, file[1]))
  end
  complaint.say(("\n  cd %s\n  saltus run %s.lua --animate %s.html"):format(folder, name, name))
  complaint.say "  saltus test    # needs busted: on Debian and Ubuntu the package lua-busted"
  return complaint.SUCCESS
end

return {
  name = "new", doc = "Make a folder with a scenario that moves, and its spec.",
  arguments = { { name = "name", doc = "The folder, and the name of the model." } },
  run = new,
}
