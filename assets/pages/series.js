// Curves over something that grows: where a value stands, and what of a curve can be seen.

// A place in a sorted array: the last entry that is not after `value`, at least 0.
export function placeOf(sorted, value) {
  let low = 0,
    high = sorted.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle;
    else high = middle;
  }
  return low;
}

// A number for reading: `digits` significant ones, without an exponent where that is short.
export function readable(value, digits = 3) {
  if (!Number.isFinite(value)) return 'none';
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (size >= 1e5 || size < 1e-4) return value.toExponential(digits - 1);
  return String(+value.toPrecision(digits));
}

// Points [x in px, value] of a curve between two times, `width` px apart: where a pixel, of which `ratio` make one px,
// holds many of its values, the first, the least, the greatest and the last of it, so that no peak is lost. `low`, `high`:
// bounds at each time; what is not finite is left out.
export function envelope(times, low, high, from, to, width, ratio = 1) {
  const points = [],
    first = placeOf(times, from),
    last = Math.min(times.length - 1, placeOf(times, to) + 1),
    dense = last - first > width * ratio;
  let at = null; // the pixel of { x, low, high, first, last }
  const flush = () => {
    if (at) points.push([at.x, at.first], [at.x, at.low], [at.x, at.high], [at.x, at.last]);
  };
  for (let i = first; i <= last; ++i) {
    const x = ((times[i] - from) / (to - from)) * width,
      a = low[i],
      b = high[i];
    if (!Number.isFinite(a)) continue;
    const column = dense ? Math.round(x * ratio) / ratio : x;
    if (at && at.x === column) {
      at.low = Math.min(at.low, a);
      at.high = Math.max(at.high, b);
      at.last = b;
    } else {
      flush();
      at = { x: column, low: a, high: b, first: a, last: b };
    }
  }
  flush();
  return points;
}
