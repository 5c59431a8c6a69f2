-- Mirrors lua/saltus/live/http_request.lua.
local http_request = require "saltus.live.http_request"

local function head(lines) return table.concat(lines, "\r\n") .. "\r\n\r\n" end

local post = head { "POST /a/b HTTP/1.1", "Host: x:1", "Content-Length:  7 ", "X-Empty:" } .. "a=1&b=2"

describe("a request", function()
  it("is read once it is complete", function()
    for length = 0, #post - 1 do assert.same({ n = 1 }, table.pack(http_request.read(post:sub(1, length)))) end
    assert.same({ method = "POST", path = "/a/b", body = "a=1&b=2",
      headers = { host = "x:1", ["content-length"] = "7", ["x-empty"] = "" } }, http_request.read(post .. "rest"))
  end)

  it("is refused if it is malformed or large", function()
    for _, case in ipairs {
      { 400, head { "GET /" } },
      { 400, head { "get / HTTP/1.1" } },
      { 400, head { "GET / / HTTP/1.1" } },
      { 400, head { "GET / HTTP/2.0" } },
      { 400, head { "GET / HTTP/1.1", "Host" } },
      { 400, head { "GET / HTTP/1.1", " Host: a" } },
      { 400, head { "GET / HTTP/1.1", "Host: a", "host: b" } },
      { 400, head { "POST / HTTP/1.1", "Content-Length: -1" } },
      { 400, head { "POST / HTTP/1.1", "Content-Length: 0x10" } },
      { 413, head { "POST / HTTP/1.1", "Content-Length: 4097" } },
      { 413, head { "POST / HTTP/1.1", "Content-Length: " .. ("9"):rep(400) } },
      { 501, head { "POST / HTTP/1.1", "Transfer-Encoding: chunked" } },
      { 431, "GET / HTTP/1.1\r\nX: " .. ("y"):rep(http_request.MOST_HEAD) },
      { 431, head { "GET / HTTP/1.1", "X: " .. ("y"):rep(http_request.MOST_HEAD) } },
      { 431, ("z"):rep(http_request.MOST_HEAD + 1) },
      { 400, "\r\n\r\n" },
      { 400, "\0\1\2\r\n\r\n" },
    } do
      assert.same({ nil, case[1] }, { http_request.read(case[2]) }, case[2])
    end
  end)
end)

describe("a body", function()
  it("is a list of names with values", function()
    assert.same({ name = "a.b[2]", value = "1 +2=é" }, http_request.fields "name=a.b%5B2%5D&value=1+%2B2%3D%c3%A9")
    assert.same({ name = "" }, http_request.fields "name=")
    assert.same({}, http_request.fields "")
  end)

  it("is refused if it is anything else", function()
    for _, text in ipairs { "name", "=1", "a=1=2", "a=%", "a=%4", "a=%zz", "a=%%41", '{"name":"gain"}', "a b=1",
      "\0" } do
      assert.is_nil(http_request.fields(text), text)
    end
  end)
end)
