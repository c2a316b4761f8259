// The data of one run: its model, frames, contacts, and channels over time.
import { placeOf } from './series.js';
import { columnsOf, rowsOf } from './tables.js';

function joined(a, b) {
  const all = new a.constructor(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}

export const marks = { aboveTolerance: 1, atLimit: 2 };

export class Run {
  constructor(model) {
    this.model = model;
    this.bodies = model.bodies.length;
    this.joints = model.joints.length;
    this.forget();
    this.take(model.more);
    delete model.more;
  }

  forget() {
    this.times = new Float64Array(0);
    this.poses = new Float32Array(0);
    this.reactions = new Float32Array(0);
    this.contacts = new Float32Array(0); // body A, body B, point, force on B
    this.contactStart = new Uint32Array(1);
    this.marks = new Uint8Array(0);
    this.series = { epoch: -1, times: new Float64Array(0), low: [], high: [] };
    this.extremes = { least: [], greatest: [], leastAt: [], greatestAt: [] };
    this.redundant = [];
  }

  get frames() {
    return this.times.length;
  }
  get start() {
    return this.frames ? this.times[0] : 0;
  }
  get end() {
    return this.frames ? this.times[this.frames - 1] : 0;
  }

  // Adds what a run that goes on has made since.
  take(more) {
    if (more.count > 0 && more.first === this.frames) {
      this.times = joined(this.times, columnsOf(more.times, Float64Array)[0]);
      this.poses = joined(this.poses, rowsOf(more.poses));
      this.reactions = joined(this.reactions, rowsOf(more.reactions));
      this.marks = joined(this.marks, Uint8Array.from(columnsOf(more.marks)[0]));
      this.contacts = joined(this.contacts, rowsOf(more.contacts));
      const counts = columnsOf(more.contactCounts, Uint32Array)[0];
      let total = this.contactStart[this.contactStart.length - 1];
      this.contactStart = joined(
        this.contactStart,
        counts.map((count) => (total += count)),
      );
    }
    this.takeSeries(more.series);
    this.extremes = more.extremes;
    this.redundant = more.redundant;
  }

  takeSeries(more) {
    const fresh = more.epoch !== this.series.epoch,
      keep = fresh ? 0 : more.first;
    const times = columnsOf(more.times, Float64Array)[0];
    const low = columnsOf(more.low),
      rise = more.rise ? columnsOf(more.rise) : null;
    const high = rise ? low.map((column, c) => column.map((v, i) => v + rise[c][i])) : low;
    if (keep === 0) {
      // channels that are equal share a column
      this.series = { epoch: more.epoch, times, low: more.column.map((c) => low[c]), high: more.column.map((c) => high[c]) };
      return;
    }
    const after = (old, column) => joined(old.subarray(0, keep), column);
    this.series.times = after(this.series.times, times);
    this.series.low = this.series.low.map((old, c) => after(old, low[more.column[c]]));
    this.series.high =
      rise || this.series.low[0] !== this.series.high[0]
        ? this.series.high.map((old, c) => after(old, high[more.column[c]]))
        : this.series.low;
  }

  frameAt(time) {
    return placeOf(this.times, time + 1e-9);
  }

  poseAt(frame, body, position, quaternion) {
    const at = 7 * (frame * this.bodies + body),
      p = this.poses;
    position.set(p[at], p[at + 1], p[at + 2]);
    quaternion.set(p[at + 3], p[at + 4], p[at + 5], p[at + 6]).normalize();
  }

  // A point that is fixed in a body (-1: the world), in the world.
  pointAt(frame, body, local, target) {
    if (body < 0) return target.copy(local);
    this.poseAt(frame, body, scratchPosition, scratchTurn);
    return target.copy(local).applyQuaternion(scratchTurn).add(scratchPosition);
  }

  // Calls f(bodyA, bodyB, x, y, z, fx, fy, fz) for the contacts of a frame.
  eachContact(frame, f) {
    const c = this.contacts;
    for (let k = this.contactStart[frame]; k < this.contactStart[frame + 1]; ++k) f(...c.subarray(8 * k, 8 * k + 8));
  }

  // The value of a channel at a time: of its interval, the bound that is farther from zero.
  valueAt(channel, time) {
    const { times, low, high } = this.series;
    if (!times.length) return NaN;
    const i = placeOf(times, time + 1e-9),
      a = low[channel][i],
      b = high[channel][i];
    return Math.abs(a) > Math.abs(b) ? a : b;
  }

  channelOf(name) {
    return this.model.channels.indexOf(name);
  }
}
const scratchPosition = new THREE.Vector3(),
  scratchTurn = new THREE.Quaternion();
