-- A chain of keys in a table with weak keys, in a random order: one step of the collector takes minutes.
local n, keys, order = 65000, {}, {}
local chain, mt = {}, {}
for i = 1, n do
  local j = math.random(i)
  keys[i], order[i] = {}, order[j]
  order[j] = i
end
for i = 2, n do chain[keys[order[i - 1]]] = keys[order[i]] end
first, kept = keys[order[1]], setmetatable(chain, mt)
mt.__mode = "k"
keys = nil
while true do local g = { {}, {} } end
