-- Mirrors lua/saltus/output/plot/palette.lua: the colours differ for every kind of colour vision, which is computed.
local palette = require "saltus.output.plot.palette"

local function linear(colour)
  local out = {}
  for i = 0, 2 do
    local c = tonumber(colour:sub(2 + 2 * i, 3 + 2 * i), 16) / 255
    out[i + 1] = c <= 0.04045 and c / 12.92 or ((c + 0.055) / 1.055) ^ 2.4
  end
  return out
end

-- What is seen without one kind of cones: G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, IEEE Trans. Vis. Comput.
-- Graph. 15(6), 2009, severity 1.
local visions = {
  all = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
  no_red = { { 0.152286, 1.052583, -0.204868 }, { 0.114503, 0.786281, 0.099216 }, { -0.003882, -0.048116, 1.051998 } },
  no_green = { { 0.367322, 0.860646, -0.227968 }, { 0.280085, 0.672501, 0.047413 }, { -0.01182, 0.04294, 0.968881 } },
  no_blue = { { 1.255528, -0.076749, -0.178779 }, { -0.078411, 0.930809, 0.147602 }, { 0.004733, 0.691367, 0.3039 } },
}

local function seen(colour, vision)
  local out = {}
  for i, row in ipairs(vision) do
    local sum = 0
    for k = 1, 3 do sum = sum + row[k] * colour[k] end
    out[i] = math.max(0, math.min(1, sum))
  end
  return out
end

-- CIE L*a*b* of linear sRGB with the white of D65.
local function lab(c)
  local function f(t) return t > 0.008856 and t ^ (1 / 3) or 7.787 * t + 16 / 116 end
  local x = f((0.4124564 * c[1] + 0.3575761 * c[2] + 0.1804375 * c[3]) / 0.95047)
  local y = f(0.2126729 * c[1] + 0.7151522 * c[2] + 0.072175 * c[3])
  local z = f((0.0193339 * c[1] + 0.119192 * c[2] + 0.9503041 * c[3]) / 1.08883)
  return { 116 * y - 16, 500 * (x - y), 200 * (y - z) }
end

local function distance(a, b, vision)
  local p, q, sum = lab(seen(linear(a), vision)), lab(seen(linear(b), vision)), 0
  for i = 1, 3 do sum = sum + (p[i] - q[i]) ^ 2 end
  return math.sqrt(sum)
end

-- WCAG 2.1: 3 for graphics.
local function contrast(a, b)
  local function luminance(colour)
    local c = linear(colour)
    return 0.2126 * c[1] + 0.7152 * c[2] + 0.0722 * c[3] + 0.05
  end
  local p, q = luminance(a), luminance(b)
  return math.max(p, q) / math.min(p, q)
end

describe("the palette", function()
  for _, page in ipairs { "light", "dark" } do
    local colours = palette[page]
    it("has colours that differ in every kind of colour vision, on a " .. page .. " page", function()
      for name, vision in pairs(visions) do
        for i = 1, #colours do
          for k = i + 1, #colours do
            local d = distance(colours[i], colours[k], vision)
            assert.is_true(d > 20, ("%s and %s: %.1f with %s"):format(colours[i], colours[k], d, name))
          end
        end
      end
    end)

    it("is visible on a " .. page .. " page", function()
      for _, colour in ipairs(colours) do
        assert.is_true(contrast(colour, palette[page .. "_page"]) >= 3, colour)
      end
    end)
  end

  it("tells 32 signals apart by colour and dashes", function()
    local seen_before = {}
    for i = 1, 32 do
      local key = ("%d %d"):format(palette.of(i))
      assert.is_nil(seen_before[key])
      seen_before[key] = true
    end
    assert.same({ { 1, 1 }, { 1, 2 } }, { { palette.of(1) }, { palette.of(9) } })
  end)
end)
