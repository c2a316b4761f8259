// Forces as thick arrows, all of a kind in two draw calls, with numbers at the largest; two more for what bodies hide of
// them, which shines through: a force that presses on a body lies inside it.
import { option } from './options.js';
import { style } from './labels.js';
import { readable } from './series.js';
import { extent, instances, light, solidMaterial } from './stage.js';

const shaft = new THREE.CylinderBufferGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
const head = new THREE.ConeBufferGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5);
const Z = new THREE.Vector3(0, 0, 1);
const mostNumbers = 10;

// Length of the arrow of the reference force, and the longest there is.
const usualLength = 0.16 * extent,
  mostLength = 0.7 * extent;

export class Arrows {
  // `colour`: of the screen; `ink`: name of the style's colour for text.
  constructor(parent, colour, ink) {
    Object.assign(this, { colour, ink });
    this.group = new THREE.Group();
    this.group.renderOrder = 3;
    parent.add(this.group);
    this.parent = parent;
    this.reference = 1; // N
    this.room = 0;
    this.list = [];
  }

  // The force that is drawn at the usual length: 95 % of `forces` (N) are not larger.
  measure(forces) {
    const some = forces.filter((f) => f > 1e-9).sort((a, b) => a - b);
    this.largest = some.length ? some[some.length - 1] : 0;
    this.reference = some.length ? some[Math.ceil(0.95 * (some.length - 1))] : 1;
  }

  reserve(count) {
    if (count <= this.room) return;
    for (const mesh of this.meshes ?? []) this.group.remove(mesh);
    this.room = Math.max(16, 2 ** Math.ceil(Math.log2(count)));
    const glow = light(this.colour);
    const seen = { emissive: glow.clone().multiplyScalar(0.35), clippingPlanes: [] },
      hidden = { ...seen, depthFunc: THREE.GreaterDepth, transparent: true, opacity: 0.6, depthWrite: false, side: THREE.FrontSide };
    this.meshes = [seen, hidden].flatMap((how) =>
      [shaft, head].map((geometry) => {
        const mesh = instances(this.group, geometry, solidMaterial(how), this.room, { castShadow: false, receiveShadow: false });
        mesh.renderOrder = how === hidden ? 3 : 0;
        return mesh;
      }),
    );
    for (const i of [0, 1]) this.meshes[2 + i].instanceMatrix = this.meshes[i].instanceMatrix;
    const { r, g, b } = light(this.colour);
    for (const mesh of this.meshes) for (let i = 0; i < this.room; ++i) mesh.tint.array.set([r, g, b, 0], 4 * i);
  }

  // `list`: { at, force } in the world, m and N.
  show(list) {
    this.list = list.filter(({ force }) => force.length() > 0.002 * this.reference);
    this.reserve(this.list.length);
    if (!this.meshes) return;
    const turn = new THREE.Quaternion(),
      scale = new THREE.Vector3(),
      matrix = new THREE.Matrix4(),
      at = new THREE.Vector3();
    this.list.forEach((arrow, i) => {
      const size = arrow.force.length(),
        way = arrow.force.clone().divideScalar(size);
      const length = this.lengthOf(size);
      arrow.end = arrow.at.clone().addScaledVector(way, length);
      const width = Math.min(0.0055 * extent, 0.14 * length),
        tip = Math.min(0.028 * extent, 0.45 * length);
      turn.setFromUnitVectors(Z, way);
      matrix.compose(arrow.at, turn, scale.set(width, width, length - tip)).toArray(this.meshes[0].instanceMatrix.array, 16 * i);
      at.copy(arrow.at).addScaledVector(way, length - tip);
      matrix.compose(at, turn, scale.set(2.3 * width, 2.3 * width, tip)).toArray(this.meshes[1].instanceMatrix.array, 16 * i);
    });
    for (const mesh of this.meshes) {
      mesh.count = this.list.length;
      mesh.visible = this.list.length > 0;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  lengthOf(force) {
    return Math.min(mostLength, (force / this.reference) * usualLength * 10 ** option('arrowScale'));
  }

  write(pen) {
    if (!option('numbers')) return;
    const largest = [...this.list].sort((a, b) => b.force.lengthSq() - a.force.lengthSq()).slice(0, mostNumbers);
    for (const { end, force } of largest) {
      const size = force.length();
      if (size < 0.05 * this.reference) break;
      pen.beside(end, `${readable(size)} N${this.lengthOf(size) === mostLength ? ' (cut)' : ''}`, { colour: style(this.ink), bold: true });
    }
  }

  // Where they act, which is between bodies.
  writeDots(pen) {
    for (const { at } of this.list) pen.dot(at, this.colour);
  }

  clear() {
    this.show([]);
  }
}
