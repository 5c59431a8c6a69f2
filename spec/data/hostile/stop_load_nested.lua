-- Compiles deeply nested text.
return load(("("):rep(1e6)) ~= nil
