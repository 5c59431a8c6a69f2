-- A list, and a maker of handlers that note (name, time, value) of each call in it.
return function()
  local list = {}
  return list, function(name, read)
    return function(ctx) list[#list + 1] = { name = name, time = ctx.time, value = read and read(ctx) } end
  end
end
