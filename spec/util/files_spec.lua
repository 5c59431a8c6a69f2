-- Mirrors lua/saltus/util/files.lua.
local files = require "saltus.util.files"

describe("a file that is read as a whole", function()
  local path

  before_each(function() path = os.tmpname() end)

  after_each(function() os.remove(path) end)

  local function write(text)
    local file <close> = assert(io.open(path, "wb"))
    file:write(text)
  end

  it("may be empty, or of any bytes", function()
    assert.equal("", files.read(path))
    write "a\0\r\n\xFF"
    assert.equal("a\0\r\n\xFF", files.read(path))
  end)

  it("may be a pipe", function()
    os.remove(path)
    assert(os.execute("mkfifo " .. path))
    assert(os.execute(("(head -c 3000000 /dev/zero >%s) &"):format(path)))
    assert.equal(3000000, #files.read(path))
  end)

  it("is refused with its path if it is missing, a folder, endless or too large", function()
    local function refused(where, why)
      local text, said = files.read(where)
      assert.is_nil(text)
      assert.equal(where .. ": " .. why, said)
    end
    refused("/dev/zero", "it is no regular file, and does not end within 64 MiB; name a file")
    refused(".", "Is a directory")
    os.remove(path)
    refused(path, "No such file or directory")
    local file <close> = assert(io.open(path, "wb"))
    file:seek("set", 5 << 30)
    file:write "end" -- the disk holds one block of it
    file:close()
    refused(path, "it has more than 4 GiB; name a smaller file")
  end)
end)
