// Puts the page together.
import { choose, data, emit, run, runs, show, state } from './state.js';
import { advance, option, optionList, setOption } from './options.js';
import { counters, draw, redraw, renderer, start } from './stage.js';
import { figures } from './figure.js';
import { eye, layOut, resize, startCamera } from './camera.js';
import { fillSide, pin, plotList } from './plots.js';
import { begin, markCounts, pause, play, startTimeline, tick } from './timeline.js';
import { openPanel, startPanels } from './panels.js';
import { points } from './measure.js';
import { texts } from './labels.js';
import { traces } from './paths.js';
import { startLive } from './live.js';
import { film } from './film.js';

startPanels();
startCamera();
startTimeline();
for (const o of optionList()) if (o.kind !== 'action') setOption(o.id, o.value);
fillSide();
show(0);
if (location.hash.startsWith('#film=')) film(JSON.parse(decodeURIComponent(location.hash.slice(6))));
else begin();
start(tick);
if (data.live) startLive();

// For tests and the console. Places are in px of the page.
function onScreen(point) {
  eye.camera.updateMatrixWorld();
  const at = point.clone().project(eye.camera);
  return [((1 + at.x) / 2) * window.innerWidth, ((1 - at.y) / 2) * window.innerHeight];
}
const bodyIndex = (name) => run.model.bodies.findIndex((b) => b.name === name);
window.grashof = {
  data,
  state,
  run,
  runs,
  figures,
  traces,
  points,
  texts,
  counters,
  option,
  setOption,
  advance,
  optionList,
  show,
  play,
  pause,
  choose,
  pin,
  plotList,
  markCounts,
  openPanel,
  emit,
  redraw,
  draw,
  resize,
  layOut,
  renderer,
  eye,
  get frames() {
    return run.frames;
  },
  bodyPosition: (name, which = run) =>
    new THREE.Vector3()
      .fromArray(which.poses, 7 * ((which === run ? state.frame : which.frameAt(run.times[state.frame])) * which.bodies + bodyIndex(name)))
      .toArray(),
  onScreen: (name) => onScreen(run.pointAt(state.frame, bodyIndex(name), new THREE.Vector3(), new THREE.Vector3())),
  toScreen: (x, y, z) => onScreen(new THREE.Vector3(x, y, z)),
};
