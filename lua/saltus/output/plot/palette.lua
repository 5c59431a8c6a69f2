-- Colours and dashes of signals. The eight colours differ for every kind of colour vision, on light and on dark pages;
-- a spec computes it. The ninth signal has the first colour again, with dashes: 32 signals differ.
local palette = {
  light = { "#014a9e", "#ad3625", "#0ea96f", "#98497a", "#b49100", "#7e8aff", "#1a2b29", "#6b18db" },
  dark = { "#7ea0f9", "#e18728", "#05dc91", "#b8719c", "#d6ff1a", "#7f58ff", "#ffd7ff", "#b43c34" },
  light_page = "#ffffff", dark_page = "#111827",
  dashes = { {}, { 8, 4 }, { 2, 3 }, { 8, 3, 2, 3 } }, -- lengths of line and gap; {}: a full line
}

-- The colour and the dash of the i-th signal, as indices.
function palette.of(i)
  return (i - 1) % #palette.light + 1, (i - 1) // #palette.light % #palette.dashes + 1
end

-- A style rule for each colour: "%d" and "%s" are its number and the colour.
function palette.rules(rule, colours, separator)
  local rules = {}
  for i, colour in ipairs(colours) do rules[i] = rule:format(i, colour) end
  return table.concat(rules, separator)
end

return palette
