// What is shown, and who wants to know when that changes.
import { Run } from './run.js';

export const $ = (id) => document.getElementById(id);
export const data = JSON.parse($('data').textContent);
export const runs = data.runs.map((model) => new Run(model));
export const run = runs[0];
// What the numbers of the page are in: those of the file where it says so. `scale`: from SI.
export const shownIn = run.model.shownIn ?? { length: { unit: 'm', scale: 1 }, mass: { unit: 'kg', scale: 1 } };

// chosen: { kind: 'body' | 'joint', index }; point: where on its body it was clicked, in the frame of the body.
export const state = { frame: 0, clock: 0, playing: false, chosen: null, point: null };

const listeners = new Map();
export function on(event, f) {
  listeners.set(event, [...(listeners.get(event) ?? []), f]);
}
export function emit(event, ...rest) {
  for (const f of listeners.get(event) ?? []) f(...rest);
}

// The frame of another run at the time that is shown.
export function frameOf(other) {
  return other === run ? state.frame : other.frameAt(run.times[state.frame] ?? 0);
}

export function show(frame) {
  state.frame = Math.max(0, Math.min(run.frames - 1, Math.round(frame)));
  emit('frame');
}

export function chosenBody() {
  if (!state.chosen) return -1;
  return state.chosen.kind === 'body' ? state.chosen.index : run.model.joints[state.chosen.index].follower;
}

// Chooses a body or joint, or nothing when it is chosen already.
export function choose(chosen, point = null) {
  const same = state.chosen && chosen && state.chosen.kind === chosen.kind && state.chosen.index === chosen.index;
  state.chosen = same && !point ? null : chosen;
  state.point = state.chosen ? point : null;
  emit('choose');
}
