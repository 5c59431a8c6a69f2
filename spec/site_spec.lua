-- The pages that `make site` builds, as far as they need Lua only: the list of pages, the reference and the links.
local check_links = require "docs.site.check_links"
local files = require "docs.site.files"
local headers = require "docs.site.headers"
local reference = require "docs.site.reference"
local writer = require "docs.site.markdown_writer"

local function in_folder(check)
  local dir = os.tmpname()
  os.remove(dir)
  local ok, wrong = pcall(check, dir)
  os.execute("rm -rf " .. dir)
  if not ok then error(wrong, 0) end
end

-- Whether a page in Markdown has what "#anchor" names: a heading, or an id.
local function has_anchor(text, anchor)
  if text:find("{#" .. anchor .. "}", 1, true) or text:find('id="' .. anchor .. '"', 1, true) then return true end
  for heading in text:gmatch "\n#+ ([^\n]+)" do
    if heading:lower():gsub("[^%w%s_-]", ""):gsub("%s+", "-") == anchor then return true end
  end
  return false
end

describe("the C reference", function()
  it("has a heading or an anchor for each function and each type", function()
    local checked = 0
    for _, path in ipairs(files.list "src/include/saltus/*.h") do
      local page, source = headers.page(path, {}).text, files.read(path)
      for line in source:gmatch "[^\n]+" do
        local name = line:match "^SAL_API[^;(]-([%w_]+)%(" or line:match "^} ([%w_]+);"
        if name then
          checked = checked + 1
          assert.truthy(page:find("{#" .. name .. "}", 1, true) or page:find('id="' .. name .. '"', 1, true), name)
        end
      end
    end
    assert.is_true(checked > 150)
  end)

  it("leads from each name in a comment to its entry", function()
    for _, page in ipairs(headers.pages()) do
      if page.name == "simulator" then
        assert.truthy(page.text:find("[`sal_simulator_new`](simulator.md#sal_simulator_new)", 1, true))
        assert.truthy(page.text:find("[`sal_system_set_mass`](system.md#sal_system_set_mass)", 1, true))
      end
    end
  end)

  it("has every word of the comments, outside of declarations", function()
    local page = headers.page("src/include/saltus/simulator.h", {}).text:gsub("[`\\]", "")
    for _, words in ipairs { "Ends the running advance after its present step", "Returns XXH64 of time" } do
      assert.truthy(page:find(words, 1, true), words)
    end
  end)
end)

describe("the reference in Markdown", function()
  it("has a row for each option of each command", function()
    local topics = reference.topics()
    local text = writer.page(topics[#topics])
    for _, command in ipairs(require "saltus.cli.commands") do
      assert.truthy(text:find("## saltus " .. command.name .. "\n", 1, true), command.name)
      for _, option in ipairs(command.options or {}) do
        assert.truthy(text:find("| `" .. option.name, 1, true), option.name)
        assert.truthy(text:find(writer.prose(option.doc), 1, true), option.doc)
      end
    end
  end)

  it("has rows of equal length", function()
    for _, list in ipairs { reference.topics(), reference.blocks() } do
      for _, page in ipairs(list) do
        for rows in ("\n" .. writer.page(page)):gmatch "\n(|.-)\n\n" do
          local width = select(2, rows:match("[^\n]+"):gsub("|", ""))
          for row in rows:gmatch "[^\n]+" do
            local plain = row:gsub("\\|", ""):gsub("`[^`]*`", "")
            assert.equal(width, select(2, plain:gsub("|", "")), page.name .. ": " .. row)
          end
        end
      end
    end
  end)

  it("marks nothing but code", function()
    assert.equal("a\\_b `a_b` &lt;c&gt; \\*", writer.prose "a_b `a_b` <c> *")
  end)
end)

describe("docs/site/assemble.lua", function()
  it("writes each page that it lists, whose links lead to pages, and draws the pictures that they ask for", function()
    in_folder(function(dir)
      local paths = ('LUA_PATH="./lua/?.lua;./lua/?/init.lua;;" LUA_CPATH="./%s/lua/?.so;;"')
        :format(os.getenv "SALTUS_BUILD" or "build")
      local command = ("%s %s docs/site/assemble.lua %s"):format(paths, os.getenv "LUA" or "lua5.4", dir)
      local pipe = assert(io.popen(command .. " 2>&1"))
      local said = pipe:read "a"
      assert.is_true(pipe:close(), said)
      local pages, links = files.list(("%s/pages/*.md %s/pages/*/*.md"):format(dir, dir)), 0
      assert.is_true(#pages > 100)
      local off = {} -- how often a page is listed, less how often it is there
      for at in files.read(dir .. "/mkdocs.yml"):gmatch ": (%S+%.md)\n" do
        off[at] = (off[at] or 0) + 1
      end
      for _, page in ipairs(pages) do
        local at = page:match "/pages/(.*)"
        off[at] = off[at] ~= 1 and (off[at] or 0) - 1 or nil
      end
      assert.same({}, off)
      for _, page in ipairs(pages) do
        local text = files.read(page):gsub("\n```.-\n```", "\n"):gsub("`[^`\n]*`", "")
        for target in text:gmatch "%]%(([^)%s]+)%)" do
          local path = target:gsub("#.*", "")
          if path ~= "" and not path:find "^%a+:" then
            links = links + 1
            local file = page:match "^(.*/)" .. path
            assert.is_true(os.execute(("[ -e '%s' ]"):format(file)), page .. ": " .. target)
            local anchor = target:match "#(.+)"
            assert.is_true(not anchor or has_anchor("\n" .. files.read(file), anchor), page .. ": " .. target)
          end
        end
        for source in text:gmatch ' src="([^"]+)"' do
          assert.is_true(os.execute(("[ -s '%s%s' ]"):format(page:match "^(.*/)", source)), page .. ": " .. source)
        end
        assert.is_nil(text:find("<!-- picture:", 1, true), page)
      end
      assert.is_true(links > 100)
    end)
  end)
end)

describe("docs/site/check_links.lua", function()
  it("finds a dead link, a dead anchor, and what is loaded from elsewhere; and nothing else", function()
    in_folder(function(dir)
      files.write(dir .. "/b/c.html", '<h1 id="top">c</h1><a href="../a.html#x">a</a>')
      files.write(dir .. "/a.html", '<p id="x"><a href="b/c.html#top">c</a><a href="https://lua.org">lua</a></p>')
      assert.same({}, (check_links.faults(dir)))
      files.write(dir .. "/a.html", [[<p><a href="b/d.html">d</a><a href="b/c.html#bottom">c</a>
        <script src="https://lua.org/x.js"></script><img src="none.svg"></p>]])
      local faults = check_links.faults(dir)
      assert.equal(5, #faults)
      for _, words in ipairs { "no file for b/d.html", "no anchor for b/c.html#bottom", "no anchor for ../a.html#x",
        "<script> loads https://lua.org/x.js", "no file for none.svg" } do
        assert.truthy(table.concat(faults, "\n"):find(words, 1, true), words)
      end
    end)
  end)
end)
