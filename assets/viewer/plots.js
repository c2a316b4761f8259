// Channels over time: each pixel shows the least and the greatest of what was recorded in it.
import { $, chosenBody, emit, on, run, runs, show, state } from './state.js';
import { whenOption } from './options.js';
import { readable, style } from './labels.js';
import { placeOf } from './run.js';
import { measured } from './measure.js';

const mostPlots = 24;
const pinned = []; // names of channels that stay
const zoom = { from: 0, to: 1 }; // of the time of the run, the same in all plots
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
    return [b.name, `body, ${readable(b.mass, 4)} kg`];
  }
  const j = model.joints[chosen.index];
  return [j.name, `${j.type} joint, ${j.base < 0 ? 'world' : model.bodies[j.base].name} to ${model.bodies[j.follower].name}`];
}

const startOf = (chosen) => (chosen ? `${chosen.kind}.${run.model[chosen.kind === 'body' ? 'bodies' : 'joints'][chosen.index].name}.` : '');
function channelsOf(chosen) {
  const start = startOf(chosen);
  return run.model.channels.filter((name) => (chosen ? name.startsWith(start) : !/^(joint|body|coupling|contact|element)\./.test(name)));
}

// What is plotted of a part before anything is asked for.
function usual(chosen) {
  const start = startOf(chosen),
    all = channelsOf(chosen);
  const varies = (name) => {
    const c = run.channelOf(name);
    return run.extremes.greatest[c] > run.extremes.least[c];
  };
  if (!chosen)
    return ['energy.total', 'energy.kinetic', 'residual.joint', 'contacts.count', 'residual.penetration', 'solver.iterations'].filter(
      (name) => all.includes(name) && (varies(name) || name.startsWith('energy')),
    );
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
      unit: 'm/s',
      at: (f) => {
        const first = Math.max(0, f - 1),
          last = Math.min(run.frames - 1, f + 1);
        return (
          run.pointAt(first, body, state.point, a).distanceTo(run.pointAt(last, body, state.point, b)) /
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

const finite = (x) => x !== null && Number.isFinite(x);
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

function writeFoot({ foot, unit, least, greatest, leastAt, greatestAt }) {
  const written = (x) => `${readable(x, 5)}${unit ? ` ${unit}` : ''}`;
  foot.textContent =
    finite(least) && finite(greatest)
      ? `${written(least)} at ${leastAt.toFixed(3)} s to ${written(greatest)} at ${greatestAt.toFixed(3)} s`
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
    const { times } = curve,
      first = placeOf(times, from),
      last = Math.min(times.length - 1, placeOf(times, to) + 1),
      dense = last - first > w * ratio;
    let at = null; // the pixel of { low, high, x }
    const flush = () => {
      if (at) {
        c.lineTo(at.x, height(at.first));
        c.lineTo(at.x, height(at.low));
        c.lineTo(at.x, height(at.high));
        c.lineTo(at.x, height(at.last));
      }
    };
    for (let i = first; i <= last; ++i) {
      const x = ((times[i] - from) / (to - from)) * w,
        a = curve.low[i],
        b = curve.high[i];
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
    plot.output.textContent = readable(plot.value(), 5);
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
