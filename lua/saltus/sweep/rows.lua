-- The rows of a sweep as text: one CSV line for each run. Texts have no line ends, so a file can be sorted by lines.
local core = require "saltus.core"
local numerals = require "saltus.util.numerals"

local rows = {}

-- The line of the first `count` values of a list, with its end: integers, numbers with up to 17 digits, texts quoted
-- where they must.
function rows.line(list, count) return core.csv_line(list, count or #list) end

-- The same of names, or of cells that are texts already.
function rows.joined(cells)
  local out = {}
  for i, text in ipairs(cells) do out[i] = text:find '[",]' and '"' .. text:gsub('"', '""') .. '"' or text end
  return table.concat(out, ",") .. "\n"
end

-- "1,\"a, b\",x" as a list of texts.
function rows.split(line)
  local out, at = {}, 1
  if not line:find('"', 1, true) then
    for text in (line .. ","):gmatch "([^,]*)," do out[#out + 1] = text end
    return out
  end
  while at <= #line + 1 do
    if line:sub(at, at) == '"' then
      local text, stop = "", at
      repeat
        local close = line:find('"', stop + 1, true) or #line + 1
        text, stop = text .. line:sub(stop + 1, close - 1), close
        local doubled = line:sub(stop + 1, stop + 1) == '"'
        if doubled then text, stop = text .. '"', stop + 1 end
      until not doubled
      out[#out + 1], at = text, stop + 2
    else
      local comma = line:find(",", at, true) or #line + 1
      out[#out + 1], at = line:sub(at, comma - 1), comma + 1
    end
  end
  return out
end

local special = { nan = 0 / 0, inf = math.huge, ["-inf"] = -math.huge, ["-0"] = -0.0 }

-- A cell as a number, or nil.
function rows.number(cell) return special[cell] or cell:find "^[%d.+-]" and numerals.parse(cell) or nil end

-- A cell as a text: an apostrophe marks one that is no number, although it looks like one.
function rows.text(cell) return cell:match "^'(.*)$" or cell end

-- A cell as the value that was written. A whole number is an integer.
function rows.value(cell)
  if cell == "true" or cell == "false" then return cell == "true" end
  return rows.number(cell) or rows.text(cell)
end

return rows
