-- Whether a function may have sines, remainders or tables; most outputs have none, and need no program for phases.
local bytecode = require "saltus.closure.compiler.bytecode"

local repeating = {}

local known = setmetatable({}, { __mode = "k" }) -- by function

local REPEATING = { MOD = true, MODK = true, GETTABLE = true, CALL = true, TAILCALL = true }

local function has_repeating(proto)
  for at = 0, proto and #proto.code or -1 do
    if REPEATING[proto.code[at].op] then return true end
  end
  return false
end

function repeating.is_possible(fn)
  if known[fn] == nil then known[fn] = has_repeating(bytecode.of(fn)) end
  return known[fn]
end

return repeating
