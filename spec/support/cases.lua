-- How many of n random cases a spec tries: a twentieth under `make gcstress`, where each case takes that much longer.
return function(n)
  return os.getenv "SALTUS_GC" == "stress" and math.max(1, n // 20) or n
end
