-- Slows the collector down.
collectgarbage("setpause", 10000)
return true
