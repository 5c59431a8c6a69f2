-- Seeds the random numbers of others.
return math.randomseed ~= nil and pcall(math.randomseed, 1)
