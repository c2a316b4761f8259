// All that is drawn of one run.
import { frameOf, on, run, runs, state } from './state.js';
import { option, whenOption } from './options.js';
import { addLabels, style } from './labels.js';
import { readable } from './series.js';
import { light, redraw, scene } from './stage.js';
import { Arrows } from './arrows.js';
import { Joints } from './joints.js';
import { Solids } from './solids.js';

const mostDots = 100; // more contacts at once are not marked
const contactColour = '#e6550d',
  reactionColour = '#8a3fb0';

class Figure {
  constructor(ofRun, tint = null) {
    this.run = ofRun;
    this.root = new THREE.Group();
    scene.add(this.root);
    this.solids = new Solids(ofRun, this.root, { tint });
    this.joints = new Joints(ofRun, this.root);
    this.contacts = new Arrows(this.root, contactColour, '--contact');
    this.reactions = new Arrows(this.root, reactionColour, '--reaction');
    this.measure();
  }

  // What the run has of forces, for scales; of very long runs, every so many.
  measure() {
    const { run: r } = this,
      contacts = [],
      reactions = [];
    for (let k = 0; k < r.contacts.length; k += 8 * Math.ceil(r.contacts.length / 8 / 50000))
      contacts.push(Math.hypot(r.contacts[k + 5], r.contacts[k + 6], r.contacts[k + 7]));
    for (let k = 0; k < r.reactions.length; k += 3 * Math.ceil(r.reactions.length / 3 / 50000))
      reactions.push(Math.hypot(r.reactions[k], r.reactions[k + 1], r.reactions[k + 2]));
    this.contacts.measure(contacts);
    this.reactions.measure(reactions);
    this.peaks = null;
    this.joints.layRails();
  }

  show() {
    const frame = frameOf(this.run),
      main = this.run === run;
    if (!this.run.frames) return;
    const chosen = main && state.chosen?.kind === 'joint' ? state.chosen.index : -1;
    this.solids.show(frame);
    this.joints.show(frame, chosen);
    this.contacts.show(option('contacts') ? this.contactList(frame) : []);
    this.reactions.show(option('reactions') ? this.reactionList(frame) : chosen >= 0 ? [this.reactionOf(frame, chosen)] : []);
    if (option('colours') === 'load') this.paint();
  }

  // Forces on the second body of a pair; against the world on the one that moves.
  contactList(frame) {
    const list = [];
    this.run.eachContact(frame, (a, b, x, y, z, fx, fy, fz) => {
      const sign = b < 0 ? -1 : 1;
      list.push({ at: new THREE.Vector3(x, y, z), force: new THREE.Vector3(sign * fx, sign * fy, sign * fz) });
    });
    return list;
  }

  reactionOf(frame, joint) {
    const k = 3 * (frame * this.run.joints + joint);
    return {
      at: this.joints.placeOf(frame, joint, new THREE.Vector3()),
      force: new THREE.Vector3().fromArray(this.run.reactions, k),
      joint,
    };
  }

  reactionList(frame) {
    return this.run.model.joints.map((_, joint) => this.reactionOf(frame, joint));
  }

  // The largest force on each body in its joints and contacts, N.
  loadsAt(frame) {
    const { model } = this.run,
      loads = new Float32Array(this.run.bodies);
    const count = (body, force) => {
      if (body >= 0) loads[body] = Math.max(loads[body], force);
    };
    model.joints.forEach((joint, j) => {
      const force = Math.hypot(...this.run.reactions.subarray(3 * (frame * this.run.joints + j), 3 * (frame * this.run.joints + j) + 3));
      count(joint.base, force);
      count(joint.follower, force);
    });
    this.run.eachContact(frame, (a, b, x, y, z, fx, fy, fz) => {
      const force = Math.hypot(fx, fy, fz);
      count(a, force);
      count(b, force);
    });
    return loads;
  }

  peakLoads() {
    if (this.peaks) return this.peaks;
    this.peaks = new Float32Array(this.run.bodies);
    for (let f = 0; f < this.run.frames; ++f)
      this.loadsAt(f).forEach((load, b) => {
        this.peaks[b] = Math.max(this.peaks[b], load);
      });
    return this.peaks;
  }

  // The force at the upper end of the colours: 95 % of the peaks of the bodies are not larger.
  get fullLoad() {
    const sorted = [...this.peakLoads()].sort((a, b) => a - b);
    return Math.max(1e-9, sorted[Math.ceil(0.95 * (sorted.length - 1))] ?? 0);
  }

  paint() {
    const main = this.run === run,
      how = option('colours');
    const loads = how === 'parts' || !this.run.frames ? null : how === 'load' ? this.loadsAt(frameOf(this.run)) : this.peakLoads();
    const full = loads ? this.fullLoad : 1;
    this.solids.paint(
      (body) => (loads ? light(loadColour(loads[body] / full)) : null),
      main && state.chosen?.kind === 'body' ? state.chosen.index : -1,
    );
    this.joints.paint(main && state.chosen?.kind === 'joint' ? state.chosen.index : -1);
  }

  write(pen) {
    if (this.contacts.list.length <= mostDots) this.contacts.writeDots(pen);
    this.contacts.write(pen);
    this.reactions.write(pen);
  }
}

// From blue over yellow to red.
const ramp = ['#31508c', '#3f8f9c', '#8fc08a', '#f2d65c', '#e8893b', '#b5202a'].map((c) => new THREE.Color(c));
function loadColour(share) {
  const at = Math.max(0, Math.min(1, share)) * (ramp.length - 1),
    i = Math.min(ramp.length - 2, Math.floor(at));
  return ramp[i].clone().lerp(ramp[i + 1], at - i);
}

export const figures = runs.map((r, i) => new Figure(r, i ? '#c77b30' : null));
export const figure = figures[0];

function showAll() {
  for (const f of figures) f.show();
  redraw(true);
}
function paintAll() {
  for (const f of figures) f.paint();
}
on('frame', showAll);
on('choose', () => {
  paintAll();
  showAll();
});
for (const id of ['joints', 'contacts', 'reactions', 'arrowScale', 'which']) whenOption(id, showAll);
whenOption('numbers', () => redraw());
whenOption('colours', paintAll);
for (const id of ['edges', 'wire']) whenOption(id, () => figures.forEach((f) => f.solids.dress()));
on('data', () => figures.forEach((f) => f.measure()));

addLabels((pen, shown) => shown?.write(pen), { late: true });
addLabels((pen) => {
  if (!pen.first || pen.small) return;
  let y = pen.bottom - 18;
  // How long the arrows are, and what colours mean.
  for (const [wanted, arrows, what] of [
    [option('reactions'), figure.reactions, 'reactions'],
    [option('contacts') && run.contacts.length > 0, figure.contacts, 'contacts'],
  ]) {
    if (!wanted) continue;
    pen.line([pen.left, y], [pen.left + 22, y], arrows.colour, 4);
    const now = what === 'contacts' ? `${arrows.list.length || 'none'} now, ` : '';
    pen.text(pen.left + 28, y, `${what}: ${now}95 % below ${readable(arrows.reference)} N, at most ${readable(arrows.largest)} N`, {
      colour: style('--faint'),
    });
    y -= 18;
  }
  if (option('colours') !== 'parts') {
    for (let i = 0; i < 60; ++i) pen.line([pen.left + i, y], [pen.left + i + 1.5, y], loadColour(i / 59).getStyle(), 8);
    pen.text(pen.left + 66, y, `0 to ${readable(figure.fullLoad)} N on a body`, { colour: style('--faint') });
  }
});
