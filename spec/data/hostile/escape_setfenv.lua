-- Uses the functions of Lua 5.1.
return setfenv ~= nil or getfenv ~= nil or loadstring ~= nil or newproxy ~= nil or module ~= nil
