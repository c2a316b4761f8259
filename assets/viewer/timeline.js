// Playing and scrubbing, and marks on the line of time: contacts that begin, limits, steps above the tolerance.
import { $, data, on, run, show, state } from './state.js';
import { declare, option } from './options.js';
import { marks } from './run.js';

const canvas = $('marks');
const kinds = [
  { name: 'contact', colour: '#e6550d' },
  { name: 'limit', colour: '#8a3fb0' },
  { name: 'above tolerance', colour: '#c21f2b' },
];
let found = [[], [], []]; // frames of each kind

const rest = 0.8; // s that the end of a run stands before it begins again
declare('repeat', { section: 'Look', kind: 'toggle', label: 'Repeat', value: true, tip: 'Begins again at the end' });

// Whether the page is in sight, as part of another may not be.
let inSight = true;
new IntersectionObserver((seen) => {
  inSight = seen[seen.length - 1].isIntersecting;
}).observe($('stage'));

// A run is shown in motion, unless the reader prefers less of it.
export function begin() {
  if (!data.live && run.frames > 1 && !window.matchMedia('(prefers-reduced-motion: reduce)').matches) play();
}

export function play() {
  state.playing = true;
  state.clock = state.frame >= run.frames - 1 ? 0 : run.times[state.frame];
  $('play').textContent = 'Pause';
}
export function pause() {
  state.playing = false;
  $('play').textContent = 'Play';
}
on('halt', pause);

function measure() {
  found = [[], [], []];
  let before = new Set();
  for (let f = 0; f < run.frames; ++f) {
    const now = new Set();
    run.eachContact(f, (a, b) => now.add(`${Math.min(a, b)} ${Math.max(a, b)}`));
    if (f > 0 && [...now].some((pair) => !before.has(pair))) found[0].push(f);
    before = now;
    if (run.marks[f] & marks.atLimit && !(f > 0 && run.marks[f - 1] & marks.atLimit)) found[1].push(f);
    if (run.marks[f] & marks.aboveTolerance) found[2].push(f);
  }
}

function drawMarks() {
  const ratio = window.devicePixelRatio || 1,
    w = canvas.clientWidth,
    h = canvas.clientHeight;
  if (!w) return;
  canvas.width = w * ratio;
  canvas.height = h * ratio;
  const c = canvas.getContext('2d');
  c.scale(ratio, ratio);
  const used = kinds.filter((_, k) => found[k].length),
    height = h / Math.max(1, used.length);
  used.forEach(({ colour }, row) => {
    c.fillStyle = colour;
    for (const f of found[kinds.indexOf(used[row])])
      c.fillRect((f / Math.max(1, run.frames - 1)) * (w - 16) + 7, row * height, 2, height - 1);
  });
  canvas.title = used.map((kind) => `${kind.name}: ${found[kinds.indexOf(kind)].length}`).join('; ');
  $('legend').replaceChildren(
    ...used.map((kind) => {
      const item = document.createElement('span');
      item.textContent = `${kind.name} ${found[kinds.indexOf(kind)].length}`;
      item.style.setProperty('--mark', kind.colour);
      return item;
    }),
  );
}
export const markCounts = () => found.map((frames) => frames.length);

// The next mark after the frame that is shown, or the one before.
export function toMark(way) {
  const all = [...new Set(found.flat())].sort((a, b) => a - b);
  const to = way > 0 ? all.find((f) => f > state.frame) : all.reverse().find((f) => f < state.frame);
  if (to === undefined) return;
  pause();
  show(to);
}

export function tick(passed) {
  if (!state.playing || !run.frames || !inSight) return;
  state.clock += passed * +$('speed').value;
  if (state.clock >= run.end) {
    if (state.frame !== run.frames - 1) show(run.frames - 1);
    if (data.live)
      state.clock = run.end; // there is more to come
    else if (!option('repeat')) pause();
    else if (state.clock >= run.end + rest * +$('speed').value) {
      state.clock = run.start;
      show(0);
    }
    return;
  }
  const frame = run.frameAt(state.clock);
  if (frame !== state.frame) show(frame);
}

$('scrub').addEventListener('input', () => {
  pause();
  show(+$('scrub').value);
});
$('play').addEventListener('click', () => (state.playing ? pause() : play()));
$('back').addEventListener('click', () => {
  pause();
  show(state.frame - 1);
});
$('next').addEventListener('click', () => {
  pause();
  show(state.frame + 1);
});
export function faster(way) {
  $('speed').selectedIndex = Math.max(0, Math.min($('speed').options.length - 1, $('speed').selectedIndex + way));
}

on('frame', () => {
  $('scrub').value = state.frame;
  $('time').textContent = `${(run.times[state.frame] ?? 0).toFixed(3)} / ${run.end.toFixed(2)} s`;
});
function refresh() {
  $('scrub').max = Math.max(0, run.frames - 1);
  measure();
  drawMarks();
}
on('data', refresh);
on('resize', drawMarks);
on('theme', drawMarks);
export function startTimeline() {
  refresh();
}
