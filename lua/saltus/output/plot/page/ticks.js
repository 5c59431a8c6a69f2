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
