-- The files of the page of `saltus live`. Nothing of the model is in them: live.js shows it as text.
local asset = require "saltus.output.asset"
local palette = require "saltus.output.plot.palette"

local page = {}

local index = [[
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>saltus live</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="uPlot.css">
<link rel="stylesheet" href="page.css">
</head>
<body>
<h1 id="title">saltus live</h1>
<p class="about" id="about"></p>
<p id="offline" role="alert" hidden>saltus live has ended or does not answer.</p>
<main>
<div class="controls">
<button type="button" id="play">Play</button>
<button type="button" id="back" title="Back by one step (left arrow)">&#8249; Step</button>
<button type="button" id="step" title="One step (right arrow)">Step &#8250;</button>
<button type="button" id="event" title="To the next event (E)">Event &#8250;</button>
<button type="button" id="restart" title="From the start, with the present values (R)">Restart</button>
<label>Speed <select id="speed"></select></label>
<output id="clock"></output>
<span id="state"></span>
<input type="range" class="timeline" id="timeline" step="any" aria-label="Time; to the left is back">
</div>
<ul id="notices" aria-live="polite" aria-label="Messages"></ul>
<div class="columns">
<section aria-label="Plots"><canvas id="stage" role="img" aria-label="The model" hidden></canvas><div id="charts"></div>
</section>
<section aria-label="Settings and events">
<div id="settings"><h2>Parameters and inputs</h2><div id="controls"></div></div>
<div id="happenings"><h2>Events</h2>
<table>
<thead><tr><th scope="col">event</th><th scope="col" class="count">times</th><th scope="col">last</th></tr></thead>
<tbody id="events"></tbody></table></div>
<p class="keys">Space plays and pauses, the arrow keys go one step forward and back, E goes to the next event, R starts
again. Drag in a plot to zoom; double-click shows all. Edit the file and save it: the run goes on with its new
functions.</p>
</section>
</div>
</main>
<script src="uPlot.js"></script>
<script src="ticks.js"></script>
<script src="reel.js"></script>
<script src="charts.js"></script>
<script src="live.js"></script>
</body>
</html>
]]

local function colours(list) return ":root { " .. palette.rules("--s%d: %s", list, "; ") .. " }\n" end

local script, style = "text/javascript; charset=utf-8", "text/css; charset=utf-8"

local files = {
  ["/"] = { "text/html; charset=utf-8", function() return index end },
  ["/page.css"] = { style, function()
    return colours(palette.light) .. "@media (prefers-color-scheme: dark) { " .. colours(palette.dark) .. "}\n"
      .. asset "../live/page.css"
  end },
  ["/uPlot.css"] = { style, function() return asset "plot/vendor/uPlot.min.css" end },
  ["/uPlot.js"] = { script, function() return asset "plot/vendor/uPlot.iife.min.js" end },
  ["/ticks.js"] = { script, function() return asset "plot/page/ticks.js" end },
  ["/reel.js"] = { script, function() return require("saltus.output.animation.page").reel() end },
  ["/charts.js"] = { script, function() return asset "../live/charts.js" end },
  ["/live.js"] = { script, function() return asset "../live/live.js" end },
}

-- Returns the type and the text of a file of the page; nil if there is none of that path.
function page.file(path)
  local file = files[path]
  if not file then return nil end
  return file[1], file[2]()
end

return page
