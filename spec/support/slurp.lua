-- A file's bytes.
return function(path)
  local file <close> = assert(io.open(path, "rb"))
  return (file:read "a")
end
