-- Stores: items that stories put and get, first in, first out.
--
--   local box = s:store()            s:store { name = "box", capacity = 10 }
--   box:put(item)                    waits while the store is full
--   local item = box:get { within = 5 }
--   local get = box:request()        a condition; get.item when it is met
local line = require "saltus.story.line"
local names = require "saltus.util.names"
local queue_statistics = require "saltus.story.queue_statistics"

local store = {}

local Store = { __name = "saltus.store" }
local Get, Put = line.new_request_kind(), line.new_request_kind()

function Store:__index(key)
  if key == "statistics" then return Store.count(self) end
  return Store[key]
end

-- The two ends of a store, as owners of their lines.
local Getting, Putting = { serves_any = true, has_other_side = true }, { has_other_side = true }
Getting.__index, Putting.__index = Getting, Putting

function store.new(host, given)
  given = line.options(given, { "capacity", "name" }, "store")
  local self = setmetatable({ host = host, capacity = given.capacity or math.huge, items = {}, first = 1, last = 0,
    amount = queue_statistics.mean(host.run.time, 0) }, Store)
  self.getting = setmetatable({ store = self, line = line.new(host) }, Getting)
  self.putting = setmetatable({ store = self, line = line.new(host) }, Putting)
  line.register(host, self, given.name, "store")
  return self
end

function Store:__len() return self.last - self.first + 1 end

local function note_amount(self) self.amount:set(self.host.run.time, #self) end

local function serve_all(self)
  self.putting.line:serve(self.putting)
  self.getting.line:serve(self.getting)
  if self.putting.line.count > 0 and #self < self.capacity then return serve_all(self) end
end

-- ---- getting ----

-- Where the first item is that the request takes; nil: there is none.
local function find(self, request)
  if not request.match then return self.first <= self.last and self.first or nil end
  for at = self.first, self.last do
    if request.match(self.items[at]) then return at end
  end
end

local function take(self, at)
  local item = self.items[at]
  if at == self.first then
    self.items[at], self.first = nil, at + 1
  else
    table.move(self.items, at + 1, self.last + 1, at)
    self.last = self.last - 1
  end
  note_amount(self)
  return item
end

function Getting:is_empty() return #self.store == 0 end

function Getting:can(request)
  request.at = find(self.store, request)
  return request.at ~= nil
end

function Getting:grant(request) request.item = take(self.store, request.at) end

-- The item becomes the first one again.
function Getting:give_back(request)
  local at = self.store.first - 1
  self.store.items[at], self.store.first = request.item, at
  request.item = nil
  note_amount(self.store)
  serve_all(self.store)
end

function Getting:serve_all() serve_all(self.store) end

-- A condition; its item is in the field `item`. match: a function of an item, which is true for one that will do.
function Store:request(options)
  local request = line.request(Get, self.getting, self.getting.line, options, { "rank", "match" }, "request")
  request.match = options and options.match
  names.check_type(request.match, "function", "request: match must be a function of an item")
  return request
end

function Get:value() return self.item end

function Get:text() return ("an item of %q"):format(self.owner.store.name) end

-- ---- putting ----

function Putting:can() return #self.store < self.store.capacity end

function Putting:grant(request)
  self.store.last = self.store.last + 1
  self.store.items[self.store.last] = request.item
  note_amount(self.store)
end

-- The item was put, and another condition was chosen: it is taken out again, if no one has it yet.
function Putting:give_back(request)
  for at = self.store.last, self.store.first, -1 do
    if self.store.items[at] == request.item then return take(self.store, at) end
  end
end

function Putting:serve_all() serve_all(self.store) end

-- A condition: the item is in the store.
function Store:offer(item, options)
  names.fail_if(item == nil, "a store takes a value, not nil")
  local request = line.request(Put, self.putting, self.putting.line, options, { "rank" }, "offer")
  request.item = item
  return request
end

function Put:value() return true end

function Put:text() return ("room in %q"):format(self.owner.store.name) end

-- ---- for the story that runs ----

function Store:get(...)
  local options, waiting = line.split_options((line.without_story(self.host, ...)))
  return line.wait_for(self.host, self:request(options), waiting)
end

function Store:put(...)
  local item, given = line.without_story(self.host, ...)
  local options, waiting = line.split_options(given)
  line.wait_for(self.host, self:offer(item, options), waiting)
end

-- Of those that get; the mean number of items, and how many wait to put.
function Store:count()
  local out = self.getting.line:statistics()
  out.items, out.mean_items, out.max_items = #self, self.amount:at(self.host.run.time), self.amount.largest
  out.putting, out.mean_putting = self.putting.line.count, self.putting.line.length:at(self.host.run.time)
  return out
end

names.with_colon(Store, Store.__name, { "request", "offer", "get", "put" })
names.closed(Store, "a store", nil, { "request", "offer", "get", "put", "statistics", "name", "capacity" })

return store
