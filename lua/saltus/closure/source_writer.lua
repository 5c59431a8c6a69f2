-- The lines of an adapter's source, name by name: what it reads into ctx, what the closure writes, what the adapter
-- returns. Numbers arrive as p1, p2, ..., vectors in tables that the engine fills; upvalues are u1, u2, ...
local constants = require("saltus.core").constants

local MAX_NUMBERS = 150 -- of arguments; a Lua function has at most 200 locals

local Writer = { MAX_NUMBERS = MAX_NUMBERS }
Writer.__index = Writer

-- The lines of vectors are in vector_writer.lua, which is loaded at the first one.
setmetatable(Writer, { __index = function(_, key) return require("saltus.closure.vector_writer")[key] end })

local number_of, special = constants.partition, constants.argument

-- Whether the values are computed on demand.
function Writer.is_port(e) return e.partition == "input" or e.partition == "output" end

function Writer.new(c)
  return setmetatable({ c = c, params = 0, clears = {}, before = {}, after = {}, checks = {}, args = {},
    results = {}, returns = {}, values = {}, modes = {} }, Writer)
end

function Writer:line(where, text, ...) where[#where + 1] = text:format(...) end

-- The name of the upvalue with a Lua value.
function Writer:upvalue(value)
  for i, known in ipairs(self.values) do if rawequal(known, value) then return "u" .. i end end
  self.values[#self.values + 1] = value
  return "u" .. #self.values
end

-- The same for a function of adapter_runtime.lua, which most derivatives do not need.
function Writer:runtime(name) return self:upvalue(require("saltus.closure.adapter_runtime")[name]) end

-- The location of an entry's numbers: a partition and an offset there.
function Writer.place_of(e)
  if Writer.is_port(e) then return special[e.partition], e.index - 1 end
  if e.partition == "time" then return special.time, 0 end
  return number_of[e.partition], e.offset
end

-- A value as Lua code, from the code of its number: the number of a mode becomes its word.
function Writer:value(e, number)
  return e.values and ("%s[%s]"):format(self:upvalue(e.values), number) or number
end

-- The name of a new parameter.
function Writer:param()
  self.params = self.params + 1
  return "p" .. self.params
end

-- Adjacent ranges of one partition are merged.
local function add_range(list, partition, offset, size, at)
  local last = list[#list]
  if last and at == last[4] and at < 0 and partition == last[1] and offset == last[2] + last[3] and partition < 100 then
    last[3] = last[3] + size
  else
    list[#list + 1] = { partition, offset, size, at }
  end
end

function Writer:argument(partition, offset, size, at)
  add_range(self.args, partition, offset, size, at or -1)
end

-- ---- ctx ----

-- Raises an error if the closure wrote to a name of ctx: its value is not the one that it was.
local function written(ctx, name, now, was)
  if now ~= now and was ~= was then return end
  require("saltus.closure.diagnostics").raise_write_error(getmetatable(ctx).closure, name)
end

-- Checks that the closure did not write to `place`, which is read-only.
function Writer:check(e, place, value)
  self:line(self.checks, "if %s ~= %s then %s(ctx, %q, %s, %s) end", place, value, self:upvalue(written),
    e.name, place, value)
end

-- An input or output arrives computed (a vector as true), or as nil if that failed: then the name is absent, and
-- reading it raises the failure.
function Writer:read_port(e)
  local p = self:param()
  local value
  if e.vector then
    value = self:filled(e)
  else
    local partition, at = Writer.place_of(e)
    self:argument(partition, at, 1)
    value = self:value(e, p)
  end
  rawset(self.c.ctx, e.name, false)
  self:line(self.before, "if %s then ctx.%s = %s else %s(ctx, %q, nil) end", p, e.name, value, self:upvalue(rawset),
    e.name)
  self:line(self.checks, "if %s and %s(ctx, %q) ~= %s then %s(ctx, %q) end", p, self:upvalue(rawget), e.name, value,
    self:upvalue(written), e.name)
end

-- Names that an adapter sets are in ctx from the start, so that assigning them calls no metamethod.
function Writer:read(e)
  if Writer.is_port(e) then return self:read_port(e) end
  rawset(self.c.ctx, e.name, false)
  if e.vector then return self:read_vector(e) end
  local value = self:value(e, self:param())
  local partition, at = Writer.place_of(e)
  self:argument(partition, at, 1)
  self:line(self.before, "ctx.%s = %s", e.name, value)
  self:check(e, "ctx." .. e.name, value)
end

-- ---- dot ----

function Writer:result(e, size, by_table)
  add_range(self.results, number_of[e.partition] or 0, e.offset or 0, size, by_table and 1 or -1)
end

function Writer:derivative(e)
  if not e.vector then
    self:line(self.clears, "target.%s = false", e.name)
    self.returns[#self.returns + 1] = "target." .. e.name
    self:result(e, 1)
    return
  end
  self:derivative_vector(e)
end

-- Sets a state's present value in the closure's table `into`, which the closure reads or changes.
function Writer:offer_state(e, into)
  local value
  if e.vector then
    value = self:offered_vector(e)
  elseif self.params < MAX_NUMBERS then
    self:argument(number_of[e.partition], e.offset, 1)
    value = self:param()
  else
    value = ("%s(ctx, %s)"):format(self:runtime "fetch", self:upvalue(e))
  end
  self:line(self.before, "%s.%s = %s", into, e.name, value)
end

return Writer
