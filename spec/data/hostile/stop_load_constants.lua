-- loads many large constants
local parts = {} for i = 1, 2e4 do parts[i] = "x" .. i .. "=" .. i .. ".5" end
local text = table.concat(parts, " ")
while true do load(text) end
