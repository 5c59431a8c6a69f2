-- Read by busted before the specs. SALTUS_GC=stress: the collector is never at rest, and a full
-- collection falls in every few thousand instructions, so that whatever is not anchored is seen to vanish.
if os.getenv "SALTUS_GC" == "stress" then
  collectgarbage "incremental"
  collectgarbage("setpause", 0)
  collectgarbage("setstepmul", 400)
  local every = tonumber(os.getenv "SALTUS_GC_EVERY" or nil) or 20000
  debug.sethook(function() collectgarbage() end, "", every)
end
