-- Parts of a Markdown page: its code blocks, its links, its prose, and the sentences of that.
local markdown = {}

-- { language, title, source, after }: after is the text from the end of the block on. The title is a file name:
-- ```lua title="ball.lua"
function markdown.code_blocks(text)
  local blocks, at = {}, 1
  while true do
    local first, last, language, words, source = text:find("\n```(%w+)([^\n]*)\n(.-)\n```\n", at)
    if not first then return blocks end
    blocks[#blocks + 1] = { language = language, title = words:match 'title="([^"]+)"', source = source,
      after = text:sub(last + 1) }
    at = last
  end
end

-- Targets of links within the repository.
function markdown.links(text)
  local targets = {}
  for target in text:gmatch "%]%(([^)%s]+)%)" do
    if not target:find "^%a+:" then targets[#targets + 1] = target:gsub("#.*", "") end
  end
  return targets
end

-- Text between backticks outside of code blocks.
function markdown.code_spans(text)
  local spans = {}
  for span in text:gsub("\n```.-\n```", "\n"):gmatch "`([^`\n]+)`" do spans[#spans + 1] = span end
  return spans
end

-- The text without code, tables, links and marks. Lines and blank lines stay where they are.
function markdown.prose(text)
  text = ("\n" .. text):gsub("\n```.-\n```", "\n"):gsub("`[^`]*`", "")
  text = text:gsub("!?%[[^%]]*%]%([^)]*%)", "")
  local lines = {}
  for line in text:gmatch "([^\n]*)\n?" do
    local is_code, is_table = line:find "^    ", line:find "^%s*|"
    lines[#lines + 1] = (is_code or is_table) and "" or line:gsub("^#+%s*", ""):gsub("[*_]", "")
  end
  return table.concat(lines, "\n")
end

-- Sentences end at . ? ! or at a blank line.
function markdown.sentences(prose)
  local sentences = {}
  for paragraph in (prose:gsub("\n%s*\n", "\0")):gmatch "%Z+" do
    for sentence in (paragraph:gsub("%s+", " ") .. " "):gsub("([.?!][\")']*) ", "%1\0"):gmatch "%Z+" do
      if sentence:find "%w" then sentences[#sentences + 1] = sentence:match "^%s*(.-)%s*$" end
    end
  end
  return sentences
end

function markdown.word_count(sentence)
  local count = 0
  for word in sentence:gmatch "%S+" do
    if word:find "[%w\x80-\xff]" then count = count + 1 end
  end
  return count
end

return markdown
