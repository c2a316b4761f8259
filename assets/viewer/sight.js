// What is to be in sight: all that moves, relative to what travels, and what of the world stands by it.
import { chosenBody, run } from './state.js';
import { option } from './options.js';
import { extent } from './stage.js';
import { figures } from './figure.js';

// What moves away: the centre of mass of the bodies that no joint holds to the world, smoothed over `smooth` s, where it
// goes beyond half of the size. What the others throw is let go: only half of the mass or more is followed.
const smooth = 0.4;
const travel = { centers: new Float32Array(3), along: [false, false, false] };
const loose = (() => {
  const { bodies, joints } = run.model,
    held = new Set();
  for (let before = -1; before !== held.size;) {
    before = held.size;
    for (const { type, base, follower } of joints) {
      if (type === 'free') continue;
      if (base < 0 || held.has(base)) held.add(follower);
      else if (held.has(follower)) held.add(base);
    }
  }
  return bodies.map((_, b) => b).filter((b) => !held.has(b));
})();
const massOf = (some) => some.reduce((sum, b) => sum + run.model.bodies[b].mass, 0);
const free = massOf(loose) >= 0.5 * massOf([...run.model.bodies.keys()]) ? loose : [];
const thrown = new Set(free.length ? [] : loose);
export function measureTravel() {
  if (!free.length) return;
  const { bodies } = run.model,
    n = run.frames,
    sums = new Float64Array(3 * (n + 1));
  const mass = massOf(free);
  const low = [Infinity, Infinity, Infinity],
    high = [-Infinity, -Infinity, -Infinity];
  for (let f = 0; f < n; ++f)
    for (let k = 0; k < 3; ++k) {
      let at = 0;
      for (const b of free) at += (bodies[b].mass / mass) * run.poses[7 * (f * bodies.length + b) + k];
      sums[3 * (f + 1) + k] = sums[3 * f + k] + at;
      low[k] = Math.min(low[k], at);
      high[k] = Math.max(high[k], at);
    }
  travel.centers = new Float32Array(3 * n);
  const half = Math.max(1, Math.round((smooth * n) / Math.max(run.end - run.start, 1e-9)));
  for (let f = 0; f < n; ++f) {
    const reach = Math.min(half, f, n - 1 - f),
      from = f - reach,
      to = f + reach + 1;
    for (let k = 0; k < 3; ++k) travel.centers[3 * f + k] = (sums[3 * to + k] - sums[3 * from + k]) / (to - from);
  }
  // Upward and downward only far: the ground is what one compares with.
  travel.along = [0, 1, 2].map((k) => high[k] - low[k] > (k < 2 ? 0.5 : 2) * extent);
}

// Where what the camera follows has gone to since the start.
export function offsetAt(frame, target) {
  target.set(0, 0, 0);
  if (option('follow') === 'auto' && run.frames)
    for (let k = 0; k < 3; ++k) if (travel.along[k]) target.setComponent(k, travel.centers[3 * frame + k] - travel.centers[k]);
  const body = chosenBody();
  if (option('follow') === 'chosen' && body >= 0 && run.frames)
    target.fromArray(run.poses, 7 * (frame * run.bodies + body)).sub(new THREE.Vector3().fromArray(run.poses, 7 * body));
  return target;
}

// Balls around all that is to be in sight, in places relative to what is followed: at the first frame, and at any.
function ballsInSight() {
  const offset = new THREE.Vector3(),
    one = new THREE.Vector3(1, 1, 1),
    position = new THREE.Vector3(),
    quaternion = new THREE.Quaternion(),
    pose = new THREE.Matrix4();
  const balls = (frame) => {
    const found = [];
    offsetAt(frame, offset);
    for (const f of figures) {
      const at = f.run === run ? frame : f.run.frameAt(run.times[frame]);
      for (const piece of f.solids.pieces) {
        const { geometry, body, matrix, scale } = piece;
        if (body < 0 && f.solids.pieces.some((p) => p.body >= 0)) continue;
        if (!geometry.boundingSphere) geometry.computeBoundingSphere();
        const center = geometry.boundingSphere.center.clone().applyMatrix4(matrix);
        if (body >= 0) {
          f.run.poseAt(at, body, position, quaternion);
          center.applyMatrix4(pose.compose(position, quaternion, one));
        }
        // Of long pieces their two ends.
        const radius = geometry.boundingSphere.radius * Math.max(scale.x, scale.y, scale.z);
        found.push({ body, center: center.sub(offset), radius, ...corners(piece, offset, pose, body) });
      }
      f.run.model.joints.forEach((joint, j) =>
        found.push({
          center: f.joints.placeOf(at, j, new THREE.Vector3()).sub(offset),
          radius: (joint.base < 0 ? 2.5 : 1) * f.joints.size,
        }),
      );
    }
    return found;
  };
  if (!run.frames) {
    const ball = [{ center: new THREE.Vector3(...run.model.center), radius: extent / 2 }];
    return { first: ball, all: ball };
  }
  const first = balls(0),
    count = Math.max(2, Math.min(24, Math.round(8000 / first.length)));
  const box = first.reduce((sum, b) => sum.expandByPoint(b.center), new THREE.Box3()),
    middle = box.getCenter(new THREE.Vector3());
  const reach = Math.max(box.getSize(new THREE.Vector3()).length(), extent),
    all = [...first];
  for (let i = 1; i < count; ++i)
    // what flies off does not count
    all.push(
      ...balls(run.frameAt(run.start + ((run.end - run.start) * i) / (count - 1))).filter(
        (b) => b.center.distanceTo(middle) < (thrown.has(b.body) ? 1 : 4) * reach,
      ),
    );
  return { first, all };
}

// The corners of the box around a piece, in the world, relative to what is followed.
function corners(piece, offset, pose, body) {
  const { geometry, matrix } = piece;
  if (!geometry.boundingBox) geometry.computeBoundingBox();
  const { min, max } = geometry.boundingBox,
    points = [];
  for (let i = 0; i < 8; ++i) {
    const p = new THREE.Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z).applyMatrix4(matrix);
    if (body >= 0) p.applyMatrix4(pose);
    points.push(p.sub(offset));
  }
  return { points };
}

// What a camera is to show: `start`, the mechanism as it stands first with room for its motion, of a long one for a part; and
// `whole`, all that it sweeps.
const empty = () => ({ center: new THREE.Vector3(...run.model.center), points: [] });
export const sight = {
  start: empty(),
  whole: empty(),
  center: new THREE.Vector3(...run.model.center),
  radius: extent,
  lowest: run.model.low,
};
const roomBeside = 0.25; // of the size of the mechanism, on each side of where it stands first

function pointsOf(balls) {
  return balls.flatMap(
    (b) =>
      b.points ?? [1, -1].flatMap((s) => [0, 1, 2].map((k) => b.center.clone().setComponent(k, b.center.getComponent(k) + s * b.radius))),
  );
}

// Points with those of the world that stand by them, and their middle.
function withSurroundings(points) {
  const box = new THREE.Box3().setFromPoints(points),
    around = box.clone().expandByScalar(0.5 * box.getSize(new THREE.Vector3()).length());
  const all = [...points];
  for (const piece of figures[0].solids.pieces) {
    if (piece.body >= 0 || !run.frames) continue;
    const { points: own } = corners(piece, new THREE.Vector3(), null, -1);
    if (own.every((p) => around.containsPoint(p))) all.push(...own);
  }
  box.setFromPoints(all);
  return { points: all, center: box.getCenter(new THREE.Vector3()), box };
}

export function measureSight() {
  const { first, all } = ballsInSight(),
    start = pointsOf(first);
  const stand = new THREE.Box3().setFromPoints(start),
    size = stand.getSize(new THREE.Vector3());
  stand.expandByScalar(roomBeside * Math.max(size.x, size.y, size.z));
  const swept = pointsOf(all);
  sight.start = withSurroundings(swept.map((p) => stand.clampPoint(p, new THREE.Vector3())));
  sight.whole = withSurroundings(swept);
  const { box } = sight.whole;
  box.getCenter(sight.center);
  sight.radius = Math.max(0.5 * box.getSize(new THREE.Vector3()).length(), 1e-3 * extent);
  sight.lowest = box.min.z;
}
