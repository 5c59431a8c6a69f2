-- Functions of watches as programs, which the core runs without Lua. The compiler of closures writes them, once for the
-- same code. Only those of a single system: a function that reads several parts stays in Lua.
local dump = require("saltus.core").dump
local programs = require "saltus.closure.programs"
local system_module = require "saltus.model.system"

local compiled = {}

local MOST = 200 -- programs of a simulator: each keeps functions that it calls alive

local function new_store(self)
  local parts = self.model.parts
  local is_single = not parts[2] and parts[1].path == ""
  return { system = is_single and system_module.content(parts[1].system), known = {}, count = 0, counted = {},
    rejected = {} }
end

local function find(self, own, fn)
  if not own.system or own.count >= MOST then return false end
  local code = dump(fn)
  if not code or own.rejected[code] then return false end
  local program = programs.of_margin(self.core, fn, own.system, own.known, self.options.compile)
  if not program then
    own.rejected[code] = true
  elseif not own.counted[program] then
    own.counted[program], own.count = true, own.count + 1
  end
  return program or false
end

-- The program of a function that returns a margin; nil if it stays in Lua. It is asked once for each function.
function compiled.of(self, fn)
  local own = self.inner.compiled_margins
  if not own then
    own = new_store(self)
    self.inner.compiled_margins = own
  end
  return find(self, own, fn) or nil
end

return compiled
