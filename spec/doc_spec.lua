-- `make doc`: a page for every topic and every block, with every option, every port, and links that lead somewhere.
local blocks = require "saltus.blocks"

local build = os.getenv "SALTUS_BUILD" or "build"

describe("spec/support/doc.lua", function()
  local dir = os.tmpname()
  local pages = {}

  setup(function()
    os.remove(dir)
    assert(os.execute("mkdir " .. dir))
    local env = ('LUA_PATH="./lua/?.lua;./lua/?/init.lua;;" LUA_CPATH="./%s/lua/?.so;;"'):format(build)
    assert(os.execute(("%s %s spec/support/doc.lua %s >/dev/null"):format(env, os.getenv "LUA" or "lua5.4", dir)))
    local pipe = assert(io.popen("ls " .. dir))
    for name in pipe:lines() do
      local file = assert(io.open(dir .. "/" .. name))
      pages[name] = file:read "a"
      file:close()
    end
    pipe:close()
  end)

  teardown(function() os.execute("rm -r " .. dir) end)

  it("has all options, ports, laws and counterparts", function()
    for _, kind in ipairs(blocks.kinds()) do
      local text = assert(pages[(kind.instead_of or kind.name) .. ".html"], kind.name)
      for _, option in ipairs(kind.options) do
        assert.is_truthy(text:find("<code>" .. option.name .. "</code>", 1, true), kind.name .. " " .. option.name)
      end
      assert.is_truthy(text:find("output", 1, true) or text:find("position", 1, true))
      if kind.drake then assert.is_truthy(text:find("In Drake: " .. kind.drake, 1, true), kind.name) end
    end
  end)

  it("has a page for each topic with the text of help, and no topic has the name of a block", function()
    local help = require "saltus.cli.help"
    for _, name in ipairs(help.names()) do
      local text = assert(pages[name .. ".html"], name):gsub("<[^>]*>", "")
      for from, to in pairs { ["&lt;"] = "<", ["&gt;"] = ">", ["&quot;"] = '"', ["&amp;"] = "&" } do
        text = text:gsub(from, to)
      end
      for _, part in ipairs(help.page(name)) do
        for _, row in ipairs(part.rows or {}) do
          for _, cell in ipairs(row) do
            assert.is_truthy(text:find(cell:gsub("`", ""), 1, true), name .. ": " .. cell)
          end
        end
      end
      for _, kind in ipairs(blocks.kinds()) do assert.not_equal(name, kind.name) end
    end
  end)

  it("links to existing pages, and closes its tags", function()
    for name, text in pairs(pages) do
      for target in text:gmatch 'href="([^"]+)"' do assert.is_truthy(pages[target], name .. " -> " .. target) end
      for _, tag in ipairs { "table", "pre", "code", "h1", "h2", "tr", "td", "p" } do
        local _, opened = text:gsub("<" .. tag .. "[ >]", "")
        local _, closed = text:gsub("</" .. tag .. ">", "")
        assert.equal(opened, closed, name .. " " .. tag)
      end
    end
  end)
end)
