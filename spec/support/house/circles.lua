-- Who needs whom: circles among files that call each other, and among Lua modules that require each other.
local files = require "spec.support.house.files"
local sorted_keys = require "spec.support.sorted_keys"

local circles = {}

-- Strongly connected components of more than one node (Tarjan, SIAM J. Comput. 1, 1972), the largest first.
-- graph: node -> set of nodes.
function circles.of(graph)
  local index, low, on, stack, found, n = {}, {}, {}, {}, {}, 0
  local function pop(node)
    local component = {}
    repeat
      local top = table.remove(stack)
      on[top] = false
      component[#component + 1] = top
    until top == node
    table.sort(component)
    if #component > 1 then found[#found + 1] = component end
  end
  local function visit(node)
    n = n + 1
    index[node], low[node], on[node] = n, n, true
    stack[#stack + 1] = node
    for to in pairs(graph[node] or {}) do
      if not index[to] then
        visit(to)
        low[node] = math.min(low[node], low[to])
      elseif on[to] then
        low[node] = math.min(low[node], index[to])
      end
    end
    if low[node] == index[node] then pop(node) end
  end
  for _, node in ipairs(sorted_keys(graph)) do if not index[node] then visit(node) end end
  table.sort(found, function(a, b)
    if #a ~= #b then return #a > #b end
    return a[1] < b[1]
  end)
  return found
end

-- Calls between object files, by what nm shows of a build: source -> set of sources in the same folder; and internal
-- functions (sal__) that are used outside of their folder: "from -> to" -> set of names.
function circles.calls(build, sources)
  local home, needs = {}, {}
  for _, source in ipairs(sources) do
    needs[source] = {}
    for _, line in ipairs(files.lines_of(("nm %s/obj/%s 2>&1"):format(build, (source:gsub("%.c$", ".o"))))) do
      local kind, name = line:match "(%a) ([%w_.]+)$"
      if kind == "U" then
        needs[source][name] = true
      elseif kind == "T" then
        home[name] = source
      end
    end
  end
  local graph, crossing = {}, {}
  for source, names in pairs(needs) do
    graph[source] = {}
    for name in pairs(names) do
      local to = home[name]
      if to and to ~= source then
        local from, into = files.folder(source), files.folder(to)
        if from == into then graph[source][to] = true end
        if from ~= into and name:match "^sal__" then
          local pair = from .. " -> " .. into
          crossing[pair] = crossing[pair] or {}
          crossing[pair][name] = true
        end
      end
    end
  end
  return graph, crossing
end

-- Modules that a module requires, lazily too: path -> set of paths.
function circles.requires(paths)
  local graph, known = {}, {}
  for _, path in ipairs(paths) do known[path] = true end
  for _, path in ipairs(paths) do
    graph[path] = {}
    for name in files.read(path):gmatch "require%s*%(?%s*[\"']([%w_.]+)[\"']" do
      local base = "lua/" .. name:gsub("%.", "/")
      for _, to in ipairs { base .. ".lua", base .. "/init.lua" } do
        if known[to] and to ~= path then graph[path][to] = true end
      end
    end
  end
  return graph
end

return circles
