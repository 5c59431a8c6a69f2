-- The page that moves: page.css and the scripts of this folder, with the page of plots around them.
local asset = require "saltus.output.asset"
local html = require "saltus.output.plot.html"

local page = {}

local body = [[
<section class="animation" aria-label="Animation">
<canvas id="stage" role="img" aria-label="Animation"></canvas>
<div class="timeline"><input type="range" id="time" min="0" max="1" step="any" value="0" aria-label="Time">
<div id="marks" aria-hidden="true"></div></div>
<div class="controls">
<button type="button" id="play">Play</button>
<button type="button" id="previous" title="To the event before (P)">&#8249; Event</button>
<button type="button" id="next" title="To the next event (N)">Event &#8250;</button>
<label>Speed <select id="speed"></select></label>
<span id="pace"></span>
<output id="clock" for="time" aria-live="off"></output>
<span id="latest" aria-live="polite"></span>
</div>
<p class="hint">Space plays and pauses. The arrow keys move by one frame, P and N to the event before and after, Home
and End to the ends; + and - change the speed. Point at a plot to see its time.</p>
<div id="strip"></div>
</section>
]]

-- What paints commands, for a page of its own: reel.js says how it is used.
function page.reel() return asset "animation/painter.js" .. asset "animation/reel.js" end

-- `film`: JSON of encoding.film.
function page.html(picture, film)
  return html.page(picture, { style = asset "animation/page.css", body = body, data = { film = film },
    script = page.reel() .. asset "animation/player.js" })
end

return page
