-- saltus types [DIR]: writes type stubs for editors.
local complaint = require "saltus.cli.complaint"
local process = require("saltus.core").process
local whole_file = require "saltus.util.whole_file"
local type_stubs = require "saltus.cli.type_stubs"

local function types(args)
  local folder = args.dir or "types"
  local made, why = process.make_folder(folder)
  if not made then complaint.raise(complaint.FAILED, "%s", why) end
  whole_file.write(folder .. "/saltus.lua", "saltus types", function(put) put(type_stubs.text()) end)
  complaint.say(("wrote %s/saltus.lua; add \"%s\" to workspace.library in .luarc.json"):format(folder, folder))
  return complaint.SUCCESS
end

return {
  name = "types", doc = "Write type stubs, with which editors complete options and report misspelt ones.",
  arguments = { { name = "dir", doc = "Where saltus.lua is written; default: types.", optional = true } },
  run = types,
}
