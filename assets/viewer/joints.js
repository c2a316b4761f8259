// Joints in a picture: symbols by type, where they are fixed to the world, gears, and force elements.
import { style } from './labels.js';
import { ThickLines } from './lines.js';
import { option } from './options.js';
import { instances, light, solidMaterial, redraw } from './stage.js';
import { anchor, symbolOf } from './symbols.js';
import { Wheels } from './wheels.js';

const colours = { base: '#76838f', follower: '#c9d0d6', driven: '#ef7d1a', anchor: '#7f868e' };
for (const name of Object.keys(colours)) colours[name] = light(colours[name]);

const position = new THREE.Vector3(),
  quaternion = new THREE.Quaternion(),
  one = new THREE.Vector3(1, 1, 1);
const body = new THREE.Matrix4(),
  all = new THREE.Matrix4();

// Parts of one geometry at joints: { joint, side, local matrix, colour }.
class Parts {
  constructor(parent, geometry, parts) {
    this.parts = parts;
    this.meshes = [
      instances(parent, geometry, solidMaterial(), parts.length),
      // What is inside bodies shines through.
      instances(
        parent,
        geometry,
        solidMaterial({ depthFunc: THREE.GreaterDepth, transparent: true, opacity: 0.3, depthWrite: false }),
        parts.length,
        { castShadow: false },
      ),
    ];
    this.meshes[1].instanceMatrix = this.meshes[0].instanceMatrix;
    this.meshes[1].renderOrder = 1;
    parts.forEach((part, i) => this.paint(i, part.colour, 0));
  }

  paint(i, { r, g, b }, lift) {
    for (const mesh of this.meshes) {
      mesh.tint.array.set([r, g, b, lift], 4 * i);
      mesh.tint.needsUpdate = true;
    }
  }
}

export class Joints {
  constructor(run, parent) {
    this.run = run;
    this.group = new THREE.Group();
    parent.add(this.group);
    const { joints, size, lines } = run.model;
    this.size = symbolSize(run.model);
    this.mounts = joints.map((joint) => ({
      base: matrixOf(joint.basePosition, joint.baseQuaternion),
      follower: matrixOf(joint.position, joint.quaternion),
    }));
    const byGeometry = new Map();
    const add = (geometry, part) => byGeometry.set(geometry, [...(byGeometry.get(geometry) ?? []), part]);
    joints.forEach((joint, index) => {
      const symbol = symbolOf(joint);
      if (!symbol) return;
      const local = new THREE.Matrix4().makeScale(this.size, this.size, this.size).multiply(symbol.turn);
      if (symbol.base)
        add(symbol.base, {
          joint: index,
          side: 'base',
          local: symbol.rail ? local.clone() : local,
          colour: colours.base,
          rail: symbol.rail ? symbol : null,
        });
      add(symbol.follower, { joint: index, side: 'follower', local, colour: joint.driven ? colours.driven : colours.follower });
      if (joint.base < 0) add(anchor, { joint: index, side: 'base', local: this.anchorOf(joint, index), colour: colours.anchor });
    });
    this.wheels = new Wheels(run, this.size);
    for (const { geometry, part } of this.wheels.parts) add(geometry, { ...part, colour: light(`#${part.colour.getHexString()}`) });
    this.parts = [...byGeometry].map(([geometry, parts]) => new Parts(this.group, geometry, parts));
    this.elements = new ThickLines(parent, 3.5);
    this.elementColour = new THREE.Color('#2a9d5c');
    this.cableColour = new THREE.Color('#8a6d3b');
    this.lines = lines;
    this.extent = size;
    this.layRails();
  }

  // Rails are as long as what runs along them has moved.
  layRails() {
    for (const { parts } of this.parts)
      for (const part of parts) {
        if (!part.rail) continue;
        const c = this.run.channelOf(`joint.${this.run.model.joints[part.joint].name}.displacement`);
        const low = this.run.extremes.least[c] ?? 0,
          high = this.run.extremes.greatest[c] ?? 0;
        part.local
          .copy(part.rail.turn)
          .multiply(new THREE.Matrix4().makeTranslation(0, 0, (low + high) / 2))
          .scale(new THREE.Vector3(this.size, this.size, Math.max(this.size, (high - low + 3 * this.size) / part.rail.rail)));
      }
  }

  // The pedestal stands upright, or hangs when what it carries is below it.
  anchorOf(joint, index) {
    const follower = this.run.pointAt(0, joint.follower, new THREE.Vector3(), new THREE.Vector3());
    const point = new THREE.Vector3(...joint.basePosition);
    const below = this.run.frames && follower.z - point.z < -0.35 * Math.hypot(follower.x - point.x, follower.y - point.y);
    const turn = new THREE.Matrix4().getInverse(new THREE.Matrix4().extractRotation(this.mounts[index].base));
    if (below) turn.multiply(new THREE.Matrix4().makeRotationX(Math.PI));
    return turn
      .scale(new THREE.Vector3(1, 1, 1).multiplyScalar(1.7 * this.size))
      .multiply(new THREE.Matrix4().makeTranslation(0, 0, -0.28));
  }

  // Where a joint is: the origin of its follower's frame.
  placeOf(frame, index, target) {
    const joint = this.run.model.joints[index];
    return this.run.pointAt(frame, joint.follower, target.set(...joint.position), target);
  }

  show(frame, chosen) {
    this.group.visible = option('joints') || chosen >= 0;
    if (this.group.visible) {
      for (const { parts, meshes } of this.parts) {
        parts.forEach((part, i) => {
          const joint = this.run.model.joints[part.joint],
            other = part.side === 'base' ? joint.base : joint.follower;
          all.multiplyMatrices(this.mounts[part.joint][part.side], part.local);
          if (!option('joints') && part.joint !== chosen) all.makeScale(0, 0, 0);
          else if (other >= 0) {
            this.run.poseAt(frame, other, position, quaternion);
            all.premultiply(body.compose(position, quaternion, one));
          }
          all.toArray(meshes[0].instanceMatrix.array, 16 * i);
        });
        meshes[0].instanceMatrix.needsUpdate = true;
      }
    }
    this.showElements(frame);
  }

  // Springs, dampers and cables as lines between their points; rods of distance joints with them.
  showElements(frame) {
    const a = new THREE.Vector3(),
      b = new THREE.Vector3();
    this.elements.clear();
    for (const line of this.lines) {
      this.run.pointAt(frame, line.bodies[0], a.set(...line.points[0]), a);
      this.run.pointAt(frame, line.bodies[1], b.set(...line.points[1]), b);
      if (line.cable) this.elements.add(a, b, this.cableColour);
      else this.addSpring(a, b);
    }
    const rods = this.run.model.joints.filter(({ type }) => type === 'distance'),
      colour = rods.length ? new THREE.Color(style('--text')) : null;
    for (const joint of rods) {
      this.run.pointAt(frame, joint.base, a.set(...joint.basePosition), a);
      this.run.pointAt(frame, joint.follower, b.set(...joint.position), b);
      this.elements.add(a, b, colour);
    }
    if (option('joints')) this.wheels.draw(frame, this.elements);
    this.elements.finish();
  }

  // A zigzag around the line.
  addSpring(a, b) {
    const along = b.clone().sub(a),
      length = along.length();
    if (!(length > 0)) return;
    const side = along
      .clone()
      .cross(Math.abs(along.z) < 0.9 * length ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(1, 0, 0))
      .normalize()
      .multiplyScalar(Math.min(0.012 * this.extent, 0.12 * length));
    const turns = 8,
      last = a.clone(),
      next = new THREE.Vector3();
    for (let i = 0; i <= turns + 1; ++i) {
      const share = i === 0 ? 0.15 : i === turns + 1 ? 0.85 : 0.15 + (0.7 * (i - 0.5)) / turns;
      next.copy(a).addScaledVector(along, share);
      if (i > 0 && i <= turns) next.addScaledVector(side, i % 2 ? 1 : -1);
      this.elements.add(last, next, this.elementColour);
      last.copy(next);
    }
    this.elements.add(last, b, this.elementColour);
  }

  // `chosen`: the joint that is lit up.
  paint(chosen) {
    for (const group of this.parts) group.parts.forEach((part, i) => group.paint(i, part.colour, part.joint === chosen ? 1 : 0));
    redraw();
  }
}

function matrixOf(at, turn) {
  return new THREE.Matrix4().compose(new THREE.Vector3(...at), new THREE.Quaternion(...turn), one);
}

// Small beside the links: a sixth of the usual way from joint to joint, not much thicker than bodies are, at most 1/40 of
// everything.
function symbolSize(model) {
  const middle = (list, otherwise) => list.sort((x, y) => x - y)[list.length >> 1] ?? otherwise;
  const thin = ({ type, size, radius }) =>
    type === 'box' || type === 'ellipsoid' ? Math.min(...size) : type === 'mesh' ? Infinity : radius;
  const thickness = middle(model.shapes.filter((s) => s.body >= 0 && s.type !== 'plane').map(thin), Infinity);
  const lengths = [];
  model.bodies.forEach((_, b) => {
    const points = [];
    for (const joint of model.joints) {
      if (joint.follower === b) points.push(joint.position);
      if (joint.base === b) points.push(joint.basePosition);
    }
    for (let i = 1; i < points.length; ++i) {
      const length = Math.hypot(...points[i].map((x, k) => x - points[0][k]));
      if (length > 1e-3 * model.size) lengths.push(length);
    }
  });
  return Math.max(0.006 * model.size, Math.min(0.025 * model.size, 0.16 * middle(lengths, model.size), 1.6 * thickness));
}
