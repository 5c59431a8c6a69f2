-- The patterns of scripts in a sandbox (src/binding/sandbox/pattern.c) mean what Lua's mean: the same results and
-- errors on random texts and patterns.
local core = require "saltus.core"
local cases = require "spec.support.cases"
local random = require "spec.support.random"

describe("find, match, gmatch and gsub of a sandbox", function()
  local ours = core.sandbox_library().string

  local function all(...)
    local out = table.pack(pcall(...))
    for i = 1, out.n do out[i] = tostring(out[i]):gsub("to '[^']*'", "") end
    return table.concat(out, "\1")
  end

  local function each(gmatch, ...)
    local out = {}
    for a, b in gmatch(...) do out[#out + 1] = tostring(a) .. "," .. tostring(b) end
    return table.concat(out, ";")
  end

  local pieces = { "a", "b", "ab", ".", "%a", "%d", "%s", "%W", "[ab]", "[^a]", "[a-c]", "[%a_]", "[]]",
    "*", "+", "-", "?",
    "(", ")", "()", "%1", "%b()", "%f[%a]", "^", "$", "%", "[", "x", "%%", "%.", "1",
    " ", "\0", "%u", "%f", "%b", "%2" }
  local texts = { "", "a", "abab", "aab ba1", "(a(b)c)", "x1 y2", "[a]", "a.b%c", "aaa\0b", "  ab_cd  ", "AbC", "]]" }

  it("answer as those of Lua on random patterns", function()
    local rng = random.new(7)
    for _ = 1, cases(20000) do
      local parts = {}
      for i = 1, rng:integer(1, 6) do parts[i] = rng:pick(pieces) end
      local pattern, text = table.concat(parts), rng:pick(texts)
      for _, name in ipairs { "find", "match" } do
        assert.equal(all(string[name], text, pattern), all(ours[name], text, pattern), pattern)
        assert.equal(all(string[name], text, pattern, 3), all(ours[name], text, pattern, 3))
        assert.equal(all(string[name], text, pattern, -2), all(ours[name], text, pattern, -2))
      end
      assert.equal(all(string.gsub, text, pattern, "<%0>"), all(ours.gsub, text, pattern, "<%0>"), pattern)
      assert.equal(all(string.gsub, text, pattern, "%1", 2), all(ours.gsub, text, pattern, "%1", 2))
      assert.equal(all(each, string.gmatch, text, pattern), all(each, ours.gmatch, text, pattern), pattern)
    end
  end)

  it("answer as those of Lua for plain texts, tables and functions", function()
    for _, call in ipairs { { "find", "a.b", ".", 1, true }, { "find", "abc", "" }, { "find", "abc", "", 10 },
      { "find", "", "" }, { "find", "a\0b", "\0b" }, { "gsub", "abc", "%w", { a = 1, b = false } },
      { "gsub", "abc", "%w", string.upper }, { "gsub", "abc", "", "-" }, { "gsub", "abc", "b", "%2" },
      { "gsub", "abc", "b", "%" }, { "gsub", "abc", "b", {} , -1 }, { "gsub", "abc", "b", true },
      { "gsub", "abc", "b", function() return {} end }, { "match", "key = value", "^(%w+)%s*=%s*(%w+)$" },
      { "find", ("a"):rep(300), (".?"):rep(250) }, { "match", "x", ("("):rep(40) .. "x" .. (")"):rep(40) } } do
      assert.equal(all(string[call[1]], table.unpack(call, 2, 5)), all(ours[call[1]], table.unpack(call, 2, 5)),
        call[1] .. " " .. tostring(call[3]))
    end
  end)
end)
