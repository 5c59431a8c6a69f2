-- Requests that wait for something shared: by rank, the lowest first, then in the order in which they came. It is the
-- common half of resources, stores and tanks.
--
-- An owner has the methods can(request), grant(request), give_back(request) and serve_all(). A request is a condition
-- (condition.lua).
local condition = require "saltus.story.condition"
local names = require "saltus.util.names"
local queue_statistics = require "saltus.story.queue_statistics"

local line = {}

local Line = {}
Line.__index = Line

function line.new(host)
  local now = host.run.time
  return setmetatable({ host = host, first = 1, last = 0, count = 0, length = queue_statistics.mean(now, 0),
    waits = queue_statistics.waits(), requests = 0 }, Line)
end

local function set_count(self, change)
  self.count = self.count + change
  self.length:set(self.host.run.time, self.count)
end

local function join(self, request)
  local at = self.last
  while at >= self.first and self[at].rank > request.rank do
    self[at + 1] = self[at]
    at = at - 1
  end
  self[at + 1], self.last = request, self.last + 1
  set_count(self, 1)
end

local function remove_at(self, at)
  if at == self.first then
    self[at], self.first = nil, at + 1
  else
    table.move(self, at + 1, self.last + 1, at)
    self.last = self.last - 1
  end
  set_count(self, -1)
end

local function remove(self, request)
  for at = self.first, self.last do
    if self[at] == request then return remove_at(self, at) end
  end
end

-- ---- requests ----

local Request = condition.new_kind "request"
line.Request = Request

-- A kind of request; `base` methods are those of all.
function line.new_request_kind()
  local class = setmetatable({}, { __index = Request })
  class.__index, class.__name = class, Request.__name
  return class
end

local function check_rank(options, who)
  local rank = options.rank
  names.check(rank == nil or type(rank) == "number" and rank == rank, rank, "%s: rank must be a number; the lowest is "
    .. "served first", who)
  return rank or 0
end

-- The fields of a new request in this line.
function line.request(class, owner, own_line, options, known, who)
  options = options == nil and {} or options
  names.check(type(options) == "table", options, "%s: options are a table", who)
  names.check_keys(options, known, "option %s", who)
  return setmetatable({ owner = owner, line = own_line, rank = check_rank(options, who), state = "new" }, class)
end

local function serve(request)
  request.line.waits:add(request.line.host.run.time - request.since)
  request.state = "granted"
  request.owner:grant(request)
end

function Request:arm(host, story, index)
  names.fail_if(self.state == "granted", "%s is met already", self:text())
  names.fail_if(self.state == "waiting", "another wait is using %s; make a request for each wait", self:text())
  self.line.requests = self.line.requests + 1
  self.story, self.token, self.index, self.since = story, story:token(), index, host.run.time
  if self.line.first > self.line.last or self.owner.serves_any or self.rank < self.line[self.line.first].rank then
    if self.owner:can(self) then
      serve(self)
      if self.owner.has_other_side then self.owner:serve_all() end
      return true
    end
  end
  self.state = "waiting"
  join(self.line, self)
end

function Request:withdraw()
  if self.state == "waiting" then
    remove(self.line, self)
    self.line.waits.left = self.line.waits.left + 1
    self.state = "new"
    self.owner:serve_all()
  elseif self.state == "granted" then
    self.state = "new"
    self.owner:give_back(self)
  end
end

names.closed(Request, "a request", { "item", "at", "match", "number", "is_lost", "preempt", "amount", "story", "token",
  "index", "since", "is_stopped" }, { "release", "lost", "is_lost", "item", "amount", "rank" })

-- Serves requests from the first one on, until one cannot be served; with serves_any, also those behind it.
function Line:serve(owner)
  local at, any = self.first, owner.serves_any
  while at <= self.last and not (any and owner:is_empty()) do
    local request = self[at]
    if owner:can(request) then
      remove_at(self, at)
      if request.story:wake(request.token, request.index) then serve(request) end
      at = any and math.max(at, self.first) or self.first
    elseif any then
      at = at + 1
    else
      return
    end
  end
end

local STATISTICS = names.closing "the statistics of a queue"

-- The part of the statistics that all have.
function Line:statistics()
  local now, waits = self.host.run.time, self.waits
  return setmetatable({ requests = self.requests, served = waits.served, left = waits.left, waiting = self.count,
    mean_wait = waits:mean(), max_wait = waits.longest, mean_queue = self.length:at(now),
    max_queue = self.length.largest }, STATISTICS)
end

-- The name and the capacity that a user gave: a number, a name, or { capacity =, name = }.
function line.options(given, known, what)
  if given == nil then given = {} end
  if type(given) == "number" then given = { capacity = given } end
  if type(given) == "string" then given = { name = given } end
  names.check(type(given) == "table", given, "%s takes a capacity, a name, or a table of both", what)
  names.check_keys(given, known, "field %s", what)
  names.check_type(given.name, "string", "%s: name must be a string", what)
  local capacity = given.capacity
  names.check(capacity == nil or type(capacity) == "number" and capacity > 0, capacity,
    "%s: capacity must be a number greater than 0", what)
  return given
end

-- ---- waits of the story that runs; `s` may be the first argument ----

function line.without_story(host, first, ...)
  if host.is_story(first) then return ... end
  return first, ...
end

-- The options of a request, and those of the wait for it.
function line.split_options(options)
  if type(options) ~= "table" then return options, nil end
  local rest = names.merged(options)
  rest.within = nil
  return rest, options.within ~= nil and { within = options.within } or nil
end

function line.wait_for(host, request, waiting)
  local story = host.kernel:current()
  names.fail_if(not story, "only a story that runs can wait for %s", request:text())
  return story:wait_until(request, waiting)
end

-- Adds a shared thing to those of the host, whose statistics are found by name.
function line.register(host, owner, name, what)
  local n = #host.queues + 1
  owner.name = name or what .. " " .. n
  names.fail_if(rawget(host.queues, owner.name), "%s: the name %q is taken", what, owner.name)
  host.queues[n], host.queues[owner.name] = owner, owner
end

return line
