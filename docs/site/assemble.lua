-- assemble.lua DIR: writes everything that mkdocs reads into DIR: the pages of docs/, the reference, the gallery, all
-- pictures, and a configuration with the list of pages. Lua and the saltus command suffice.
local files = require "docs.site.files"
local gallery = require "docs.site.gallery"
local headers = require "docs.site.headers"
local navigation = require "docs.site.navigation"
local page = require "docs.site.page"
local reference = require "docs.site.reference"
local writer = require "docs.site.markdown_writer"

local dir = assert(arg[1], "assemble.lua DIR")
local pages = dir .. "/pages"

local INTRODUCTION = {
  reference = "What `saltus help TOPIC` prints too. Each page comes from the table that checks what you write.",
  blocks = "Ready-made systems: `saltus.blocks.NAME { ... }` returns a system that you can simulate or add to a "
    .. "diagram. Options marked (parameter) become parameters of the context. Ports are `input` (`input1`, ...) and "
    .. "`output` unless a page says otherwise.",
  c = "The public headers, with their comments. `saltus/saltus.h` includes them all. "
    .. "[Embedding](../embedding.md) has a first program.",
}

local function write_reference(folder, title, list, text_of)
  for _, each in ipairs(list) do files.write(("%s/%s/%s.md"):format(pages, folder, each.name), text_of(each)) end
  files.write(("%s/%s/index.md"):format(pages, folder), writer.index(title, INTRODUCTION[folder], list))
end

local function write_docs()
  for _, path in ipairs(files.list "docs/*.md docs/*/*.md") do page.write(path, path:match "^docs/(.*)", pages) end
  page.write("CHANGELOG.md", "changes.md", pages)
  page.write("CONTRIBUTING.md", "contributing.md", pages)
  page.write("SECURITY.md", "security.md", pages)
  files.write(pages .. "/licence.md", "# Licence\n\n```text\n" .. files.read "LICENSE" .. "```\n")
end

local function copy_assets()
  for _, path in ipairs(files.list "docs/site/assets/* docs/site/vendor/*/*") do
    files.copy(path, pages .. path:match "^docs/site(.*)")
  end
end

local built = { topics = reference.topics(), blocks = reference.blocks(), headers = headers.pages() }
write_docs()
copy_assets()
if files.exists(page.PLAYGROUND) then files.copy(page.PLAYGROUND, pages .. "/playground/index.html") end
write_reference("reference", "Lua reference", built.topics, writer.page)
write_reference("blocks", "Blocks", built.blocks, writer.page)
write_reference("c", "C reference", built.headers, function(header) return header.text end)
built.examples = gallery.write(pages)
files.write(dir .. "/mkdocs.yml", "INHERIT: ../../docs/site/mkdocs.yml\ndocs_dir: pages\nsite_dir: html\n"
  .. navigation.yaml(navigation.tree(built)))
print(("%d pages in %s"):format(#files.list(pages .. "/*.md " .. pages .. "/*/*.md"), pages))
