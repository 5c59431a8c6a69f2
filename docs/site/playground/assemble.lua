-- assemble.lua DIR: writes DIR/index.html, the playground as one page that needs no server and no network. DIR has
-- saltus.js and saltus.wasm, which emcc wrote, and node_modules.
local files = require "docs.site.files"
local gallery = require "docs.site.gallery"

local dir = assert(arg[1], "assemble.lua DIR")

local function source(name) return files.read("docs/site/playground/" .. name) end

local function installed(name) return files.read(dir .. "/node_modules/codemirror/" .. name) end

-- All files of the pack: { path, contents }.
local function contents()
  local list = {}
  for i, name in ipairs { "saltus.js", "saltus.wasm" } do list[i] = { name, files.read(dir .. "/" .. name) } end
  for _, path in ipairs(files.list "$(find lua examples/data examples/*.lua -type f | LC_ALL=C sort)") do
    list[#list + 1] = { "/" .. path, files.read(path) }
  end
  return list
end

local function examples()
  local list = {}
  for _, example in ipairs(gallery.examples()) do
    if example.file:match "^examples/[^/]*$" then list[#list + 1] = { name = example.name, title = example.title } end
  end
  return list
end

-- A list of tables with text and numbers, in which no text needs an escape, as JSON.
local function json(list, ...)
  local fields, lines = { ... }, {}
  for i, item in ipairs(list) do
    local parts = {}
    for k, field in ipairs(fields) do
      local value = item[field]
      assert(not tostring(value):find '["\\%c]', value)
      parts[k] = ('"%s":%s'):format(field, type(value) == "string" and '"' .. value .. '"' or value)
    end
    lines[i] = "{" .. table.concat(parts, ",") .. "}"
  end
  return "[" .. table.concat(lines, ",") .. "]"
end

-- Index and files, compressed, in characters that a page may contain.
local function pack()
  local index, bytes = {}, {}
  for i, file in ipairs(contents()) do
    index[i] = { path = file[1], size = #file[2] }
    bytes[i] = file[2]
  end
  local text = ('{"files":%s,"examples":%s}'):format(json(index, "path", "size"), json(examples(), "name", "title"))
  files.write(dir .. "/pack", string.pack("<s4", text) .. table.concat(bytes))
  assert(os.execute(("gzip -9nf '%s/pack' && base64 -w0 '%s/pack.gz' >'%s/pack.txt'"):format(dir, dir, dir)))
  return files.read(dir .. "/pack.txt")
end

local parts = { pack = pack(), page = source "page.js", worker = source "worker.js",
  style = installed "lib/codemirror.css" .. source "page.css",
  editor = installed "lib/codemirror.js" .. installed "mode/lua/lua.js" }
for name, text in pairs(parts) do assert(not text:lower():find("</script", 1, true), name) end
local page = source("index.html"):gsub("{{(%a+)}}", parts)
files.write(dir .. "/index.html", page)
print(("%s/index.html: %d bytes"):format(dir, #page))
