-- How many of n random cases a spec tries: all, or one in SALTUS_CASES, where each takes that much longer.
local share = tonumber(os.getenv "SALTUS_CASES") or 1

return function(n) return math.max(1, n // share) end
