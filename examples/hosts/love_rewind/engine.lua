-- The engine through LuaJIT's FFI: the declarations of saltus.cdef, the functions of libsaltus.
local ffi = require "ffi"

local prefix = os.getenv "SALTUS_PREFIX" or "/usr/local"
local library = { Windows = "bin/libsaltus-0.dll", OSX = "lib/libsaltus.dylib" }

local function declarations()
  local file = assert(io.open(prefix .. "/share/saltus/saltus.cdef"))
  local text = file:read "*a"
  file:close()
  return text
end

ffi.cdef(declarations())

local engine = { c = ffi.load(prefix .. "/" .. (library[ffi.os] or "lib/libsaltus.so")) }

-- Raises an error for a status that is not SAL_OK.
function engine.check(status)
  if status ~= 0 then error("the engine says: " .. ffi.string(engine.c.sal_status_text(status)), 2) end
end

return engine
