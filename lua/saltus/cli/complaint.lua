-- What the command line says: results on stdout, errors on stderr. Texts may come from untrusted files, so control
-- characters are escaped.
local names = require "saltus.util.names"
local numerals = require "saltus.util.numerals"

-- The exit status of the command; `saltus help exit` explains each.
local complaint = { SUCCESS = 0, FAILED = 1, USAGE = 2 }

-- An error that the user can correct: { code =, message = }. It is printed without a traceback.
local Complaint = {}

function complaint.is(value) return getmetatable(value) == Complaint end

-- Makes the error object without raising it; fields: code, message, interrupted.
function complaint.new(fields) return setmetatable(fields, Complaint) end

function complaint.raise(code, message, ...)
  if select("#", ...) > 0 then message = numerals.format(message, ...) end
  error(complaint.new { code = code, message = message }, 0)
end

function complaint.raise_if(wrong, ...)
  if wrong then complaint.raise(...) end
end

function complaint.say(text) io.stdout:write(names.visible(text), "\n") end

function complaint.aloud(whose, text) io.stderr:write(whose, ": ", names.visible(text), "\n") end

-- The text of any error object.
function complaint.message_of(wrong)
  if wrong == nil then return "an error without a message" end
  local mt = getmetatable(wrong)
  if type(wrong) ~= "table" or type(mt) == "table" and rawget(mt, "__tostring") then
    local ok, text = pcall(tostring, wrong)
    return ok and text or "an error object whose __tostring fails"
  end
  return "an error object that is a table without __tostring"
end

return complaint
