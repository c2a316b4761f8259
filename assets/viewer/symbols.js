// Symbols of joints by type, in units of their size, along z: what goes with the base and what with the follower.
import { merged } from './shapes.js';

const X = new THREE.Vector3(1, 0, 0),
  Y = new THREE.Vector3(0, 1, 0),
  Z = new THREE.Vector3(0, 0, 1);
const axes = [X, Y, Z];
const turned = (axis) => new THREE.Matrix4().makeRotationFromQuaternion(new THREE.Quaternion().setFromUnitVectors(Z, axis));
const moved = (x, y, z) => new THREE.Matrix4().makeTranslation(x, y, z);
const rod = (radius, length, axis = Z) => ({
  geometry: new THREE.CylinderBufferGeometry(radius, radius, length, 20).rotateX(Math.PI / 2),
  matrix: turned(axis),
});
const block = (x, y, z, matrix) => ({ geometry: new THREE.BoxBufferGeometry(x, y, z), matrix });
const ball = (radius, matrix) => ({ geometry: new THREE.SphereBufferGeometry(radius, 20, 14), matrix });
const ring = (radius, thickness, axis = Z) => ({
  geometry: new THREE.TorusBufferGeometry(radius, thickness, 10, 28),
  matrix: turned(axis),
});

// A sleeve around an axis: rings at its ends and a wall between them.
const sleeve = (radius, length) => [
  { geometry: new THREE.CylinderBufferGeometry(radius, radius, length, 20, 1, true).rotateX(Math.PI / 2) },
  ...[-1, 1].map((end) => ({ geometry: new THREE.RingBufferGeometry(radius * 0.6, radius, 20), matrix: moved(0, 0, (end * length) / 2) })),
];

const makers = {
  revolute: () => ({ base: sleeve(0.62, 0.8), follower: [rod(0.34, 1.5)] }),
  prismatic: () => ({ rail: 5, base: [block(0.34, 0.34, 5)], follower: [block(0.95, 0.95, 1.3)] }),
  cylindrical: () => ({ rail: 5, base: [rod(0.2, 5)], follower: sleeve(0.55, 1.3) }),
  spherical: () => ({ base: [ring(0.66, 0.14)], follower: [ball(0.58)] }),
  universal: () => ({ base: [rod(0.2, 1.8, X)], follower: [rod(0.2, 1.8, Y), ball(0.36)] }),
  gimbal: () => ({ base: [ring(1.0, 0.09, X)], follower: [ring(0.8, 0.09, Y), ring(0.6, 0.09, Z), ball(0.25)] }),
  planar: () => ({ base: [block(2.6, 2.6, 0.1)], follower: [block(0.7, 0.7, 0.4)] }),
  fixed: () => ({ base: [], follower: [block(0.75, 0.75, 0.75), block(1.1, 0.2, 0.2), block(0.2, 1.1, 0.2), block(0.2, 0.2, 1.1)] }),
  cartesian: () => ({ base: [rod(0.12, 2.4, X), rod(0.12, 2.4, Y), rod(0.12, 2.4, Z)], follower: [block(0.6, 0.6, 0.6)] }),
  'point-on-line': () => ({ rail: 5, base: [rod(0.14, 5)], follower: [ball(0.42)] }),
  'point-on-plane': () => ({ base: [block(2.6, 2.6, 0.08)], follower: [ball(0.42)] }),
  distance: () => ({ base: [ball(0.4)], follower: [ball(0.4)] }),
};

// Directions of a joint's frame, 0 to 2: translations, 3 to 5: rotations. The axis of its symbol.
function axisOf(joint) {
  if (joint.type === 'point-on-plane') return axes[[0, 1, 2].find((d) => !joint.free.includes(d)) ?? 2];
  if (joint.type === 'planar') return axes[[0, 1, 2].find((d) => !joint.free.includes(d)) ?? 2];
  return axes[(joint.free[0] ?? 2) % 3];
}

// { base, follower: geometries, turn: into the joint's frame, rail: length of a base that is one } of a joint; null for free
// ones.
const known = new Map();
export function symbolOf(joint) {
  const make = makers[joint.type];
  if (!make) return null;
  if (!known.has(joint.type)) {
    const { base, follower, rail } = make();
    known.set(joint.type, { base: base.length ? merged(base) : null, follower: merged(follower), rail });
  }
  const turn = ['spherical', 'universal', 'gimbal', 'fixed', 'cartesian', 'distance'].includes(joint.type)
    ? new THREE.Matrix4()
    : turned(axisOf(joint));
  return { ...known.get(joint.type), turn };
}

// Where a joint is fixed to the world: a pedestal under it, its tip at the origin, its foot at z = -1.
export const anchor = merged([
  {
    geometry: new THREE.CylinderBufferGeometry(0.12, 0.8, 0.85, 4, 1).rotateX(Math.PI / 2).rotateZ(Math.PI / 4),
    matrix: moved(0, 0, -0.425),
  },
  block(1.7, 1.7, 0.15, moved(0, 0, -0.925)),
]);

// A wheel with teeth, whose pitch circle has the radius 1, about z.
export const gear = (() => {
  const outline = new THREE.Shape(),
    teeth = 18;
  for (let i = 0; i < teeth; ++i)
    for (const [share, radius] of [
      [0, 0.92],
      [0.2, 1.06],
      [0.45, 1.06],
      [0.65, 0.92],
    ]) {
      const a = (2 * Math.PI * (i + share)) / teeth;
      outline[i + share === 0 ? 'moveTo' : 'lineTo'](radius * Math.cos(a), radius * Math.sin(a));
    }
  outline.closePath();
  const hole = new THREE.Path();
  hole.absarc(0, 0, 0.74, 0, 2 * Math.PI, true);
  outline.holes.push(hole);
  return new THREE.ExtrudeBufferGeometry(outline, { depth: 1, bevelEnabled: false, curveSegments: 24 }).translate(0, 0, -0.5);
})();

// The same with its teeth inside.
export const ringGear = (() => {
  const outline = new THREE.Shape(),
    hole = new THREE.Path(),
    teeth = 36;
  outline.absarc(0, 0, 1.16, 0, 2 * Math.PI, false);
  for (let i = 0; i < teeth; ++i)
    for (const [share, radius] of [
      [0, 1.04],
      [0.2, 0.97],
      [0.45, 0.97],
      [0.65, 1.04],
    ]) {
      const a = (2 * Math.PI * (i + share)) / teeth;
      hole[i + share === 0 ? 'moveTo' : 'lineTo'](radius * Math.cos(a), radius * Math.sin(a));
    }
  hole.closePath();
  outline.holes.push(hole);
  return new THREE.ExtrudeBufferGeometry(outline, { depth: 1, bevelEnabled: false, curveSegments: 36 }).translate(0, 0, -0.5);
})();
