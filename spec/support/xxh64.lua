-- XXH64, and a saved run whose bytes were changed, with the size and the checksum that it should have.
local xxh64 = {}

local P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
local P4, P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5

local function rotate(x, by) return x << by | x >> (64 - by) end
local function round(lane, word) return rotate(lane + word * P2, 31) * P1 end
local function merge(hash, lane) return (hash ~ round(0, lane)) * P1 + P4 end

-- The last bytes of `s`, from `at`.
local function finish(hash, s, at)
  while at + 7 <= #s do
    hash = rotate(hash ~ round(0, ("<i8"):unpack(s, at)), 27) * P1 + P4
    at = at + 8
  end
  if at + 3 <= #s then
    hash = rotate(hash ~ (("<I4"):unpack(s, at) * P1), 23) * P2 + P3
    at = at + 4
  end
  for i = at, #s do hash = rotate(hash ~ (s:byte(i) * P5), 11) * P1 end
  hash = (hash ~ (hash >> 33)) * P2
  hash = (hash ~ (hash >> 29)) * P3
  return hash ~ (hash >> 32)
end

function xxh64.hash(s, seed)
  seed = seed or 0
  local at, hash = 1, seed + P5
  if #s >= 32 then
    local a, b, c, d = seed + P1 + P2, seed + P2, seed, seed - P1
    while at + 31 <= #s do
      local w, x, y, z = ("<i8i8i8i8"):unpack(s, at)
      a, b, c, d = round(a, w), round(b, x), round(c, y), round(d, z)
      at = at + 32
    end
    hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)
    hash = merge(merge(merge(merge(hash, a), b), c), d)
  end
  return finish(hash + #s, s, at)
end

-- The hash of a saved body: eight lanes, one multiplication a word (src/base/xxh64.c).
local function hash_of_body(s)
  local lane, at = {}, 1
  for i = 1, 8 do lane[i] = (i - 1) * P2 end
  while at + 63 <= #s do
    for i = 1, 8 do lane[i] = rotate((lane[i] ~ ("<i8"):unpack(s, at + 8 * (i - 1))) * P1, 31) end
    at = at + 64
  end
  local hash = #s
  for i = 1, 8 do hash = merge(hash, lane[i]) end
  return finish(hash, s, at)
end

-- A head of 16 bytes and the size, a body, and the hash of the head with that of the body as its seed.
function xxh64.forge(bytes)
  local head, body = bytes:sub(1, 16) .. ("<I8"):pack(#bytes), bytes:sub(25, -9)
  return head .. body .. ("<i8"):pack(xxh64.hash(head, hash_of_body(body)))
end

return xxh64
