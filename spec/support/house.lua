-- make house: prints the sizes and dependencies of the sources.
package.path = "./?.lua;" .. package.path
local circles = require "spec.support.house.circles"
local files = require "spec.support.house.files"
local functions = require "spec.support.house.functions"
local structs = require "spec.support.house.structs"

local build = assert(arg[1], "usage: house.lua BUILD (an unoptimised one)")

local function print_row(format, ...) io.write(format:format(...), "\n") end

local function title(text) io.write("\n", text, "\n") end

local function without_tests(paths)
  local list = {}
  for _, path in ipairs(paths) do if not files.is_test(path) then list[#list + 1] = path end end
  return list
end

local function folders_of(paths)
  local folder, names, largest = {}, {}, { lines = 0 }
  for _, path in ipairs(paths) do
    local name = files.folder(path)
    if not folder[name] then folder[name], names[#names + 1] = { files = 0, lines = 0, code = 0 }, name end
    local of, lines, code = folder[name], files.count(path)
    of.files, of.lines, of.code = of.files + 1, of.lines + lines, of.code + code
    if lines > largest.lines then largest = { lines = lines, path = path } end
  end
  table.sort(names)
  return folder, names, largest
end

local function print_folders(paths)
  local folder, names, largest = folders_of(paths)
  local sum = { files = 0, lines = 0, code = 0 }
  print_row("  %-24s %6s %7s %7s", "folder", "files", "lines", "code")
  for _, name in ipairs(names) do
    local of = folder[name]
    for key in pairs(sum) do sum[key] = sum[key] + of[key] end
    print_row("  %-24s %6d %7d %7d%s", name, of.files, of.lines, of.code, of.files > 25 and "   more than 25" or "")
  end
  print_row("  %-24s %6d %7d %7d", "all", sum.files, sum.lines, sum.code)
  print_row("  largest file: %s, %d lines", largest.path, largest.lines)
end

local function print_functions(what, paths)
  local list = functions.of(paths)
  local function at(share) return list[math.max(1, math.ceil(share * #list))].lines end
  local longest = list[#list]
  print_row("  %-4s %5d functions: median %d lines, p90 %d, max %d (%s:%d)", what, #list, at(0.5), at(0.9),
    longest.lines, longest.path, longest.line)
end

local function print_structs(paths)
  local list = structs.of(paths)
  for k = 1, math.min(10, #list) do
    local s = list[k]
    print_row("  %4d  %-28s %s%s", s.members, s.name, s.path, s.functions and "   (a table of functions)" or "")
  end
end

local function print_circles(found)
  if #found == 0 then print_row "  none" end
  for _, circle in ipairs(found) do print_row("  %d: %s", #circle, table.concat(circle, " ")) end
end

local function print_crossings(crossing)
  local pairs_of, all = {}, 0
  for pair, names in pairs(crossing) do
    local count = 0
    for _ in pairs(names) do count = count + 1 end
    pairs_of[#pairs_of + 1] = { pair = pair, count = count }
    all = all + count
  end
  table.sort(pairs_of, function(a, b)
    if a.count ~= b.count then return a.count > b.count end
    return a.pair < b.pair
  end)
  for _, p in ipairs(pairs_of) do print_row("  %4d  %s", p.count, p.pair) end
  print_row("  %4d  all", all)
end

local c, headers = without_tests(files.below("src", ".c")), without_tests(files.below("src", ".h"))
local lua = files.below("lua", ".lua")
local ours = {}
for _, list in ipairs { c, headers, lua } do table.move(list, 1, #list, #ours + 1, ours) end

title "Folders (without tests; code: neither blank nor comment)"
print_folders(ours)
title "Tests"
print_folders(files.below("spec", ".lua", ".c", ".h"))
title "Functions"
local with_inlines = table.move(headers, 1, #headers, #c + 1, table.move(c, 1, #c, 1, {}))
print_functions("C", with_inlines)
print_functions("Lua", lua)
title "Members of the largest structs"
print_structs(with_inlines)
local graph, crossing = circles.calls(build, c)
title "Circles of calls among the files of a folder"
print_circles(circles.of(graph))
title "Circles of require, lazy ones too"
print_circles(circles.of(circles.requires(lua)))
title "Internal functions used from another folder"
print_crossings(crossing)
