-- Gets the metatable of strings.
return type(getmetatable("")) == "table"
