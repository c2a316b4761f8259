// The page of a study: measures, histogram, effects of the factors, scatter and parallel coordinates, drawn for the width that
// there is. What has nothing to show is not there.
import { node, ticks } from './chart.js';

const d = JSON.parse(document.getElementById('data').textContent),
  $ = (id) => document.getElementById(id);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const short = (x) => (x === null || x === undefined ? '' : Number.isFinite(x) ? String(+x.toPrecision(5)) : String(x));
const clip = (s, n) => (s.length > n ? s.slice(0, n - 1) + '…' : s);
const withUnit = (m) => (m.unit ? `${m.name}, ${m.unit}` : m.name);
// All columns: factors, then measures. A factor of texts has the number of its level.
const columns = d.factors
  .map((f, i) => ({ name: f.name, label: f.name, of: (r) => r.x[i], levels: f.levels && r0(i) ? f.levels : null }))
  .concat(d.measures.map((m, i) => ({ name: m.name, label: withUnit(m), of: (r) => r.y[i], levels: null })));
function r0(i) {
  return d.factors[i].levels && d.factors[i].levels.some((l) => !Number.isFinite(Number(l)));
}
const clear = (svg) => {
  while (svg.firstChild) svg.firstChild.remove();
};
const extent = (values) => {
  let lo = Infinity,
    hi = -Infinity;
  for (const v of values)
    if (v !== null) {
      lo = Math.min(lo, v);
      hi = Math.max(hi, v);
    }
  if (!(lo <= hi)) return [0, 1];
  return lo === hi ? [lo - (Math.abs(lo) || 1) * 0.5, hi + (Math.abs(hi) || 1) * 0.5] : [lo, hi];
};
// The width of a drawing, whose letters keep their size.
const sized = (svg, height) => {
  const width = Math.max(240, svg.parentElement.clientWidth);
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  return width;
};
function axes(svg, x, y, box, names) {
  node(svg, 'path', { d: `M${box[0]} ${box[1]}V${box[3]}H${box[2]}`, fill: 'none', stroke: css('--line') });
  for (const t of ticks(...x.range, Math.max(2, (box[2] - box[0]) / 80))) {
    node(
      svg,
      'text',
      { x: x(t), y: box[3] + 14, 'text-anchor': 'middle', class: 'faint' },
      x.levels ? clip(x.levels[t] || '', 12) : short(t),
    );
  }
  for (const t of ticks(...y.range)) {
    node(
      svg,
      'text',
      { x: box[0] - 5, y: y(t) + 4, 'text-anchor': 'end', class: 'faint' },
      y.levels ? clip(y.levels[t] || '', 8) : short(t),
    );
  }
  node(svg, 'text', { x: (box[0] + box[2]) / 2, y: box[3] + 30, 'text-anchor': 'middle' }, clip(names[0], (box[2] - box[0]) / 6));
  node(svg, 'text', { x: box[0], y: box[1] - 6 }, clip(names[1], (box[2] - box[0]) / 6));
}
const scale = (range, from, to, levels) =>
  Object.assign((v) => from + ((to - from) * (v - range[0])) / (range[1] - range[0]), { range, levels });
function histogram() {
  const svg = $('histogram'),
    width = sized(svg, 280),
    m = +$('of').value,
    values = d.table.map((r) => r.y[m]).filter((v) => v !== null);
  clear(svg);
  const [lo, hi] = extent(values),
    bins = Math.max(1, Math.min(60, Math.ceil(Math.sqrt(values.length)))),
    counts = new Array(bins).fill(0);
  for (const v of values) ++counts[Math.min(bins - 1, Math.floor((bins * (v - lo)) / (hi - lo)))];
  const box = [56, 20, width - 15, 240],
    x = scale([lo, hi], box[0], box[2]),
    y = scale([0, Math.max(1, ...counts)], box[3], box[1]);
  counts.forEach((c, i) =>
    node(svg, 'rect', {
      x: x(lo + ((hi - lo) * i) / bins),
      y: y(c),
      width: Math.max(0.5, (box[2] - box[0]) / bins - 1),
      height: box[3] - y(c),
      fill: css('--accent'),
    }),
  );
  axes(svg, x, y, box, [columns[d.factors.length + m].label, 'runs' + (d.every > 1 ? ` (every ${d.every}th)` : '')]);
  return counts.reduce((a, b) => a + b, 0);
}
function tornado() {
  const svg = $('tornado'),
    m = d.measures[+$('of').value],
    effects = m.effects || [];
  clear(svg);
  $('effects').hidden = effects.length === 0;
  if (!effects.length) return 0;
  const kind = 'total' in effects[0] ? 'total' : 'low' in effects[0] ? 'ends' : 'rank_correlation';
  $('tornado-title').textContent = {
    total: 'Indices of sensitivity: dark first, light total',
    ends: 'Measure at both ends of each factor',
    rank_correlation: 'Rank correlations',
  }[kind];
  const size = (e) => (kind === 'ends' ? Math.abs(e.high - e.low) : Math.abs(e[kind]));
  const shown = effects
    .slice()
    .sort((a, b) => size(b) - size(a))
    .slice(0, 20);
  const middle = kind === 'ends' ? m.nominal : 0;
  const range =
    kind === 'ends'
      ? extent(shown.flatMap((e) => [e.low, e.high, middle]))
      : kind === 'total'
        ? [0, Math.max(1, ...shown.map((e) => e.total || 0))]
        : [-1, 1];
  const height = 40 + 18 * shown.length,
    width = sized(svg, height),
    names = Math.min(190, 0.42 * width),
    box = [names, 8, width - 15, height - 26],
    x = scale(range, box[0], box[2]);
  shown.forEach((e, i) => {
    const top = box[1] + 18 * i,
      bar = (a, b, opacity, colour) =>
        node(svg, 'rect', {
          x: Math.min(x(a), x(b)),
          y: top + 2,
          width: Math.max(1, Math.abs(x(b) - x(a))),
          height: 13,
          fill: colour,
          opacity,
        });
    if (kind === 'ends') {
      bar(middle, e.low, 0.8, css('--second'));
      bar(middle, e.high, 0.8, css('--accent'));
    } else if (kind === 'total') {
      bar(0, e.total || 0, 0.4, css('--accent'));
      bar(0, e.first || 0, 0.9, css('--accent'));
    } else bar(0, e.rank_correlation, 0.8, e.rank_correlation < 0 ? css('--second') : css('--accent'));
    node(svg, 'text', { x: box[0] - 6, y: top + 13, 'text-anchor': 'end' }, clip(e.factor, Math.floor(names / 6.6)));
  });
  for (const t of ticks(...range, Math.max(2, (box[2] - box[0]) / 80)))
    node(svg, 'text', { x: x(t), y: height - 8, 'text-anchor': 'middle', class: 'faint' }, short(t));
  return shown.length;
}
function scatter() {
  const svg = $('scatter'),
    width = sized(svg, 320),
    a = columns[+$('sx').value],
    b = columns[+$('sy').value];
  clear(svg);
  const box = [66, 20, width - 15, 280],
    x = scale(extent(d.table.map(a.of)), box[0] + 4, box[2] - 4, a.levels),
    y = scale(extent(d.table.map(b.of)), box[3] - 4, box[1] + 4, b.levels);
  let points = 0;
  for (const r of d.table) {
    const u = a.of(r),
      v = b.of(r);
    if (u === null || v === null) continue;
    ++points;
    const dot = node(svg, 'circle', { cx: x(u), cy: y(v), r: d.table.length > 500 ? 1.6 : 2.6, fill: css('--accent'), opacity: 0.6 });
    node(dot, 'title', {}, `run ${r.run}`);
  }
  axes(svg, x, y, box, [a.label, b.label]);
  return points;
}
const kept = columns.map(() => null);
function parallel() {
  const canvas = $('parallel'),
    width = Math.max(canvas.parentElement.clientWidth, 110 * columns.length),
    height = 340,
    ratio = window.devicePixelRatio || 1;
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const g = canvas.getContext('2d'),
    at = (i) => (columns.length < 2 ? width / 2 : 60 + ((width - 120) * i) / (columns.length - 1));
  g.scale(ratio, ratio);
  g.clearRect(0, 0, width, height);
  const scales = columns.map((c) => scale(extent(d.table.map(c.of)), height - 24, 40));
  let passing = 0;
  g.lineWidth = 1;
  for (const pass of [false, true]) {
    g.strokeStyle = pass ? css('--accent') : css('--line');
    g.globalAlpha = pass ? Math.min(0.8, 0.15 + 60 / d.table.length) : 0.25;
    for (const r of d.table) {
      const v = columns.map((c) => c.of(r));
      const ok = v.every((x, i) => x !== null && (kept[i] === null || (x >= kept[i][0] && x <= kept[i][1])));
      if (ok !== pass) continue;
      if (pass) ++passing;
      g.beginPath();
      let open = false;
      v.forEach((x, i) => {
        if (x === null) {
          open = false;
          return;
        }
        if (open) g.lineTo(at(i), scales[i](x));
        else g.moveTo(at(i), scales[i](x));
        open = true;
      });
      g.stroke();
    }
  }
  g.globalAlpha = 1;
  g.font = '11px system-ui, sans-serif';
  g.textAlign = 'center';
  columns.forEach((c, i) => {
    g.strokeStyle = css('--text');
    g.beginPath();
    g.moveTo(at(i), 40);
    g.lineTo(at(i), height - 24);
    g.stroke();
    g.fillStyle = css('--text');
    g.fillText(clip(c.name, 20), at(i), i % 2 ? 12 : 26);
    g.fillStyle = css('--faint');
    g.fillText(short(scales[i].range[1]), at(i), 38);
    g.fillText(short(scales[i].range[0]), at(i), height - 10);
    if (kept[i]) {
      g.fillStyle = css('--second');
      g.globalAlpha = 0.35;
      const top = scales[i](kept[i][1]);
      g.fillRect(at(i) - 6, top, 12, scales[i](kept[i][0]) - top);
      g.globalAlpha = 1;
    }
  });
  parallel.scales = scales;
  parallel.at = at;
  return passing;
}
let drag = null;
$('parallel').addEventListener('pointerdown', (e) => {
  let i = 0;
  columns.forEach((c, k) => {
    if (Math.abs(parallel.at(k) - e.offsetX) < Math.abs(parallel.at(i) - e.offsetX)) i = k;
  });
  drag = { i, y: e.offsetY };
  kept[i] = null;
  $('parallel').setPointerCapture(e.pointerId);
  parallel();
});
$('parallel').addEventListener('pointermove', (e) => {
  if (!drag || Math.abs(e.offsetY - drag.y) < 3) return;
  const [lo, hi] = parallel.scales[drag.i].range,
    value = (y) => lo + ((hi - lo) * (340 - 24 - y)) / (340 - 64);
  kept[drag.i] = [value(Math.max(e.offsetY, drag.y)), value(Math.min(e.offsetY, drag.y))];
  parallel();
});
$('parallel').addEventListener('pointerup', () => {
  drag = null;
});
function rowsInto(table, head, rows) {
  const line = (cells, tag) => {
    const tr = document.createElement('tr');
    for (const c of cells) {
      const td = document.createElement(tag);
      td.textContent = c;
      tr.append(td);
    }
    table.append(tr);
  };
  line(head, 'th');
  for (const r of rows) line(r, 'td');
}
const status = Object.entries(d.status || {})
  .map(([k, n]) => `${n} ${k}`)
  .join(', ');
$('about').textContent =
  `${d.scenario}: ${d.done} of ${d.runs} runs (${status}), design ${d.design}, seed ${d.seed}. Study ${d.hash.slice(0, 16)}, grashof ${d.program}.`;
rowsInto(
  $('measures'),
  ['measure', 'runs', 'mean', 'deviation', 'min', '5 %', 'median', '95 %', 'max'],
  d.measures.map((m) => [
    withUnit(m),
    m.count,
    ...[m.mean, m.deviation, m.min, m.quantiles['0.05'], m.quantiles['0.5'], m.quantiles['0.95'], m.max].map(short),
  ]),
);
const failed = d.table.filter((r) => r.status !== 'ok');
$('failures').hidden = failed.length === 0;
rowsInto(
  $('failed'),
  ['run', 'status', 'reason'],
  failed.slice(0, 30).map((r) => [r.run, r.status, clip(r.reason, 90)]),
);
const fill = (select, names, chosen) =>
  names.forEach((n, i) => {
    const o = document.createElement('option');
    o.value = i;
    o.textContent = n;
    o.selected = i === chosen;
    select.append(o);
  });
fill($('of'), d.measures.map(withUnit), 0);
fill(
  $('sx'),
  columns.map((c) => c.label),
  0,
);
fill(
  $('sy'),
  columns.map((c) => c.label),
  d.factors.length,
);
const draw = () => {
  histogram();
  tornado();
  scatter();
  parallel();
};
$('of').addEventListener('change', () => {
  histogram();
  tornado();
});
for (const id of ['sx', 'sy']) $(id).addEventListener('change', scatter);
window.addEventListener('resize', draw);
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
draw();
window.grashof = { data: d, histogram, tornado, scatter, parallel, kept };
