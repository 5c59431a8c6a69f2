-- Works on the main coroutine of the host.
local main = coroutine.running()
return coroutine.resume(main) or pcall(coroutine.close, main)
