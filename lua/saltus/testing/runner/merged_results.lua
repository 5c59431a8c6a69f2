-- The results of all spec files as one run of busted: the events of the processes are published to an output handler of
-- busted, in the order of the files.
local event_stream = require "saltus.testing.runner.event_stream"

local merged_results = {}

local Results = {}
Results.__index = Results

-- ---- the output handler ----

-- settings: those of spec_files.settings. refuse(text) raises an error for a format that does not exist.
local function load_handler(busted, settings, refuse)
  busted.subscribe({ "error", "output" }, function(_, _, message)
    refuse(("cannot load the output format '%s': %s"):format(settings.output, message:match "^[^\n]*"))
  end)
  require "busted.modules.output_handler_loader"()(busted, settings.output, { defaultOutput = "plainTerminal",
    verbose = settings.verbose, suppressPending = settings["suppress-pending"], language = settings.lang,
    deferPrint = settings["defer-print"], arguments = settings.Xoutput })
end

-- busted and its handlers have state of one run each, so that --watch needs new ones.
local function new_busted()
  for name in pairs(package.loaded) do
    if name == "busted" or name:find "^busted%." or name:find "^cliargs" then package.loaded[name] = nil end
  end
  local busted = require "busted.core"()
  require "busted"(busted)
  return busted
end

local function timed_suite(busted)
  return { descriptor = "suite", starttick = busted.monotime(), starttime = busted.gettime() }
end

-- files: the paths. mark: of the events.
function merged_results.new(files, mark, settings, refuse)
  local busted = new_busted()
  local self = setmetatable({ busted = busted, files = files, parents = setmetatable({}, { __mode = "k" }), at = 1,
    failures = 0, tests = 0, streams = {}, waiting = {}, ended = {} }, Results)
  busted.exportApi("parent", function(element) return self.parents[element] end)
  if not settings.list then load_handler(busted, settings, refuse) end
  for i in ipairs(files) do
    self.streams[i] = event_stream.new(mark, function(text) io.stdout:write(text) end,
      function(event) self:publish(i, event) end)
    self.waiting[i] = {}
  end
  self.suite = timed_suite(busted)
  busted.publish({ "suite", "start" }, self.suite, 1, 1)
  self:begin()
  return self
end

-- ---- one file at a time ----

function Results:begin()
  self.elements, self.test, self.is_complete = {}, nil, false
end

local publishers = {}

function publishers.start(self, event)
  local element = { name = event.name, descriptor = event.descriptor, randomseed = event.randomseed,
    starttime = event.starttime, starttick = event.starttick, trace = event.trace }
  local parent = self.elements[event.parent]
  self.elements[event.id], self.parents[element] = element, parent
  if event.channel == "test" then self.test, self.tests = element, self.tests + 1 end
  self.busted.publish({ event.channel, "start" }, element, parent)
end

publishers["end"] = function(self, event)
  local element = self.elements[event.id]
  element.endtime, element.endtick, element.duration = event.endtime, event.endtick, event.duration
  if event.channel == "test" then self.test = nil end
  self.busted.publish({ event.channel, "end" }, element, self.parents[element], event.status)
end

-- The place of an element that is no test; handlers need one.
function Results:trace_of(event)
  local trace = event.element_trace or event.trace or {}
  trace.short_src, trace.currentline = trace.short_src or self.files[self.at], trace.currentline or 0
  return trace
end

function publishers.problem(self, event)
  local element, parent = self.elements[event.id], self.elements[event.parent]
  if not element then
    element = { name = event.name, descriptor = event.descriptor, trace = self:trace_of(event) }
    self.parents[element] = parent
  end
  if event.status ~= "pending" then self.failures = self.failures + 1 end
  self.busted.publish({ event.status, element.descriptor }, element, parent, event.message, event.trace or {})
end

function publishers.exit(self) self.is_complete = true end

function Results:publish(_, event) publishers[event.kind](self, event) end

local function ending(how, code)
  if how == "signal" then return ("by signal %d"):format(code) end
  return ("with exit status %d"):format(code)
end

-- The process of the present file ended before its specs did: the test that was running has an error, or the file.
function Results:end_early(how, code)
  local path = self.files[self.at]
  local test = self.test
  local element = test or { name = path, descriptor = "file", trace = { short_src = path, currentline = 0 } }
  local message = ("%s: the process of this file ended %s before its specs did"):format(path, ending(how, code))
  self.failures = self.failures + 1
  self.busted.publish({ "error", element.descriptor }, element, self.parents[element], message, {})
  if test then
    test.duration = self.busted.monotime() - (test.starttick or self.busted.monotime())
    self.busted.publish({ "test", "end" }, test, self.parents[test], "error")
  end
end

function Results:finish(how, code)
  self.streams[self.at]:close()
  if not self.is_complete then self:end_early(how, code) end
  self.at = self.at + 1
  self:begin()
end

-- ---- what the processes write ----

-- What was written by the processes whose turn it is now.
function Results:catch_up()
  while self.at <= #self.files do
    for _, text in ipairs(self.waiting[self.at]) do self.streams[self.at]:feed(text) end
    self.waiting[self.at] = {}
    local last = self.ended[self.at]
    if not last then return end
    self:finish(last.how, last.code)
  end
end

function Results:wrote(number, text)
  table.insert(self.waiting[number], text)
  self:catch_up()
end

function Results:process_ended(number, how, code)
  self.ended[number] = { how = how, code = code }
  self:catch_up()
end

-- Returns the number of failures and errors, and that of tests.
function Results:close()
  local suite = self.suite
  suite.endtick, suite.endtime = self.busted.monotime(), self.busted.gettime()
  suite.duration = suite.endtick - suite.starttick
  self.busted.publish({ "suite", "end" }, suite, 1, 1)
  self.busted.publish { "exit" }
  return self.failures, self.tests
end

return merged_results
