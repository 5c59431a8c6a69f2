"use strict";
// As many decimals as tell a tick from its neighbour: the library itself stops at three.
function tickTexts(splits, step) {
  const largest = Math.max(...splits.map(Math.abs)), whole = v => Math.abs(v - Math.round(v)) < 1e-6 * Math.abs(v);
  let places = -Math.floor(Math.log10(step) + 1e-9);
  if (!whole(step * 10 ** places)) places++; // 0.25 needs one more than 0.2
  if (largest >= 1e-4 && (largest < 1e6 || places > 0)) return splits.map(v => v.toFixed(Math.max(0, places)));
  const digits = Math.max(4, Math.floor(Math.log10(largest)) + places + 1);
  return splits.map(v => v ? Number(v.toPrecision(digits)).toExponential().replace("e+", "e") : "0");
}

// Multiples of a round step, also where the library finds none: beyond 1e16 and below 1e-16.
function roundTicks(low, high, count) {
  const rough = high / count - low / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= rough * (1 - 1e-9));
  const first = Math.ceil(low / step - 1e-9), more = Math.floor(high / step + 1e-9) - first;
  return Array.from({ length: Math.min(Math.max(0, more + 1), 4 * count) || 0 }, (_, k) => (first + k) * step);
}

// Ticks of a logarithmic axis, as axis_ticks.lua has them: the library itself shows powers of ten only.
function logTicks(low, high, count) {
  const first = Math.log10(low), decades = Math.log10(high) - first, ticks = [];
  if (decades < .5) return roundTicks(low, high, count);
  const factors = decades < 1.5 ? [1, 2, 3, 5] : decades < 3 ? [1, 2, 5] : [1], every = Math.max(1, Math.ceil(decades / count));
  for (let power = Math.floor(first); power <= Math.ceil(first + decades); power++) {
    for (const factor of power % every === 0 ? factors : []) {
      const value = Number(factor + "e" + power);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9) && value < Infinity) ticks.push(value);
    }
  }
  return ticks;
}

function logTexts(ticks) {
  if (ticks.length > 1 && ticks.at(-1) < 3.2 * ticks[0]) return tickTexts(ticks, ticks[1] - ticks[0]);
  return ticks.map(v => v > 9.99e-5 && v < 1e5 ? String(+v.toPrecision(3)) : v.toExponential(0).replace("e+", "e"));
}
