-- saltus help [TOPIC]
local complaint = require "saltus.cli.complaint"
local names = require "saltus.util.names"

local function command_names(program)
  local list = {}
  for _, command in ipairs(program.commands) do
    if command.name ~= "help" then list[#list + 1] = command.name end
  end
  return list
end

local function help_with_block(word, program)
  local blocks, help = require "saltus.blocks", require "saltus.cli.help"
  local text = blocks.help_of(word)
  if text then return complaint.say(text) end
  local known = names.joined(help.names(), { "blocks" }, command_names(program))
  local all = names.joined(known, names.of(blocks.kinds()))
  local near = names.near(word, all)
  local found = near and {} or blocks.described_with(word)
  complaint.raise(complaint.USAGE, "%s%s", names.unknown("topic %s of help", word, near and all or known),
    found[1] and "; blocks that speak of it: " .. table.concat(found, ", ") or "")
end

local function show_topics(program)
  local help = require "saltus.cli.help"
  complaint.say(program.parser:get_help() .. "\n\nTopics, as in 'saltus help system':\n" .. help.list())
  complaint.say "   blocks                ready-made systems; 'saltus help pid' explains one"
  return complaint.SUCCESS
end

local function show_help(args, program)
  if args.topic == nil then return show_topics(program) end
  local help = require "saltus.cli.help"
  local word = args.topic:gsub("^saltus%.", ""):gsub("^blocks%.", "")
  local page = help.page(word)
  if page then
    complaint.say(help.text(page))
  elseif word == "blocks" or word == "block" then
    complaint.say("Ready-made blocks: saltus.blocks.NAME { options }. 'saltus help NAME' explains one.\n")
    complaint.say(require("saltus.blocks").help())
  elseif program.parsers[word] then
    complaint.say(program.parsers[word]:get_help())
  else
    help_with_block(word, program)
  end
  return complaint.SUCCESS
end

return {
  name = "help", doc = "Explain a topic, a block or a command; without one, list the topics.",
  arguments = {
    { name = "topic", argname = "TOPIC", doc = "A topic, a block such as pid, or a command.", optional = true },
  },
  run = show_help,
}
