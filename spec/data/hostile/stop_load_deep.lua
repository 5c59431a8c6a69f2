-- source nested deep: brackets, functions, tables, concatenations, unary
for _, p in ipairs { { "(", ")" }, { "{", "}" }, { "function() return ", " end" }, { "-", "" }, { "not ", "" }, { "a..", "" }, { "a^", "" }, { "if a then ", " end" }, { "do ", " end" } } do
  local text = p[1]:rep(1e5) .. "1" .. p[2]:rep(1e5)
  local ok = load("return " .. text) local ok2 = load(text)
end
return false
