-- More lines of an adapter's source (methods of source_writer.lua): residuals, states that are offered to
-- be changed, and what updates read and write in `next`.
local Writer = require "saltus.closure.source_writer"
local context = require "saltus.simulation.context"

local MAX_ELEMENTS, MAX_NUMBERS = Writer.MAX_ELEMENTS, Writer.MAX_NUMBERS
local kept = Writer.kept
local offers = {}

-- ---- constraints ----

function offers:residual(e)
  for i = 1, e.size do self:line(self.clears, "target[%d] = false", i) end
  local by_table = e.size > MAX_ELEMENTS
  self:result(e, e.size, by_table)
  if by_table then
    self.returns[#self.returns + 1] = "target"
  else
    for i = 1, e.size do self.returns[#self.returns + 1] = ("target[%d]"):format(i) end
  end
end

-- A state's value as it is, into the closure's table `into`, for it to read or to change.
function offers:offer_state(e, into)
  local number = context.number_of[e.partition]
  local few = e.size <= MAX_ELEMENTS and self.params + e.size <= MAX_NUMBERS
  if few then self:argument(number, e.offset, e.size) end
  local p = few and self:params_for(e.size)
  if not e.vector then
    self:line(self.before, "%s.%s = %s", into, e.name,
      p and p[1] or ("%s(ctx, %s)"):format(self:upvalue(self.tools.fetch), self:upvalue(e)))
    return
  end
  local v = self:upvalue(kept(self.c, e, "dot.").list)
  if p then
    for i = 1, e.size do self:line(self.before, "%s[%d] = %s", v, i, p[i]) end
  else
    self:line(self.before, "for i, x in ipairs(%s(ctx, %s)) do %s[i] = x end", self:upvalue(self.tools.fetch),
      self:upvalue(e), v)
  end
  self:line(self.before, "%s.%s = %s", into, e.name, v)
end

-- ---- next ----

local NEXT = -2 -- in the place of a table: read from what the update writes

function offers:offer_next(e)
  if e.partition == "abstract" or e.size > MAX_ELEMENTS or self.params + e.size > MAX_NUMBERS then
    self:line(self.before, "%s(ctx, %q)", self:upvalue(self.tools.forget), e.name)
    self.c.fetched[e] = true
    return
  end
  local p = self:params_for(e.size)
  self:argument(context.number_of[e.partition], e.offset, e.size, NEXT)
  self.c.present[e.name] = nil
  if e.vector then
    self:line(self.before, "target.%s = { %s }", e.name, table.concat(p, ", "))
  elseif e.values then
    self:line(self.before, "target.%s = %s[%s]", e.name, self:upvalue(e.values), p[1])
  else
    self:line(self.before, "target.%s = %s", e.name, p[1])
  end
end

-- From a mode to its number; what is no mode is wrapped, so that no number passes for one.
local function index_of(values)
  local index = {}
  for i, value in ipairs(values) do index[value] = i end
  return setmetatable(index, { __index = function(_, value) return { no_mode = value } end })
end

-- `guard`: code that is true when the handler's writes stand.
function offers:take_next(e, where, guard)
  if e.partition == "abstract" then
    local v = self:upvalue(rawget)
    self:line(where, "do local v = %s(target, %q) if v ~= nil and %s then %s(ctx, %s, v) end end", v, e.name, guard,
      self:upvalue(self.tools.put), self:upvalue(e))
    return
  end
  if e.vector then
    self:line(where, "local v_%s = %s(ctx, %s, target.%s)", e.name, self:upvalue(self.tools.vector), self:upvalue(e),
      e.name)
    self:return_vector(e, "v_" .. e.name)
    return
  end
  self:result(e, 1)
  if e.values then
    self.index = self.index or {}
    self.index[e] = self.index[e] or index_of(e.values)
    self.returns[#self.returns + 1] = ("%s[target.%s]"):format(self:upvalue(self.index[e]), e.name)
  else
    self.returns[#self.returns + 1] = "target." .. e.name
  end
end

return offers
