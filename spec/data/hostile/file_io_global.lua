-- Looks for io in the globals.
return _G.io ~= nil or _ENV.io ~= nil or rawget(_G, "io") ~= nil
