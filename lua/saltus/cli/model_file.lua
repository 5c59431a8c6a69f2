-- The files that commands read: Lua that returns a scenario, a system or a diagram.
local files = require "saltus.util.files"
local complaint = require "saltus.cli.complaint"
local model = require "saltus.model.flat_model"
local module_path = require "saltus.util.module_path"
local names = require "saltus.util.names"
local scenario = require "saltus.simulation.scenario"
local system = require "saltus.model.system"

local model_file = {}

local FAILED = complaint.FAILED

-- The arguments of commands.
model_file.scenario_argument = { name = "file",
  doc = "A Lua file that ends with return saltus.scenario { ... }." }
model_file.model_argument = { name = "file",
  doc = "A Lua file that returns a scenario, a system or a diagram." }

-- The text of a file without what loadfile skips. It is read once: the file may be a pipe.
local function text_of(path)
  local text, why = files.read(path)
  if not text then complaint.raise(FAILED, "cannot read %s", why) end
  return (text:gsub("^\xEF\xBB\xBF", ""):gsub("^#[^\n]*", ""))
end

-- Returns the result of a file; each failure has its own message.
local function load_file(path)
  local text = text_of(path)
  module_path.add_script_dir(path)
  local chunk, syntax = load(text, "@" .. path, "t")
  if not chunk then
    if syntax:find "binary chunk" then complaint.raise(FAILED, "%s is compiled Lua; give its source", path) end
    complaint.raise(FAILED, "%s", syntax:find(path, 1, true) and syntax or path .. ": " .. syntax)
  end
  names.final_call = names.last_return(path, text) or false
  local ok, result = pcall(chunk)
  names.final_call = false
  if not ok then
    if complaint.is(result) then error(result, 0) end
    local message = complaint.message_of(result)
    complaint.raise(FAILED, "%s", message:find(path, 1, true) and message or path .. ": " .. message)
  end
  return result
end

local function name_of_kind(value)
  local kind = names.kind(value)
  if kind then return "a " .. kind end
  return value == nil and "nothing" or (type(value) == "table" and "a table" or names.show(value))
end

function model_file.scenario(path)
  local result = load_file(path)
  if scenario.is(result) then
    result.file = path -- the run card names it
    return result
  end
  return complaint.raise(FAILED,
    "%s returned %s; it should end with: return saltus.scenario { system = ..., duration = ... }", path,
    name_of_kind(result))
end

-- Returns the result of a file, and its model.
function model_file.model(path)
  local result = load_file(path)
  if scenario.is(result) then return result, result.model end
  if system.is(result) or model.is(result) or name_of_kind(result) == "a diagram" then
    return result, model.of(result, path)
  end
  return complaint.raise(FAILED, "%s returned %s; it should return a scenario, a system or a diagram", path,
    name_of_kind(result))
end

return model_file
