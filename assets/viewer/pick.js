// Pointing: a click chooses or measures; in a live run a body can be dragged.
import { choose, data, emit, run, state } from './state.js';
import { option } from './options.js';
import { renderer, views } from './stage.js';
import { controls, eye } from './camera.js';
import { figures } from './figure.js';
import { addPoint } from './measure.js';

const moves = 5; // px: below it is a click
let down = null,
  held = null;

// The ray through a place of the page, and the figures that are drawn there.
function rayAt(x, y) {
  const view = views.find(({ box }) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height) ?? views[0];
  const ray = new THREE.Raycaster();
  eye.camera.updateMatrixWorld();
  ray.setFromCamera(
    new THREE.Vector2(((x - view.box.x) / view.box.width) * 2 - 1, 1 - ((y - view.box.y) / view.box.height) * 2),
    eye.camera,
  );
  return { ray, figure: view.figures.find((f) => f.run === run) ?? figures[0] };
}
function hitAt(x, y) {
  const { ray, figure } = rayAt(x, y),
    hit = figure.solids.hit(ray);
  if (!hit) return null;
  const position = new THREE.Vector3(),
    turn = new THREE.Quaternion();
  run.poseAt(state.frame, hit.body, position, turn);
  return { ...hit, local: hit.point.clone().sub(position).applyQuaternion(turn.conjugate()) };
}

renderer.domElement.addEventListener('pointerdown', (e) => {
  down = [e.clientX, e.clientY];
  if (!data.live || e.button !== 0 || !(e.shiftKey || data.live.dragging)) return;
  const hit = hitAt(e.clientX, e.clientY);
  if (!hit) return;
  held = { body: hit.body, local: hit.local, depth: hit.point.clone() };
  controls.enabled = false;
  renderer.domElement.setPointerCapture(e.pointerId);
  emit('grab', hit.body, hit.local, hit.point);
});
renderer.domElement.addEventListener('pointermove', (e) => {
  if (!held) return;
  // In the plane through the point that was caught, across the view.
  const { ray } = rayAt(e.clientX, e.clientY),
    across = new THREE.Vector3(),
    target = new THREE.Vector3();
  eye.camera.getWorldDirection(across);
  if (ray.ray.intersectPlane(new THREE.Plane().setFromNormalAndCoplanarPoint(across, held.depth), target))
    emit('grab', held.body, held.local, target);
});
function letGo() {
  if (held) emit('drop');
  held = null;
  controls.enabled = true;
}
renderer.domElement.addEventListener('pointercancel', letGo);
renderer.domElement.addEventListener('pointerup', (e) => {
  const dragged = !!held;
  letGo();
  if (dragged || !down || Math.hypot(e.clientX - down[0], e.clientY - down[1]) > moves) return;
  const hit = hitAt(e.clientX, e.clientY);
  if (option('measure') !== 'off' && addPoint(hit?.body ?? -1, hit?.local, e.clientX, e.clientY)) emit('measured');
  else if (hit) choose({ kind: 'body', index: hit.body }, hit.local);
});
