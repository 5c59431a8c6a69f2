-- Changes the collector's mode.
return collectgarbage "generational" ~= nil
