-- Resurrects objects by finalizers in chains, with weak values.
local mt = { __mode = "v" }
local t = setmetatable({}, mt)
local function make(n) return setmetatable({ n }, { __gc = function(o) t[#t + 1] = o setmetatable(o, getmetatable(o)) make(n + 1) make(n + 1) end }) end
make(1) make(2)
while true do local g = { {} } end
