-- Stops the collector.
collectgarbage "stop"
return true
