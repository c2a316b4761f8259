// Couplings in a picture: who meshes with whom. Toothed wheels and pitch circles where axes tell the radii, racks, the spans of
// belts, and lines from joint to joint where nothing else is known.
import { gear, ringGear } from './symbols.js';

const colours = ['#b8963e', '#2f8f83', '#a0527a', '#5a7fb5', '#8a6f4d', '#6a9a3a'];
const segments = 48;
const x = new THREE.Vector3(),
  y = new THREE.Vector3(),
  from = new THREE.Vector3(),
  to = new THREE.Vector3();

// Two unit vectors across `way`.
function across(way, a, b) {
  a.set(1, 0, 0);
  if (Math.abs(way.x) > 0.9) a.set(0, 1, 0);
  a.addScaledVector(way, -a.dot(way)).normalize();
  b.crossVectors(way, a);
}

export class Wheels {
  constructor(run, size) {
    this.run = run;
    this.size = size;
    this.parts = []; // { geometry, part }: as joints have them
    this.circles = []; // { end, radius, colour }
    this.racks = []; // { pinion, rack, radius, colour }
    this.spans = []; // { ends, radii, colour }
    this.links = []; // { ends, colour }
    if (!run.frames) return;
    const { couplings, belts = [] } = run.model;
    couplings.forEach((coupling, i) => this.add(coupling, new THREE.Color(colours[i % colours.length])));
    belts.forEach(({ terms }, i) => this.addTendon(terms, new THREE.Color(colours[(couplings.length + i) % colours.length])));
  }

  // One side of a coupling: the axis of its coordinate, in its joint and at the start in the world.
  endOf({ joint, coordinate, coefficient }) {
    const j = this.run.model.joints[joint],
      direction = j.free[coordinate] ?? 5,
      local = new THREE.Vector3().setComponent(direction % 3, 1);
    const end = {
      joint,
      coefficient,
      turns: direction >= 3,
      base: j.base,
      follower: j.follower,
      local,
      at: new THREE.Vector3(),
      way: new THREE.Vector3(),
    };
    this.place(0, end);
    return end;
  }

  // Where an end is at a frame, and which way its axis points.
  place(frame, end) {
    const j = this.run.model.joints[end.joint];
    this.run.pointAt(frame, end.follower, end.at.set(...j.position), end.at);
    x.copy(end.local).applyQuaternion(new THREE.Quaternion(...j.quaternion));
    this.run
      .pointAt(frame, end.follower, x.add(y.set(...j.position)), end.way)
      .sub(end.at)
      .normalize();
  }

  add({ kind, terms, belt, ratio }, colour) {
    const ends = terms.map((term) => this.endOf(term));
    if (kind === 'screw') return; // within one joint
    if (belt > 0) {
      this.spans.push({ ends, radii: [belt, belt * Math.abs(ratio)], colour });
      return;
    }
    if (kind === 'rack' && ends[1].turns && !ends[0].turns) {
      const radius = Math.abs(ratio);
      this.addWheel(ends[1], radius, colour);
      this.racks.push({ pinion: ends[1], rack: ends[0], radius, colour });
      return;
    }
    const pairs = kind === 'cam' ? [] : ends.flatMap((a, i) => ends.slice(i + 1).map((b) => this.meshOf(a, b))).filter(Boolean);
    for (const { a, b, radii, inner } of pairs) {
      this.addWheel(a, radii[0], colour, inner === a);
      this.addWheel(b, radii[1], colour, inner === b);
    }
    if (pairs.length) return;
    if (kind === 'gear') for (const end of ends) if (end.turns) this.addWheel(end, 2.6 * this.size, colour);
    this.links.push({ ends, colour });
  }

  // Angles about parallel axes that roll on each other: a common carrier has both axes, so neither of them is that of the body
  // that carries the other. Null: they do not, or what their radii are is not known. `inner`: the wheel with inside teeth.
  meshOf(a, b) {
    if (!a.turns || !b.turns || a.follower === b.base || b.follower === a.base || a.follower === b.follower) return null;
    const along = a.way.dot(b.way);
    if (Math.abs(along) < 1 - 1e-6) return null;
    const between = b.at.clone().sub(a.at),
      distance = between.addScaledVector(a.way, -between.dot(a.way)).length(),
      ratio = Math.abs(b.coefficient / a.coefficient);
    const outside = b.coefficient * a.coefficient * along > 0,
      first = distance / (outside ? 1 + ratio : Math.abs(1 - ratio));
    if (!(distance > this.size) || !(first < this.run.model.size) || !(first * ratio < this.run.model.size)) return null;
    return { a, b, radii: [first, first * ratio], inner: outside ? null : ratio < 1 ? a : b };
  }

  addWheel(end, radius, colour, inner = false) {
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), end.local);
    const local = new THREE.Matrix4().compose(new THREE.Vector3(), turn, new THREE.Vector3(radius, radius, 0.8 * this.size));
    this.parts.push({ geometry: inner ? ringGear : gear, part: { joint: end.joint, side: 'follower', local, colour } });
    this.circles.push({ end, radius, colour });
  }

  // A tendon over angles winds on its wheels: its coefficients are their radii.
  addTendon(terms, colour) {
    const ends = terms.map((term) => this.endOf(term)),
      radii = ends.map((end) => Math.abs(end.coefficient));
    const parallel = ends.every((end) => end.turns && Math.abs(end.way.dot(ends[0].way)) > 1 - 1e-6);
    if (ends.length === 2 && parallel && Math.max(...radii) < this.run.model.size) this.spans.push({ ends, radii, colour });
    else this.links.push({ ends, colour });
  }

  // Draws what moves with the mechanism; `lines`: ThickLines.
  draw(frame, lines) {
    for (const { end, radius, colour } of this.circles) this.drawCircle(frame, end, radius, colour, lines);
    for (const { pinion, rack, radius, colour } of this.racks) {
      this.place(frame, pinion);
      this.place(frame, rack);
      // Tangent to the pinion, on the side where the rack is.
      const side = rack.at.clone().sub(pinion.at).addScaledVector(pinion.way, -rack.at.clone().sub(pinion.at).dot(pinion.way));
      side.addScaledVector(rack.way, -side.dot(rack.way));
      if (!(side.length() > 1e-9)) side.crossVectors(rack.way, pinion.way);
      const touch = pinion.at.clone().addScaledVector(side.normalize(), radius);
      lines.add(from.copy(touch).addScaledVector(rack.way, -3 * radius), to.copy(touch).addScaledVector(rack.way, 3 * radius), colour);
      const tooth = 0.22 * radius;
      for (let k = -10; k <= 10; ++k)
        lines.add(from.copy(touch).addScaledVector(rack.way, 0.3 * k * radius), to.copy(from).addScaledVector(side, tooth), colour);
    }
    for (const span of this.spans) this.drawBelt(frame, span, lines);
    for (const { ends, colour } of this.links) {
      for (const end of ends) this.place(frame, end);
      for (let i = 1; i < ends.length; ++i) this.drawDots(ends[i - 1].at, ends[i].at, colour, lines);
    }
  }

  drawCircle(frame, end, radius, colour, lines) {
    this.place(frame, end);
    const a = new THREE.Vector3(),
      b = new THREE.Vector3();
    across(end.way, a, b);
    const point = (i, target) =>
      target
        .copy(end.at)
        .addScaledVector(a, radius * Math.cos((2 * Math.PI * i) / segments))
        .addScaledVector(b, radius * Math.sin((2 * Math.PI * i) / segments));
    for (let i = 0; i < segments; ++i) lines.add(point(i, from), point(i + 1, to), colour);
  }

  // Pulleys and the two spans between them: open, or crossed where they turn against each other.
  drawBelt(frame, { ends, radii, colour }, lines) {
    ends.forEach((end, i) => this.drawCircle(frame, end, radii[i], colour, lines));
    const [a, b] = ends,
      between = b.at.clone().sub(a.at);
    const along = between.addScaledVector(a.way, -between.dot(a.way)),
      distance = along.length();
    const crossed = a.coefficient * b.coefficient * a.way.dot(b.way) > 0,
      sine = (radii[0] - (crossed ? -radii[1] : radii[1])) / distance;
    if (!(Math.abs(sine) <= 1)) {
      this.drawDots(a.at, b.at, colour, lines);
      return;
    }
    along.normalize();
    const side = new THREE.Vector3().crossVectors(a.way, along),
      cosine = Math.sqrt(1 - sine * sine);
    for (const way of [1, -1]) {
      const normal = along
        .clone()
        .multiplyScalar(sine)
        .addScaledVector(side, way * cosine);
      from.copy(a.at).addScaledVector(normal, radii[0]);
      to.copy(b.at).addScaledVector(normal, crossed ? -radii[1] : radii[1]);
      lines.add(from, to, colour);
    }
  }

  // A dotted line: these move together, however.
  drawDots(a, b, colour, lines) {
    const along = b.clone().sub(a),
      dots = Math.max(3, Math.min(40, Math.round(along.length() / (0.8 * this.size))));
    for (let i = 0; i < dots; ++i)
      lines.add(from.copy(a).addScaledVector(along, (i + 0.2) / dots), to.copy(a).addScaledVector(along, (i + 0.7) / dots), colour);
  }
}
