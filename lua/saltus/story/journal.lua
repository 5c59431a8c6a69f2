-- What stories read, kept so that they can be told again: see src/binding/story/journal.h. While they are, reads return
-- what the journal has, and nothing that they do reaches the run.
local names = require "saltus.util.names"
local serialize = require "saltus.util.serialize"

local journal = {}

local DIFFERS = "the story reads %q here, and the journal of the saved run has something else; the functions of the "
  .. "stories, and what they use, must be those with which the run was saved"

-- The number of a key. The journal has each key once, before its first use.
local function id_of(host, key)
  local id = host.keys[key]
  if id then return id end
  id = host.key_count + 1
  if host.kernel:is_retelling() then
    names.fail_if(not host.kernel:recall_key(key), DIFFERS, key)
  else
    host.kernel:note_key(key)
  end
  host.keys[key], host.key_count = id, id
  return id
end

local function recall(host, key)
  local is_data, value = host.kernel:recall(id_of(host, key))
  names.fail_if(is_data == nil, DIFFERS, key)
  if is_data then return serialize.decode(value) end
  return value
end

local is_no_data = { ["function"] = true, userdata = true, thread = true }

local function note(host, key, value)
  local id, kind = id_of(host, key), type(value)
  if kind == "table" then
    host.kernel:note_read(id, serialize.encode(value), true)
  else
    names.fail_if(is_no_data[kind],
      "a story can read plain data only: %q is a %s; with journal = false it can read anything", key, kind)
    host.kernel:note_read(id, value)
  end
  return value
end

-- Returns the one result of fn(...), or while stories are told again, what it was. `key` says what is read.
function journal.read(host, key, fn, ...)
  if not host.has_journal then return (fn(...)) end
  if host.kernel:is_noting() then return note(host, key, (fn(...))) end
  if host.kernel:is_retelling() then return recall(host, key) end
  return (fn(...))
end

-- The same for what is outside of the run. The journal has the result alone, not what fn reads in the run.
function journal.read_outside(host, fn, ...)
  if not host.has_journal then return (fn(...)) end
  return journal.read(host, "read", host.kernel.read_outside, host.kernel, fn, ...)
end

-- Calls fn(...), which changes the run, unless stories are told again.
function journal.act(host, fn, ...)
  if not host.kernel:is_retelling() then return fn(...) end
end

return journal
