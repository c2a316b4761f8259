// Distances and angles between points of bodies, and the plane that cuts bodies open.
import { on, run, shownIn, state } from './state.js';
import { option, whenOption } from './options.js';
import { addLabels, style } from './labels.js';
import { readable } from './series.js';
import { cutting, extent, redraw } from './stage.js';
import { figure, figures } from './figure.js';

// Points that were clicked: { body (-1: the world), point, name }.
export const points = [];
const snapDistance = 14; // px
const needed = () => ({ distance: 2, angle: 3 })[option('measure')] ?? 0;

// Adds the point of a body at a place of the page, or that of a joint near it. Returns whether a measurement takes it.
export function addPoint(body, point, x, y) {
  if (!needed()) return false;
  if (points.length >= needed()) points.length = 0;
  const at = new THREE.Vector3();
  let best = null;
  if (pen)
    run.model.joints.forEach((joint, j) => {
      const place = pen.place(figure.joints.placeOf(state.frame, j, at)),
        far = place ? Math.hypot(place[0] - x, place[1] - y) : Infinity;
      if (far < (best?.far ?? snapDistance))
        best = { far, body: joint.follower, point: new THREE.Vector3(...joint.position), name: joint.name };
    });
  if (!best && body < 0) return true; // nothing was hit
  points.push(best ?? { body, point, name: run.model.bodies[body].name });
  redraw();
  return true;
}
whenOption('measure', () => {
  points.length = 0;
  redraw();
});

function placesAt(frame) {
  return points.map(({ body, point }) => run.pointAt(frame, body, point, new THREE.Vector3()));
}

// What is measured at a frame: { value, unit, text }; null: points are missing.
export function measured(frame = state.frame) {
  if (!needed() || points.length < needed() || !run.frames) return null;
  const [a, b, c] = placesAt(frame);
  if (option('measure') === 'distance') {
    const { unit, scale } = shownIn.length,
      value = scale * a.distanceTo(b),
      d = b.clone().sub(a).multiplyScalar(scale);
    return { value, unit, text: `${readable(value, 5)} ${unit} (${[d.x, d.y, d.z].map((v) => readable(v, 3)).join(', ')})` };
  }
  const value = (a.sub(b).angleTo(c.sub(b)) * 180) / Math.PI;
  return { value, unit: '°', text: `${readable(value, 5)}°` };
}

let pen = null;
addLabels((current) => {
  if (!current.first) return;
  pen = current;
  if (!needed()) return;
  const colour = style('--measure');
  const places = run.frames ? placesAt(state.frame).map((p) => pen.place(p)) : [];
  places.forEach((place, i) => {
    if (!place) return;
    if (i > 0 && places[i - 1]) pen.line(places[i - 1], place, colour, 2);
    pen.c.fillStyle = colour;
    pen.c.beginPath();
    pen.c.arc(...place, 4.5, 0, 2 * Math.PI);
    pen.c.fill();
  });
  const result = measured();
  const where =
    result && places.every(Boolean)
      ? needed() === 2
        ? [(places[0][0] + places[1][0]) / 2, (places[0][1] + places[1][1]) / 2]
        : places[1]
      : null;
  if (where) pen.text(where[0] + 10, where[1] - 12, result.text, { colour, bold: true });
  else
    pen.text((pen.left + pen.right) / 2, 24, `${option('measure')}: click point ${points.length + 1} of ${needed()}`, {
      colour,
      align: 'center',
      bold: true,
    });
});

// The section: everything on the positive side of the plane is cut away.
const plane = new THREE.Plane();
function cut() {
  const along = ['x', 'y', 'z'].indexOf(option('section'));
  cutting.planes.length = 0;
  cutting.uniform.value = along >= 0 ? 1 : 0;
  if (along >= 0) {
    plane.normal.set(0, 0, 0).setComponent(along, along === 1 ? 1 : -1); // what is nearer to the eye goes
    const place = run.model.center[along] + (option('sectionAt') * extent) / 2;
    plane.constant = along === 1 ? -place : place;
    cutting.planes.push(plane);
  }
  for (const f of figures) f.solids.dress();
  redraw();
}
whenOption('section', cut);
whenOption('sectionAt', cut);
on('choose', () => redraw());
