// Geometry of what bodies are made of: their shapes, or links between their joints where they have none.
import { rowsOf, columnsOf } from './tables.js';

const upright = (g) => g.rotateX(Math.PI / 2); // three's axial shapes stand along y
const unit = {
  box: () => new THREE.BoxBufferGeometry(1, 1, 1),
  sphere: () => new THREE.SphereBufferGeometry(1, 48, 28),
  cylinder: () => upright(new THREE.CylinderBufferGeometry(1, 1, 1, 40)),
  cone: () => upright(new THREE.ConeBufferGeometry(1, 1, 36)),
};

// Of radius 1, `length` between the centres of the caps.
function capsule(length) {
  const profile = [];
  for (let i = 0; i <= 8; ++i) profile.push(new THREE.Vector2(Math.sin((i * Math.PI) / 16), -length / 2 - Math.cos((i * Math.PI) / 16)));
  for (let i = 0; i <= 8; ++i) profile.push(new THREE.Vector2(Math.cos((i * Math.PI) / 16), length / 2 + Math.sin((i * Math.PI) / 16)));
  return upright(new THREE.LatheBufferGeometry(profile, 24));
}

function meshGeometry(mesh) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(rowsOf(mesh.vertices), 3));
  geometry.setIndex(new THREE.BufferAttribute(columnsOf(mesh.triangles, Uint32Array)[0], 1));
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

// Puts parts { geometry, matrix } into one.
export function merged(parts) {
  const position = [],
    normal = [];
  for (const { geometry, matrix } of parts) {
    const g = (geometry.index ? geometry.toNonIndexed() : geometry.clone()).applyMatrix(matrix ?? new THREE.Matrix4());
    position.push(...g.attributes.position.array);
    normal.push(...g.attributes.normal.array);
  }
  const all = new THREE.BufferGeometry();
  all.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
  all.setAttribute('normal', new THREE.Float32BufferAttribute(normal, 3));
  return all;
}

// What stands for a body: { key, make, scale, position, quaternion } of a shape.
function shapeOf(s) {
  const pose = { position: new THREE.Vector3(...s.position), quaternion: new THREE.Quaternion(...s.quaternion) };
  const of = (key, scale, make = unit[key]) => ({ key, make, scale: new THREE.Vector3(...scale), ...pose });
  switch (s.type) {
    case 'box':
      return of('box', s.size);
    case 'sphere':
      return of('sphere', [s.radius, s.radius, s.radius]);
    case 'ellipsoid':
      return of('sphere', s.size);
    case 'cylinder':
      return of('cylinder', [s.radius, s.radius, s.length]);
    case 'cone':
      return of('cone', [s.radius, s.radius, s.length]);
    case 'capsule': {
      const length = s.length / s.radius;
      return of(`capsule ${length.toFixed(4)}`, [s.radius, s.radius, s.radius], () => capsule(length));
    }
    default:
      return of(`mesh ${s.mesh}`, [1, 1, 1]);
  }
}

// A bar from a to b.
function bar(a, b, radius) {
  const along = b.clone().sub(a),
    length = along.length();
  const quaternion = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), along.divideScalar(length || 1));
  return {
    key: 'cylinder',
    make: unit.cylinder,
    scale: new THREE.Vector3(radius, radius, length),
    position: a.clone().add(b).multiplyScalar(0.5),
    quaternion,
  };
}
function ball(at, radius) {
  return {
    key: 'sphere',
    make: unit.sphere,
    scale: new THREE.Vector3(radius, radius, radius),
    position: at.clone(),
    quaternion: new THREE.Quaternion(),
  };
}

// Links between the joints of a body: a bar, a polygon of bars, or the way from its only joint to its centre of mass;
// of a body without joints the box that has its inertia.
function linksOf(model, body, thickness) {
  const points = [];
  const add = (p) => {
    if (!points.some((q) => q.distanceTo(p) < 1e-6 * model.size)) points.push(p);
  };
  for (const joint of model.joints) {
    if (joint.type === 'free') continue;
    if (joint.follower === body) add(new THREE.Vector3(...joint.position));
    if (joint.base === body) add(new THREE.Vector3(...joint.basePosition));
  }
  for (const line of model.lines) for (const end of [0, 1]) if (line.bodies[end] === body) add(new THREE.Vector3(...line.points[end]));
  const center = new THREE.Vector3();
  if (!points.length) {
    const box = model.bodies[body].box,
      least = 0.02 * model.size;
    return [
      {
        key: 'box',
        make: unit.box,
        scale: new THREE.Vector3(...box.size.map((edge) => Math.max(edge, least))),
        position: center,
        quaternion: new THREE.Quaternion(...box.quaternion),
      },
    ];
  }
  if (points.length === 1) {
    const only = points[0];
    return only.length() < 2 * thickness
      ? [ball(center, 2.2 * thickness)]
      : [bar(only, center, thickness), ball(center, 2.2 * thickness), ball(only, thickness)];
  }
  const middle = points.reduce((sum, p) => sum.add(p), new THREE.Vector3()).divideScalar(points.length);
  if (points.length > 2) {
    // around the middle, so that bars do not cross
    const a = points[0].clone().sub(middle).normalize();
    const n = points
      .map((p) => a.clone().cross(p.clone().sub(middle)))
      .reduce((best, v) => (v.length() > best.length() ? v : best))
      .normalize();
    const b = n.clone().cross(a);
    const angle = (p) => Math.atan2(p.clone().sub(middle).dot(b), p.clone().sub(middle).dot(a));
    points.sort((p, q) => angle(p) - angle(q));
  }
  const pieces = points.map((p) => ball(p, thickness));
  points.forEach((p, i) => {
    if (i > 0 || points.length > 2) pieces.push(bar(points[(i + points.length - 1) % points.length], p, thickness));
  });
  return pieces;
}

// Struts from the shapes of a body to those of its joints that stand apart from all of them.
function strutsOf(model, body, pieces) {
  const far = 0.04 * model.size,
    found = [];
  for (const joint of model.joints) {
    if (joint.type === 'free' || joint.base === joint.follower || (joint.follower !== body && joint.base !== body)) continue;
    const point = new THREE.Vector3(...(joint.follower === body ? joint.position : joint.basePosition));
    let nearest = null;
    for (const piece of pieces) {
      if (!piece.geometry.boundingBox) piece.geometry.computeBoundingBox();
      const local = point.clone().applyMatrix4(new THREE.Matrix4().getInverse(piece.matrix));
      const surface = piece.geometry.boundingBox.clampPoint(local, new THREE.Vector3()).applyMatrix4(piece.matrix),
        distance = surface.distanceTo(point);
      if (!nearest || distance < nearest.distance) nearest = { distance, center: piece.position };
    }
    if (nearest && nearest.distance > far) found.push(bar(point, nearest.center, 0.004 * model.size));
  }
  return found;
}

// The pieces of all bodies and of the world: as shapeOf(), with `body`, `collides` and `geometry`.
export function piecesOf(model) {
  const geometries = new Map(),
    pieces = [];
  const meshes = model.meshes.map(meshGeometry);
  const add = (piece, body, collides, link, colour = null) => {
    if (!geometries.has(piece.key)) geometries.set(piece.key, piece.make ? piece.make() : meshes[+piece.key.split(' ')[1]]);
    const matrix = new THREE.Matrix4().compose(piece.position, piece.quaternion, piece.scale);
    pieces.push({ ...piece, body, collides, link, colour, geometry: geometries.get(piece.key), matrix });
  };
  const clothed = new Set(model.shapes.map((s) => s.body));
  for (const s of model.shapes) if (s.type !== 'plane') add(shapeOf(s), s.body, s.collides, false, s.color);
  const thickness = 0.012 * model.size;
  model.bodies.forEach((_, body) => {
    const links = clothed.has(body)
      ? strutsOf(
          model,
          body,
          pieces.filter((p) => p.body === body),
        )
      : linksOf(model, body, thickness);
    for (const piece of links) add(piece, body, false, true);
  });
  return pieces;
}
