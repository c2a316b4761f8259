// Channels over time: each pixel shows the least and the greatest of what was recorded in it.
import { $, chosenBody, emit, on, run, runs, show, shownIn, state } from './state.js';
import { whenOption } from './options.js';
import { style } from './labels.js';
import { envelope, readable } from './series.js';
import { measured } from './measure.js';

const mostPlots = 24;
const pinned = []; // names of channels that stay
const zoom = { from: 0, to: 1 }; // of the time of the run, the same in all plots
const finite = (x) => x !== null && Number.isFinite(x);
let plots = [],
  shown = ''; // what the panel was filled with

const count = (n, one, more) => `${n} ${n === 1 ? one : more}`;

function describe() {
  const { chosen } = state,
    { model } = run;
  if (!chosen)
    return [model.name, `${count(run.bodies, 'body', 'bodies')}, ${count(run.joints, 'joint', 'joints')}, ${run.end.toFixed(2)} s`];
  if (chosen.kind === 'body') {
    const b = model.bodies[chosen.index];
    return [b.name, `body, ${readable(b.mass * shownIn.mass.scale, 4)} ${shownIn.mass.unit}`];
  }
  const j = model.joints[chosen.index];
  return [j.name, `${j.type} joint, ${j.base < 0 ? 'world' : model.bodies[j.base].name} to ${model.bodies[j.follower].name}`];
}

const startOf = (chosen) => (chosen ? `${chosen.kind}.${run.model[chosen.kind === 'body' ? 'bodies' : 'joints'][chosen.index].name}.` : '');
function channelsOf(chosen) {
  const start = startOf(chosen);
  return run.model.channels.filter((name) => (chosen ? name.startsWith(start) : !/^(joint|body|coupling|contact|element)\./.test(name)));
}

// What matters of a whole mechanism, in this order: what drives it, what it carries, where it touches; then its energy, and
// last what tells of the solver. `most`: of each kind those that grow largest.
const kinds = [
  { most: 4, wanted: /^joint\..*\.effort(\.\d)?$/ },
  { most: 3, wanted: /^joint\..*\.reaction$/ },
  { most: 2, wanted: /^element\..*\.force$/ },
  { most: 2, wanted: /^coupling\..*\.effort\.a$/ },
  { most: 2, wanted: /^contact\..*\.normal$/ },
  { most: 1, wanted: /^contacts\.normal-force$/ },
  { most: 2, wanted: /^energy\.(total|kinetic)$/, always: true },
  { most: 2, wanted: /^residual\.(joint|penetration)$/, solver: true },
  { most: 1, wanted: /^solver\.iterations$/, solver: true },
];
const least = 1e-9; // N, N m, J: what is smaller is rounding

const spanOf = (name) => {
  const c = run.channelOf(name),
    { least: low, greatest: high } = run.extremes;
  return finite(low[c]) && finite(high[c]) ? { varies: high[c] > low[c], size: Math.max(-low[c], high[c]) } : { varies: false, size: 0 };
};

function usualOfAll() {
  const found = [];
  for (const { most, wanted, always, solver } of kinds) {
    const some = run.model.channels.filter((name) => wanted.test(name)).map((name) => ({ name, ...spanOf(name) }));
    const shown = some.filter(({ size, varies }) => always || size > (solver ? 0 : least));
    shown.sort((a, b) => b.size - a.size);
    found.push(...shown.slice(0, most).map(({ name }) => name));
  }
  return found;
}

// What is plotted of a part before anything is asked for.
function usual(chosen) {
  if (!chosen) return usualOfAll();
  const start = startOf(chosen),
    all = channelsOf(chosen);
  const varies = (name) => spanOf(name).varies;
  if (chosen.kind === 'body')
    return all.filter((name) => name === `${start}speed` || (/\.(position|angular-velocity)\.[xyz]$/.test(name) && varies(name)));
  return all.filter(
    (name) => /^(q|reaction|effort)(\.\d)?$/.test(name.slice(start.length)) && (!name.includes('.effort.') || varies(name)),
  );
}

// Values that only the page has: computed for frames.
function computed() {
  const list = [];
  const body = chosenBody();
  if (state.point && body >= 0 && run.frames > 2) {
    const a = new THREE.Vector3(),
      b = new THREE.Vector3();
    list.push({
      name: 'speed of the point that was clicked',
      unit: `${shownIn.length.unit}/s`,
      at: (f) => {
        const first = Math.max(0, f - 1),
          last = Math.min(run.frames - 1, f + 1);
        return (
          (shownIn.length.scale * run.pointAt(first, body, state.point, a).distanceTo(run.pointAt(last, body, state.point, b))) /
          (run.times[last] - run.times[first])
        );
      },
    });
  }
  if (measured()) list.push({ name: 'measured', unit: measured().unit, at: (f) => measured(f).value });
  return list.map(({ name, unit, at }) => {
    const values = Float32Array.from({ length: run.frames }, (_, f) => at(f));
    const least = values.reduce((x, y) => Math.min(x, y), Infinity),
      greatest = values.reduce((x, y) => Math.max(x, y), -Infinity);
    return {
      name: `${name}, ${unit}`,
      unit,
      scale: 1,
      curves: [{ times: run.times, low: values, high: values, colour: '--accent' }],
      least,
      greatest,
      value: () => values[state.frame],
      leastAt: run.times[values.indexOf(least)],
      greatestAt: run.times[values.indexOf(greatest)],
    };
  });
}

// The time that curves are drawn over: from the first record or frame of the runs to their last.
function axis() {
  const start = Math.min(...runs.flatMap((r) => [r.times[0] ?? Infinity, r.series.times[0] ?? Infinity])),
    length = Math.max(...runs.map((r) => r.end)) - start;
  return length > 0 && Number.isFinite(length) ? { start, length } : { start: 0, length: 1 };
}
const shareOf = (time) => (time - axis().start) / axis().length;

function recorded(name) {
  const curves = [],
    c = run.channelOf(name);
  let [least, greatest, leastAt, greatestAt] = [NaN, NaN, NaN, NaN];
  runs.forEach((r, i) => {
    const k = r.channelOf(name);
    if (k < 0) return;
    curves.push({ times: r.series.times, low: r.series.low[k], high: r.series.high[k], colour: i ? '--second' : '--accent' });
    const e = r.extremes;
    if (!finite(e.least[k])) return;
    if (!(least <= e.least[k])) [least, leastAt] = [e.least[k], e.leastAt[k]];
    if (!(greatest >= e.greatest[k])) [greatest, greatestAt] = [e.greatest[k], e.greatestAt[k]];
  });
  return {
    name,
    curves,
    least,
    greatest,
    leastAt,
    greatestAt,
    redundant: run.redundant[c],
    unit: run.model.units[c],
    scale: run.model.scales?.[c] ?? 1, // from the values, which are SI, to the unit
    value: () => run.valueAt(c, run.times[state.frame] ?? 0),
  };
}

function build(plot) {
  const box = document.createElement('section'),
    head = document.createElement('div'),
    foot = document.createElement('div');
  box.className = 'plot';
  head.className = 'name';
  foot.className = 'ends';
  const label = document.createElement('button'),
    value = document.createElement('output');
  label.textContent = `${plot.redundant ? '~ ' : ''}${plot.name}`;
  label.title = `${plot.redundant ? 'Redundant: statics leaves it open; the least that fits is shown. ' : ''}${pinned.includes(plot.name) ? 'Click: no longer keep it' : 'Click: keep it in sight'}`;
  label.setAttribute('aria-pressed', String(pinned.includes(plot.name)));
  label.addEventListener('click', () => pin(plot.name));
  head.append(label, value);
  const canvas = document.createElement('canvas');
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', `${plot.name} over time; click to go to a time, wheel or plus and minus to zoom`);
  Object.assign(plot, { box, canvas, foot, output: value });
  writeFoot(plot);
  box.append(head, canvas, foot);
  const timeAt = (e) => {
    const r = canvas.getBoundingClientRect(),
      { start, length } = axis();
    return start + length * (zoom.from + ((zoom.to - zoom.from) * (e.clientX - r.left)) / r.width);
  };
  const go = (e) => {
    emit('halt');
    show(run.frameAt(timeAt(e) + (0.5 * (run.end - run.start)) / Math.max(1, run.frames - 1)));
  };
  canvas.addEventListener('pointerdown', (e) => {
    canvas.setPointerCapture(e.pointerId);
    go(e);
  });
  canvas.addEventListener('pointermove', (e) => {
    if (e.buttons & 1) go(e);
  });
  canvas.addEventListener(
    'wheel',
    (e) => {
      e.preventDefault();
      zoomBy(e.deltaY > 0 ? 1.25 : 0.8, shareOf(timeAt(e)));
    },
    { passive: false },
  );
  canvas.addEventListener('dblclick', () => zoomBy(1e9, 0.5));
  canvas.addEventListener('keydown', (e) => {
    if (e.key !== '+' && e.key !== '-') return;
    e.stopPropagation();
    zoomBy(e.key === '-' ? 1.25 : 0.8, shareOf(run.times[state.frame] ?? 0));
  });
  return plot;
}

// A value of a plot with its unit.
const written = ({ unit, scale }, value) => `${readable(value * scale, 5)}${unit && Number.isFinite(value) ? ` ${unit}` : ''}`;

function writeFoot(plot) {
  const { foot, least, greatest, leastAt, greatestAt } = plot;
  foot.textContent =
    finite(least) && finite(greatest)
      ? `${written(plot, least)} at ${leastAt.toFixed(3)} s to ${written(plot, greatest)} at ${greatestAt.toFixed(3)} s`
      : 'no value';
}

function zoomBy(factor, center) {
  const width = Math.min(1, (zoom.to - zoom.from) * factor);
  zoom.from = Math.max(0, Math.min(1 - width, center - ((center - zoom.from) / (zoom.to - zoom.from)) * width));
  zoom.to = zoom.from + width;
  plots.forEach(draw);
  cursors();
}

// The values that a canvas shows: { low, high }, with some room.
function rangeOf(plot) {
  let { least, greatest } = plot;
  if (!finite(least) || !finite(greatest)) return { low: 0, high: 1 };
  if (Math.max(Math.abs(least), Math.abs(greatest)) < 1e-14) {
    least = -1e-14;
    greatest = 1e-14;
  } // rounding, not motion
  const room = 1e-5 * Math.max(Math.abs(least), Math.abs(greatest)); // below it there are the steps of packed numbers
  if (greatest - least < room) {
    least -= room;
    greatest += room;
  }
  return { low: least, high: greatest };
}

function draw(plot) {
  const { canvas } = plot,
    ratio = window.devicePixelRatio || 1,
    w = canvas.clientWidth,
    h = canvas.clientHeight;
  if (!w) return;
  canvas.width = w * ratio;
  canvas.height = h * ratio;
  const c = canvas.getContext('2d'),
    { low, high } = rangeOf(plot),
    { start, length } = axis(),
    from = start + length * zoom.from,
    to = start + length * zoom.to;
  c.scale(ratio, ratio);
  c.strokeStyle = style('--line');
  const height = (v) => 4 + ((high - v) / (high - low)) * (h - 8);
  if (low < 0 && high > 0) {
    c.beginPath();
    c.moveTo(0, height(0));
    c.lineTo(w, height(0));
    c.stroke();
  }
  c.strokeRect(0.5, 0.5, w - 1, h - 1);
  for (const curve of plot.curves) {
    c.strokeStyle = style(curve.colour);
    c.lineWidth = 1.4;
    c.lineJoin = 'round';
    c.beginPath();
    for (const [x, v] of envelope(curve.times, curve.low, curve.high, from, to, w, ratio)) c.lineTo(x, height(v));
    c.stroke();
  }
  plot.picture = document.createElement('canvas');
  plot.picture.width = canvas.width;
  plot.picture.height = canvas.height;
  plot.picture.getContext('2d').drawImage(canvas, 0, 0);
}

function cursors() {
  const share = (shareOf(run.times[state.frame] ?? 0) - zoom.from) / (zoom.to - zoom.from);
  for (const plot of plots) {
    plot.output.textContent = written(plot, plot.value());
    if (!plot.picture) continue;
    const c = plot.canvas.getContext('2d'),
      { clientWidth: w, clientHeight: h } = plot.canvas;
    c.clearRect(0, 0, w, h);
    c.drawImage(plot.picture, 0, 0, w, h);
    c.fillStyle = '#d55e00';
    c.fillRect(share * w - 0.75, 0, 1.5, h);
  }
}

// Keeps a channel in sight, or no longer.
export function pin(name) {
  const at = pinned.indexOf(name);
  if (at >= 0) pinned.splice(at, 1);
  else if (run.channelOf(name) >= 0) pinned.push(name);
  fillSide();
}

// The panel of values: what is chosen, its plots, and all channels to choose from.
export function fillSide() {
  const [title, text] = describe();
  $('title').textContent = title;
  $('about').textContent = text;
  const names = [...new Set([...pinned, ...usual(state.chosen)])].slice(0, mostPlots);
  const fresh = [...computed(), ...names.map(recorded)],
    looks = (plot) => `${plot.name} ${plot.redundant} ${pinned.includes(plot.name)}`;
  const wanted = [JSON.stringify(state.chosen), ...fresh.map(looks)].join('\n');
  if (wanted === shown) {
    // The same plots go on: who holds or has chosen one keeps it.
    fresh.forEach((plot, i) => writeFoot(Object.assign(plots[i], plot)));
  } else {
    plots = fresh.map(build);
    shown = wanted;
    $('plots').replaceChildren(...plots.map((plot) => plot.box));
    fillChannels();
  }
  plots.forEach(draw);
  cursors();
}

function fillChannels() {
  const wanted = $('channel').value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = (wanted.length ? run.model.channels : channelsOf(state.chosen)).filter((name) =>
    wanted.every((word) => name.toLowerCase().includes(word)),
  );
  $('channels').replaceChildren(
    ...all.slice(0, 60).map((name) => {
      const button = document.createElement('button');
      button.textContent = name;
      button.setAttribute('aria-pressed', String(pinned.includes(name)));
      button.addEventListener('click', () => pin(name));
      return button;
    }),
    ...(all.length > 60 ? [`and ${all.length - 60} more`] : []),
  );
}
$('channel').addEventListener('input', fillChannels);

on('frame', cursors);
on('choose', fillSide);
on('resize', () => {
  plots.forEach(draw);
  cursors();
});
on('theme', () => {
  plots.forEach(draw);
  cursors();
});
whenOption('measure', fillSide);
on('measured', fillSide);
export const plotList = () => plots;
