-- `saltus live`: a session, the server that shows it, and the edited files. turn() does a bit of everything.
local http_request = require "saltus.live.http_request"
local messages = require "saltus.live.messages"
local page = require "saltus.live.page"
local server = require "saltus.live.server"
local session = require "saltus.live.session"

local service = {}

local Service = {}
Service.__index = Service

local FRAME = 1 / 30 -- s between two messages
local LOOK = 0.2 -- s between two looks at the files
local LONGEST = 0.1 -- s that the show advances at most in one turn, after the computer has slept, say

-- A request that is no event stream: status, type, body.
local function answer(self, request)
  if request.method == "GET" then
    local kind, text = page.file(request.path)
    if kind then return 200, kind, text end
    return 404
  end
  local name = request.path:match "^/act/(%l+)$"
  if not name then return 404 end
  local fields = http_request.fields(request.body)
  if not fields then return 400, nil, "the body must be name=value&name=value\n" end
  local refused = self.session:act(name, fields)
  if refused then return 400, nil, refused end
  return 204, nil, ""
end

-- options: socket (the module), port, file (its name), files (of util/source_files); load, changes, speed and clock as
-- of session.new.
-- Returns nil and the reason if the file does not load or the port is taken.
function service.new(options)
  local self = setmetatable({ options = options, clock = options.clock }, Service)
  local live, wrong = session.new { load = options.load, changes = options.changes, speed = options.speed,
    clock = options.clock, file = options.file }
  if not live then return nil, wrong end
  self.session = live
  self.server, wrong = server.new { socket = options.socket, clock = options.clock, token = server.token(),
    port = options.port, answer = function(request) return answer(self, request) end,
    welcome = function() return (messages.all(live)) end }
  if not self.server then return nil, wrong end
  self.last, self.framed, self.looked = self.clock(), 0, 0
  return self
end

function Service:url() return self.server:url() end

local function is_busy(self) return self.session.mode == "running" or self.session.mode == "seeking" end

-- Serves, advances the run, and looks at the files; waits at most a tenth of a second for something to do.
function Service:turn()
  self.server:poll(is_busy(self) and 0.002 or 0.1)
  local now = self.clock()
  local passed = math.min(now - self.last, LONGEST)
  self.last = now
  if self.server:listeners() == 0 then self.session:act "pause" end -- nobody looks
  self.session:tick(passed)
  if self.options.files and now - self.looked > LOOK then
    self.looked = now
    if self.options.files:changed() then self.session:reload() end
  end
  if self.server:listeners() > 0 and now - self.framed >= FRAME then
    self.framed = now
    local message = messages.news(self.session)
    if message then self.server:broadcast(message) end
  end
end

function Service:close() self.server:close() end

return service
