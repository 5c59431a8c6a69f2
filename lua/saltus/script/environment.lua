-- Environments of scripts that a program in C loads (saltus/script.h): a script reads the globals, and its own stay its
-- own. So do those of the modules in its folder, which each script loads for itself.
local files = require "saltus.util.files"

local environment = {}

local function folder_of(path) return path:match "^(.*)[/\\][^/\\]*$" or "." end

-- The chunk of a file of source; nil and why.
local function compiled(path, env)
  local text, wrong = files.read(path)
  if not text then return nil, wrong end
  return load((text:gsub("^\xEF\xBB\xBF", ""):gsub("^#[^\n]*", "")), "@" .. path, "t", env)
end

-- A module of all scripts. That there is none is an error of the line that requires it.
local function shared_module(name)
  local ok, value, path = pcall(require, name)
  if ok then return value, path end
  local missing = type(value) == "string" and value:find("^module '") ~= nil
  return error(value, missing and 3 or 0)
end

-- `require` of a script: modules in its folder first, in its environment.
local function own_require(env, folder)
  local places = ("%s/?.lua;%s/?/init.lua"):format(folder, folder)
  local loaded, LOADING = {}, {}
  return function(name)
    if loaded[name] == LOADING then error(("the modules of the script require %q in a circle"):format(name), 2) end
    if loaded[name] ~= nil then return loaded[name] end
    local path = files.are_allowed() and package.searchpath(tostring(name), places)
    if not path then
      local value, where = shared_module(name)
      return value, where
    end
    local chunk, wrong = compiled(path, env)
    if not chunk then error(wrong, 2) end
    loaded[name] = LOADING
    local ok, value = pcall(chunk, name, path)
    loaded[name] = nil
    if not ok then error(value, 0) end
    loaded[name] = value == nil and true or value
    return loaded[name], path
  end
end

-- The functions of Lua that compile source do it in the script's environment, unless they are given another.
local function add_compilers(env)
  function env.load(chunk, name, mode, ...)
    if select("#", ...) > 0 then return load(chunk, name, mode, ...) end
    return load(chunk, name, mode, env)
  end
  env.loadfile = function(path, _, own) return compiled(path, own or env) end
  function env.dofile(path)
    local chunk, wrong = compiled(path, env)
    if not chunk then error(wrong, 2) end
    return chunk()
  end
end

-- The environment of the script at that path.
function environment.new(path)
  local env = setmetatable({}, { __index = _G })
  env._G = env
  env.require = own_require(env, folder_of(path))
  add_compilers(env)
  return env
end

return environment
