-- Removes the hook that counts.
debug.sethook() return true
