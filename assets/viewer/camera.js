// From where one looks: framing clear of the panels, standard views, going along with what travels.
import { $, emit, on, run, runs, state } from './state.js';
import { declare, option, whenOption } from './options.js';
import { addLabels } from './labels.js';
import { extent, lightUp, redraw, renderer, resizeStage, views } from './stage.js';
import { placeGround } from './ground.js';
import { figures } from './figure.js';
import { measureSight, measureTravel, offsetAt, sight } from './sight.js';

const perspective = new THREE.PerspectiveCamera(36, 1, extent / 300, 300 * extent);
const orthographic = new THREE.OrthographicCamera(-1, 1, 1, -1, -100 * extent, 200 * extent);
for (const camera of [perspective, orthographic]) camera.up.set(0, 0, 1);
export const eye = { camera: perspective };
export const controls = new THREE.OrbitControls(perspective, renderer.domElement);
controls.enableKeys = false;
controls.screenSpacePanning = true;
controls.addEventListener('change', turned);
let started = false,
  own = false; // the user has moved the camera: it stays when panels open and close
controls.addEventListener('start', () => {
  own = true;
});

if (runs.length > 1)
  declare('compare', {
    section: 'Look',
    kind: 'choice',
    label: 'Two runs',
    key: 'x',
    value: 'overlay',
    values: { overlay: 'over each other', side: 'side by side', first: runs[0].model.name, second: `${runs[1].model.name} (second)` },
  });

function turned() {
  for (const f of figures) f.solids.seeThrough(eye.camera.position, controls.target);
  redraw();
}

// The part of the page that no panel covers: { x, y, width, height } in px.
function clearBox(width, height) {
  const gap = 8;
  const box = { left: 0, right: width, top: 0, bottom: height };
  for (const id of ['bar', 'parts', 'side', 'view', 'live', 'trouble']) {
    const r = $(id).getBoundingClientRect();
    if (r.width === 0 || r.height === 0 || getComputedStyle($(id)).display === 'none') continue;
    if (r.width > 0.6 * width) {
      // a sheet at the bottom, or at the top
      if (r.top > 0.2 * height) box.bottom = Math.min(box.bottom, r.top - gap);
      else box.top = Math.max(box.top, r.bottom + gap);
    } else if (r.left < 0.3 * width) box.left = Math.max(box.left, r.right + gap);
    else box.right = Math.min(box.right, r.left - gap);
  }
  if (box.right - box.left < 0.2 * width) Object.assign(box, { left: 0, right: width });
  return { x: box.left, y: box.top, width: box.right - box.left, height: Math.max(40, box.bottom - box.top) };
}

// What is looked at stands in the middle of `clear`.
function aim(camera, full, clear) {
  camera.setViewOffset(
    full.width,
    full.height,
    full.width / 2 - (clear.x - full.x + clear.width / 2),
    full.height / 2 - (clear.y - full.y + clear.height / 2),
    full.width,
    full.height,
  );
}

// Of a camera that looks at the middle of what it is to show from `way`: half of that across and upward, as tangents at
// distance `d` or as lengths.
function frame(way, { points, center }) {
  const clear = currentBox.clear,
    full = currentBox.full;
  const right = new THREE.Vector3().crossVectors(new THREE.Vector3(0, 0, 1), way);
  if (right.length() < 1e-6) right.set(1, 0, 0);
  right.normalize();
  const above = new THREE.Vector3().crossVectors(way, right);
  const tall = (Math.tan((perspective.fov * Math.PI) / 360) * clear.height) / full.height,
    wide = (Math.tan((perspective.fov * Math.PI) / 360) * clear.width) / full.height;
  let distance = 0,
    half = 0;
  for (const p of points) {
    const v = p.clone().sub(center),
      x = Math.abs(v.dot(right)),
      y = Math.abs(v.dot(above)),
      z = v.dot(way);
    distance = Math.max(distance, z + x / wide, z + y / tall);
    half = Math.max(half, x / wide, y / tall);
  }
  return { distance: 1.12 * distance, half: 1.12 * half * Math.tan((perspective.fov * Math.PI) / 360) };
}

const currentBox = { full: { x: 0, y: 0, width: 1, height: 1 }, clear: { x: 0, y: 0, width: 1, height: 1 } };
const gone = new THREE.Vector3(); // offset of what is followed at the frame that is shown

// Places the camera in the direction `way` from the middle, so that the mechanism is in sight as it stands first, or in its
// `whole` motion.
let wholeMotion = false;
export function lookFrom(way, whole = wholeMotion) {
  own = false;
  wholeMotion = whole;
  const shown = whole ? sight.whole : sight.start,
    target = shown.center.clone().add(gone),
    { distance, half } = frame(way, shown);
  perspective.position.copy(target).addScaledVector(way, distance);
  orthographic.position.copy(perspective.position);
  orthographic.zoom = 1;
  orthographic.userData.half = half;
  controls.target.copy(target);
  shapeCameras();
  controls.update();
  turned();
  redraw(true);
}
export function wayOf(azimuth, elevation) {
  const a = (azimuth * Math.PI) / 180,
    e = (Math.min(89.9, elevation) * Math.PI) / 180;
  return new THREE.Vector3(Math.cos(e) * Math.sin(a), -Math.cos(e) * Math.cos(a), Math.sin(e));
}
export const currentWay = () => eye.camera.position.clone().sub(controls.target).normalize();
on('look', (azimuth, elevation) => lookFrom(wayOf(azimuth, elevation)));
on('fit', () => lookFrom(currentWay(), own || !wholeMotion));

function shapeCameras() {
  const { full, clear } = currentBox,
    half = orthographic.userData.half ?? extent;
  perspective.aspect = full.width / full.height;
  Object.assign(orthographic, { left: -half * perspective.aspect, right: half * perspective.aspect, top: half, bottom: -half });
  for (const camera of [perspective, orthographic]) {
    aim(camera, full, clear);
    camera.updateProjectionMatrix();
  }
}

whenOption('ortho', (wanted) => {
  const [from, to] = wanted ? [perspective, orthographic] : [orthographic, perspective];
  const far = from.position.distanceTo(controls.target),
    tan = Math.tan((perspective.fov * Math.PI) / 360);
  to.position.copy(from.position);
  if (wanted) Object.assign(orthographic, { zoom: 1, userData: { half: far * tan } });
  else
    to.position
      .sub(controls.target)
      .setLength(orthographic.userData.half / orthographic.zoom / tan)
      .add(controls.target);
  eye.camera = controls.object = to;
  shapeCameras();
  controls.update();
  layOut();
});

// Turns (degrees) and nears the camera, for keys.
export function turn(around, upward) {
  own = true;
  const s = new THREE.Spherical().setFromVector3(
    eye.camera.position
      .clone()
      .sub(controls.target)
      .applyAxisAngle(new THREE.Vector3(1, 0, 0), -Math.PI / 2),
  );
  s.theta += (around * Math.PI) / 180;
  s.phi = Math.max(0.001, Math.min(Math.PI - 0.001, s.phi - (upward * Math.PI) / 180));
  eye.camera.position
    .setFromSpherical(s)
    .applyAxisAngle(new THREE.Vector3(1, 0, 0), Math.PI / 2)
    .add(controls.target);
  controls.update();
  turned();
}
export function near(factor) {
  own = true;
  if (eye.camera === orthographic) orthographic.zoom *= factor;
  else perspective.position.sub(controls.target).divideScalar(factor).add(controls.target);
  eye.camera.updateProjectionMatrix();
  controls.update();
  redraw();
}

// Cameras, boxes and views for the page as it is, or for a picture of another size.
export function layOut({ width, height } = { width: window.innerWidth, height: window.innerHeight }) {
  const clear = clearBox(width, height),
    how = runs.length > 1 ? option('compare') : 'first';
  views.length = 0;
  if (how === 'side') {
    const half = { ...clear, width: Math.floor(clear.width / 2) };
    Object.assign(currentBox, { full: half, clear: half });
    figures.forEach((f, i) =>
      views.push({
        box: { ...half, x: clear.x + i * half.width },
        clear: { ...half, x: clear.x + i * half.width },
        camera: eye.camera,
        figures: [f],
        others: figures.filter((g) => g !== f),
      }),
    );
  } else {
    const full = { x: 0, y: 0, width, height };
    Object.assign(currentBox, { full, clear });
    const seen = how === 'overlay' ? figures : [figures[how === 'second' ? 1 : 0]];
    views.push({ box: full, clear, camera: eye.camera, figures: seen, others: figures.filter((f) => !seen.includes(f)) });
  }
  if (figures[1]) figures[1].solids.fade(how === 'overlay' ? 0.45 : 1);
  shapeCameras();
  redraw(true);
}
export function resize() {
  document.documentElement.style.setProperty('--bar', `${$('bar').offsetHeight}px`);
  resizeStage(window.innerWidth, window.innerHeight, window.devicePixelRatio || 1);
  layOut();
  if (!own && started) lookFrom(currentWay());
  emit('resize');
}
if (runs.length > 1) {
  whenOption('compare', () => {
    layOut();
    if (!own && started) lookFrom(currentWay());
  });
  addLabels((pen) => {
    if (option('compare') === 'side')
      pen.text((pen.left + pen.right) / 2, pen.top + 14, `${pen.first ? 'first' : 'second'}: ${runs[pen.first ? 0 : 1].model.name}`, {
        align: 'center',
        bold: true,
      });
  });
}

// The light, the ground and the camera go along.
let lit = null; // where the light was placed last
function goAlong() {
  const before = gone.clone();
  offsetAt(state.frame, gone);
  const moved = gone.clone().sub(before);
  perspective.position.add(moved);
  orthographic.position.add(moved);
  controls.target.add(moved);
  const center = sight.center.clone().add(gone);
  if (!lit || center.distanceTo(lit) > 0.1 * sight.radius) {
    lit = center;
    lightUp(center, 1.25 * sight.radius);
    placeGround(center, sight.lowest);
  }
}
on('frame', goAlong);
whenOption('follow', goAlong);
on('choose', () => {
  if (option('follow') === 'chosen') goAlong();
});
let measured = 0;
on('data', () => {
  measureTravel();
  if (run.frames > 1.3 * measured) {
    // of a run that goes on, now and then
    measured = run.frames;
    measureSight();
    lit = null;
  }
});

export function startCamera() {
  measureTravel();
  measureSight();
  measured = run.frames;
  resize();
  lookFrom(wayOf(24, 18));
  started = true;
  goAlong();
}

// The axes of the world, in the corner.
addLabels((pen) => {
  if (pen.small) return;
  const origin = [pen.right - 34, pen.bottom - 34],
    turned = eye.camera.quaternion.clone().conjugate();
  const axes = ['x', 'y', 'z'].map((name, k) => ({
    name,
    way: new THREE.Vector3().setComponent(k, 1).applyQuaternion(turned),
    colour: ['#d6404a', '#3d9a3d', '#3f74c8'][k],
  }));
  axes.sort((a, b) => a.way.z - b.way.z);
  for (const { name, way, colour } of axes) {
    pen.line(origin, [origin[0] + 30 * way.x, origin[1] - 30 * way.y], colour, 2.5);
    pen.text(origin[0] + 40 * way.x, origin[1] - 40 * way.y, name, { colour, align: 'center', bold: true });
  }
});
