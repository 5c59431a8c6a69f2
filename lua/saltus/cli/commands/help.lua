-- saltus help [WORDS]
local complaint = require "saltus.cli.complaint"
local names = require "saltus.util.names"

local function unknown(word, program)
  local search = require "saltus.cli.help_search"
  complaint.raise(complaint.USAGE, "%s\nsaltus: 'saltus help' lists the topics",
    names.unknown("word %s in the help", word, search.names(program.commands)))
end

local function show_topics(program)
  local help = require "saltus.cli.help"
  complaint.say(program.parser:get_help() .. "\n\nTopics, as in 'saltus help system':\n" .. help.list())
  complaint.say "   blocks                ready-made systems; 'saltus help pid' explains one"
  complaint.say "   any word              'saltus help zeno' finds where the help and the documentation speak of it"
  return complaint.SUCCESS
end

-- The text of a topic, a block or a command; nil if the word is none of them.
local function page_text(word, program)
  local help, blocks = require "saltus.cli.help", require "saltus.blocks"
  local page = help.page(word)
  local command = program.parsers[word] and program.parsers[word]:get_help()
  if page then return help.text(page) .. (command and "\n\n" .. command or "") end
  if word == "blocks" or word == "block" then
    return "Ready-made blocks: saltus.blocks.NAME { options }. 'saltus help NAME' explains one.\n\n" .. blocks.help()
  end
  return command or blocks.help_of(word)
end

-- A word may be an option, like --csv.
local function explain(word, program)
  word = word:gsub("^%-h$", "help"):gsub("^%-+", ""):gsub("^saltus%.", ""):gsub("^blocks%.", "")
  local text = page_text(word, program)
  if text then
    complaint.say(text)
  elseif not require("saltus.cli.help_search").explain(word, program.commands, complaint.say) then
    unknown(word, program)
  end
end

local function show_help(args, program)
  if not args.word[1] then return show_topics(program) end
  for i, word in ipairs(args.word) do
    if i > 1 then complaint.say "" end
    explain(word, program)
  end
  return complaint.SUCCESS
end

return {
  name = "help", doc = "Explain a topic, a block or a command; find any other word; without one, list the topics.",
  arguments = {
    { name = "word", optional = true, many = true,
      doc = "A topic, a block such as pid, a command, or any word such as zeno or --csv." },
  },
  takes_any_words = true,
  run = show_help,
}
