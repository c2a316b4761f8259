// Paths of points, ghosts of other times, and what bodies sweep.
import { chosenBody, on, run, state } from './state.js';
import { option, whenOption } from './options.js';
import { addLabels } from './labels.js';
import { ThickLines } from './lines.js';
import { redraw, scene } from './stage.js';
import { figure } from './figure.js';

const colours = ['#d1477a', '#0f8b8d', '#7a5cc4', '#b8860b', '#3b7d23'].map((c) => new THREE.Color(c));
const mostSegments = 4000;

// Points of bodies whose paths are drawn: { body, point, name }.
export const traces = [];
const lines = new ThickLines(scene, 3);

function drawTraces() {
  lines.clear();
  const a = new THREE.Vector3(),
    b = new THREE.Vector3(),
    every = Math.max(1, Math.ceil(run.frames / mostSegments));
  traces.forEach(({ body, point }, i) => {
    const colour = colours[i % colours.length];
    if (run.frames) run.pointAt(0, body, point, a);
    for (let f = every; f < run.frames + every - 1; f += every) {
      run.pointAt(Math.min(f, run.frames - 1), body, point, b);
      lines.add(a, b, colour, 0.95);
      a.copy(b);
    }
  });
  lines.finish();
  redraw();
}

// The point that is chosen: where a body was clicked, else its centre of mass, or a joint.
function chosenPoint() {
  const body = chosenBody();
  if (body < 0) return null;
  const joint = state.chosen.kind === 'joint' ? run.model.joints[state.chosen.index] : null;
  const point = state.point?.clone() ?? (joint ? new THREE.Vector3(...joint.position) : new THREE.Vector3());
  return { body, point, name: joint ? joint.name : run.model.bodies[body].name };
}

on('trace', () => {
  const added = chosenPoint();
  if (!added) traces.length = 0;
  else {
    const known = traces.findIndex((t) => t.body === added.body && t.point.distanceTo(added.point) < 1e-9);
    if (known >= 0) traces.splice(known, 1);
    else traces.push(added);
  }
  drawTraces();
});
on('data', () => {
  if (traces.length) drawTraces();
});

addLabels((pen) => {
  const at = new THREE.Vector3();
  traces.forEach(({ body, point, name }, i) => {
    const place = run.frames && pen.place(run.pointAt(state.frame, body, point, at));
    if (!place) return;
    pen.c.fillStyle = colours[i % colours.length].getStyle();
    pen.c.beginPath();
    pen.c.arc(...place, 4, 0, 2 * Math.PI);
    pen.c.fill();
    pen.beside(at, name, { colour: colours[i % colours.length].getStyle() });
  });
});

// Frames at even times, the last one among them.
function framesApart(count) {
  return [...new Set([...Array(count).keys()].map((i) => run.frameAt(run.start + (run.end - run.start) * (count > 1 ? i / (count - 1) : 1))))];
}

function drawCopies() {
  const count = +option('ghosts'),
    bodies = new Set(run.model.bodies.keys());
  if (!run.frames || (!count && !option('sweep'))) figure.solids.forgetCopies();
  else if (option('sweep')) {
    const body = chosenBody();
    figure.solids.copies(framesApart(60), body >= 0 ? new Set([body]) : bodies, body >= 0 ? 0.12 : 0.05);
  } else figure.solids.copies(framesApart(count), bodies, 0.22);
  redraw();
}
for (const id of ['ghosts', 'sweep', 'which']) whenOption(id, drawCopies);
on('choose', () => {
  if (option('sweep')) drawCopies();
});
