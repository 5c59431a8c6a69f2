-- The documentation is plain English: short sentences, and none of the phrases in spec/data/idioms.txt.
local help = require "saltus.cli.help"
local markdown = require "spec.support.markdown"
local slurp = require "spec.support.slurp"

local MOST_WORDS = 35

local function pages()
  local list = { "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md" }
  local pipe = assert(io.popen "ls docs/*.md docs/*/*.md")
  for path in pipe:lines() do list[#list + 1] = path end
  pipe:close()
  return list
end

local function idioms()
  local list = {}
  for line in slurp "spec/data/idioms.txt":gmatch "[^\n]+" do
    if not line:find "^#" then list[#list + 1] = line end
  end
  return list
end

-- Lower case, single blanks, and a blank for each character that is no part of a word.
local function words_only(text) return " " .. text:lower():gsub("[^%w'\x80-\xff]+", " ") .. " " end

local function long_sentences(text)
  local found = {}
  for _, sentence in ipairs(markdown.sentences(markdown.prose(text))) do
    local count = markdown.word_count(sentence)
    if count > MOST_WORDS then found[#found + 1] = ("%d words: %s"):format(count, sentence) end
  end
  return found
end

local function idioms_in(text)
  local found, words = {}, words_only(markdown.prose(text))
  for _, idiom in ipairs(idioms()) do
    if words:find(words_only(idiom), 1, true) then found[#found + 1] = idiom end
  end
  return found
end

describe("prose", function()
  for _, path in ipairs(pages()) do
    it("of " .. path .. " has no sentence over " .. MOST_WORDS .. " words", function()
      assert.same({}, long_sentences(slurp(path)))
    end)

    it("of " .. path .. " has none of the idioms", function() assert.same({}, idioms_in(slurp(path))) end)
  end

  for _, topic in ipairs(help.names()) do
    it("of the help about " .. topic .. " has none of the idioms", function()
      assert.same({}, idioms_in(help.text(help.page(topic)):gsub("\n +", "\n")))
    end)
  end

  it("of the README is under 900 words with its code", function()
    assert.is_true(select(2, slurp "README.md":gsub("%S+", "")) < 900)
  end)
end)

describe("the measure of prose", function()
  local long = ("word "):rep(MOST_WORDS) .. "word"

  it("finds a sentence of 36 words, and none of 35", function()
    assert.equal(1, #long_sentences(long))
    assert.equal(1, #long_sentences("Short. " .. long:gsub(" ", "\n", 20) .. ". Short!"))
    assert.equal(1, #long_sentences("- " .. long .. "\n"))
    assert.same({}, long_sentences(long:sub(6)))
  end)

  it("ends a sentence at . ? ! and at a blank line, not at a decimal point", function()
    for _, stop in ipairs { ". ", "? ", "! ", '." ', ".) ", "\n\n", ".\n" } do
      assert.same({}, long_sentences(long:sub(6) .. stop .. long:sub(6)), stop)
    end
    for _, no_stop in ipairs { " 1.5 ", "\n", ", ", ": ", "\n- " } do
      assert.equal(1, #long_sentences(long:sub(6) .. no_stop .. long:sub(6)), no_stop)
    end
  end)

  it("counts no code, no table and no link", function()
    for _, form in ipairs { "\n```lua\n%s\n```\n", "\n    %s\n", "| a | %s |\n", "[%s](x.md)", "`%s`" } do
      assert.same({}, long_sentences(form:format(long)), form)
      assert.same({}, idioms_in(form:format "the seed"), form)
    end
  end)

  it("finds each idiom, in any case, across lines, and not inside of a word", function()
    assert.is_true(#idioms() > 30)
    for _, idiom in ipairs(idioms()) do
      local planted = "Here " .. idiom:upper():gsub(" ", "\n") .. ", there."
      local found = {}
      for _, name in ipairs(idioms_in(planted)) do found[name] = true end
      assert.is_true(found[idiom], idiom)
    end
    assert.same({}, idioms_in "A standard task: understand the seeds, replace the tellers.")
  end)
end)
