-- The page that moves: page.css and player.js with the plots' page around them.
local asset = require "saltus.output.asset"
local html = require "saltus.output.plot.html"

local page = {}

-- What a page has for pictures: the canvas, the timeline and the controls.
local body = [[
<section class="animation" aria-label="Animation">
<canvas id="stage" role="img"></canvas>
<div class="timeline"><input type="range" id="time" min="0" max="1" step="any" value="0" aria-label="Time">
<div id="marks" aria-hidden="true"></div></div>
<div class="controls">
<button type="button" id="play">Play</button>
<button type="button" id="previous" title="Previous event (P)">&#8249; Event</button>
<button type="button" id="next" title="Next event (N)">Event &#8250;</button>
<label>Speed <select id="speed"></select></label>
<output id="clock" for="time"></output>
<span id="latest" aria-live="polite"></span>
</div>
<p class="hint">Space plays and pauses. The arrow keys move by one frame, P and N to the previous and the next event,
Home and End to the ends; + and - change the speed. Point at a plot to see that time.</p>
</section>
]]

-- `film`: JSON of encoding.film, or of a film without frames if they come one by one (player.js says how); `script`:
-- more of a page's script, run last.
function page.html(picture, film, script)
  return html.page(picture, { style = asset "animation/page.css", body = body,
    data = { film = film }, script = asset "animation/painter.js" .. asset "animation/player.js" .. (script or "") })
end

return page
