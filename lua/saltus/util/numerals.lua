-- Numbers as text and back, the same whatever LC_NUMERIC says: in a process with a decimal comma (a desktop host, or
-- os.setlocale) Lua's own string.format, tostring and tonumber write and read "0,5".
local core = require "saltus.core"

local numerals = {}

local neutral, format = core.neutral, string.format

-- fn(...) with a decimal point. For what formats many numbers; `fn` must not call closures of the user.
numerals.neutral = neutral

function numerals.format(text, ...) return neutral(format, text, ...) end

function numerals.text(value) return neutral(tostring, value) end

function numerals.parse(text) return neutral(tonumber, text) end

return numerals
