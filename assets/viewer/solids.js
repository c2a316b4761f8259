// Bodies in a picture: one draw call for all pieces of one geometry, and one for their edges.
import { light, instances, redraw, solidMaterial, cutting } from './stage.js';
import { ThickLines } from './lines.js';
import { option } from './options.js';
import { piecesOf } from './shapes.js';

const palette = ['#4878a8', '#e08a34', '#5b9a58', '#a0739c', '#d9b43c', '#5fa8a3', '#d0585a', '#8c6a4f', '#7d8fb3', '#c46d94'];
const worldColour = '#8b9299';

// Bodies that play the same part share a colour: names count without numbers and sides. Loose ones differ.
function coloursOf(model) {
  const parts = new Map(),
    joined = new Set(model.joints.flatMap(({ base, follower }) => [base, follower]));
  return model.bodies.map(({ name }, b) => {
    const part = !joined.has(b)
      ? name
      : name
          .toLowerCase()
          .replace(/(^|[-_.\s])(left|right|front|rear|upper|lower|[lrf][lrfh]?)(?=$|[-_.\s])/g, '$1')
          .replace(/\d.*$/, '')
          .replace(/[-_.\s]+$/, '');
    if (!parts.has(part)) parts.set(part, palette[parts.size % palette.length]);
    return light(parts.get(part));
  });
}

// Edges of what is thin in the picture are left out: they would be all that one sees.
const edgeVertex = `
attribute vec4 row0, row1, row2, row3;
uniform vec2 pixels;
varying float vInk;
void main() {
  vec4 at = modelViewMatrix * mat4(row0, row1, row2, row3) * vec4(position, 1.0);
  at.xyz *= 0.9985; // before the surface
  gl_Position = projectionMatrix * at;
  float thin = min(length(row0.xyz), min(length(row1.xyz), length(row2.xyz)));
  vInk = 0.45 * smoothstep(4.0, 14.0, thin * projectionMatrix[1][1] * pixels.y / gl_Position.w);
}`;
const edgeFragment = `
varying float vInk;
void main() { gl_FragColor = vec4(0.05, 0.06, 0.08, vInk); }`;

class Group {
  // `pieces`: of one geometry.
  constructor(parent, pieces, model) {
    this.pieces = pieces;
    this.material = solidMaterial();
    this.mesh = instances(parent, pieces[0].geometry, this.material, pieces.length);
    this.matrices = this.mesh.instanceMatrix.array;
    this.edges = this.edgesOf(pieces, model);
    if (this.edges) parent.add(this.edges);
  }

  // Lines where the surface bends; none where there are very many.
  edgesOf(pieces, model) {
    const triangles = (pieces[0].geometry.index ?? pieces[0].geometry.attributes.position).count / 3;
    if (pieces[0].key === 'sphere' || pieces[0].key.startsWith('capsule') || triangles > 20000) return null;
    const base = new THREE.EdgesGeometry(pieces[0].geometry, 35),
      geometry = new THREE.InstancedBufferGeometry();
    if (!base.attributes.position.count) return null;
    geometry.setAttribute('position', base.attributes.position);
    this.rows = new THREE.InstancedInterleavedBuffer(this.matrices, 16, 1);
    for (let i = 0; i < 4; ++i) geometry.setAttribute(`row${i}`, new THREE.InterleavedBufferAttribute(this.rows, 4, 4 * i));
    geometry.maxInstancedCount = pieces.length;
    const lines = new THREE.LineSegments(
      geometry,
      new THREE.ShaderMaterial({
        vertexShader: edgeVertex,
        fragmentShader: edgeFragment,
        transparent: true,
        depthWrite: false,
        uniforms: { pixels: { value: ThickLines.pixels } },
      }),
    );
    lines.frustumCulled = false;
    return lines;
  }

  sent() {
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.rows) this.rows.needsUpdate = true;
  }
}

const matrix = new THREE.Matrix4(),
  hidden = new THREE.Matrix4().makeScale(0, 0, 0);

export class Solids {
  constructor(run, parent, { tint = null } = {}) {
    this.run = run;
    this.parent = parent;
    this.pieces = piecesOf(run.model);
    this.bodyMatrices = run.model.bodies.map(() => new THREE.Matrix4());
    this.tinted = tint !== null;
    this.colours = tint ? run.model.bodies.map(() => light(tint)) : coloursOf(run.model);
    this.world = light(worldColour);
    const byKey = new Map();
    for (const piece of this.pieces) byKey.set(piece.key, [...(byKey.get(piece.key) ?? []), piece]);
    this.groups = [...byKey.values()].map((pieces) => new Group(parent, pieces, run.model));
    this.ghosts = [];
    this.paint(() => null, -1);
  }

  seen(piece) {
    const which = option('which');
    return which === 'all' || piece.link || piece.collides === (which === 'collision');
  }

  // Bodies are at a frame from now on, for place().
  pose(frame) {
    const position = new THREE.Vector3(),
      quaternion = new THREE.Quaternion(),
      one = new THREE.Vector3(1, 1, 1);
    this.run.model.bodies.forEach((_, b) => {
      this.run.poseAt(frame, b, position, quaternion);
      this.bodyMatrices[b].compose(position, quaternion, one);
    });
  }

  // Writes the matrices of `pieces` into an array.
  place(pieces, array, offset = 0) {
    pieces.forEach((piece, i) => {
      if (!this.seen(piece)) matrix.copy(hidden);
      else if (piece.body < 0) matrix.copy(piece.matrix);
      else matrix.multiplyMatrices(this.bodyMatrices[piece.body], piece.matrix);
      matrix.toArray(array, 16 * (offset + i));
    });
  }

  show(frame) {
    this.pose(frame);
    for (const group of this.groups) {
      this.place(group.pieces, group.matrices);
      group.sent();
    }
  }

  // Its own colour, if the scenario gives it one.
  colourOf(piece) {
    if (piece.colour && !this.tinted) return light(piece.colour);
    return piece.body < 0 ? this.world : this.colours[piece.body];
  }

  // `loadColour(body)`: null, or what colours it instead; `chosen`: the body that is lit up.
  paint(loadColour, chosen) {
    for (const { pieces, mesh } of this.groups) {
      pieces.forEach((piece, i) => {
        const colour = (piece.body < 0 ? null : loadColour(piece.body)) ?? this.colourOf(piece);
        mesh.tint.array.set([colour.r, colour.g, colour.b, piece.body >= 0 && piece.body === chosen ? 1 : piece.through ? -1 : 0], 4 * i);
      });
      mesh.tint.needsUpdate = true;
    }
    redraw();
  }

  // Parts of the world between the eye and what is looked at, such as a wall, are seen through.
  seeThrough(from, to) {
    const ray = new THREE.Ray(),
      inverse = new THREE.Matrix4(),
      far = from.distanceTo(to),
      at = new THREE.Vector3();
    for (const { pieces, mesh } of this.groups)
      pieces.forEach((piece, i) => {
        if (piece.body >= 0) return;
        if (!piece.geometry.boundingBox) piece.geometry.computeBoundingBox();
        ray.set(from, to.clone().sub(from).normalize()).applyMatrix4(inverse.getInverse(piece.matrix));
        const hit = ray.intersectBox(piece.geometry.boundingBox, at) && at.applyMatrix4(piece.matrix).distanceTo(from) < far;
        if (hit === !!piece.through) return;
        piece.through = hit;
        mesh.tint.array[4 * i + 3] = hit ? -1 : 0;
        mesh.tint.needsUpdate = true;
      });
  }

  dress() {
    for (const { material, edges } of this.groups) {
      material.wireframe = option('wire');
      if (edges) edges.visible = option('edges') && !option('wire') && !cutting.planes.length;
    }
    redraw();
  }

  // Sees through everything, for the second of two runs that lie over each other.
  fade(opacity) {
    for (const { material, mesh } of this.groups) {
      Object.assign(material, { transparent: opacity < 1, opacity });
      material.needsUpdate = true;
      mesh.castShadow = opacity === 1;
    }
  }

  // Copies of the pieces of `bodies` at `frames`, seen through.
  copies(frames, bodies, opacity) {
    this.forgetCopies();
    if (!frames.length) return;
    const made = [];
    for (const { pieces, mesh } of this.groups) {
      const some = pieces.filter((piece) => bodies.has(piece.body));
      if (!some.length) continue;
      const material = solidMaterial({ transparent: true, opacity, depthWrite: false, side: THREE.FrontSide });
      const copy = instances(this.parent, mesh.geometry, material, some.length * frames.length, {
        castShadow: false,
        receiveShadow: false,
      });
      copy.renderOrder = 1;
      made.push({ some, copy });
      this.ghosts.push(copy);
    }
    frames.forEach((frame, k) => {
      this.pose(frame);
      for (const { some, copy } of made) {
        this.place(some, copy.instanceMatrix.array, k * some.length);
        some.forEach((piece, i) => {
          const { r, g, b } = this.colourOf(piece);
          copy.tint.array.set([r, g, b, 0], 4 * (k * some.length + i));
        });
      }
    });
  }

  forgetCopies() {
    for (const copy of this.ghosts) {
      this.parent.remove(copy);
      copy.material.dispose();
      copy.geometry.dispose();
    }
    this.ghosts = [];
  }

  // The body that a ray meets first, and where: { body, point, distance }; null: none.
  hit(ray) {
    const one = new THREE.Mesh(),
      found = [];
    one.material = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide });
    for (const { pieces, matrices } of this.groups)
      pieces.forEach((piece, i) => {
        if (piece.body < 0 || !this.seen(piece)) return;
        one.geometry = piece.geometry;
        one.matrixWorld.fromArray(matrices, 16 * i);
        const hits = [];
        one.raycast(ray, hits);
        for (const { point, distance } of hits)
          if (cutting.planes.every((plane) => plane.distanceToPoint(point) >= 0)) found.push({ body: piece.body, point, distance });
      });
    return found.sort((a, b) => a.distance - b.distance)[0] ?? null;
  }
}
