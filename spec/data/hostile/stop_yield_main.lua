-- Yields to the host.
coroutine.yield() return true
