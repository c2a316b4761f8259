import * as THREE from 'three';
import { OrbitControls } from 'orbit';

const data = JSON.parse(document.getElementById('data').textContent);
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
let times = new Float32Array(bytes(data.times));
let poses = new Float32Array(bytes(data.poses));
let values = new Float32Array(bytes(data.values));
// Loads between two frames: the least and the greatest that was recorded.
let low = new Float32Array(bytes(data.least)), high = new Float32Array(bytes(data.greatest));
let reactions = new Float32Array(bytes(data.reactions));
let contactStart = new Uint32Array(bytes(data.contactStart));
let contacts = new Float32Array(bytes(data.contacts));
let frames = times.length;
const bodies = data.bodies.length, channels = data.channels.length;
const palette = ['#4e79a7', '#f28e2b', '#59a14f', '#b07aa1', '#edc948', '#76b7b2', '#e15759', '#9c755f', '#bab0ac', '#ff9da7'];
const $ = (id) => document.getElementById(id);

// The scene: z is up.
const renderer = new THREE.WebGLRenderer({ canvas: $('stage'), antialias: true });
const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(40, 1, 0.001, 1e5);
camera.up.set(0, 0, 1);
const controls = new OrbitControls(camera, renderer.domElement);
scene.add(new THREE.HemisphereLight(0xffffff, 0x8890a0, 2.2));
const sun = new THREE.DirectionalLight(0xffffff, 1.6);
scene.add(sun, sun.target);

const groups = data.bodies.map((body, i) => {
  const group = new THREE.Group();
  group.name = body.name;
  group.userData = { kind: 'body', index: i };
  scene.add(group);
  return group;
});
const world = new THREE.Group();
world.name = 'world';
scene.add(world);

const meshes = data.meshes.map((m) => {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(bytes(m.vertices)), 3));
  geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(bytes(m.triangles)), 1));
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
});

function geometryOf(s) {
  const upright = (g) => g.rotateX(Math.PI / 2); // three's axial shapes stand along y
  switch (s.type) {
    case 'box': return new THREE.BoxGeometry(...s.size);
    case 'sphere': return new THREE.SphereGeometry(s.radius, 32, 20);
    case 'ellipsoid': return new THREE.SphereGeometry(1, 32, 20).scale(...s.size);
    case 'capsule': return upright(new THREE.CapsuleGeometry(s.radius, s.length, 8, 24));
    case 'cylinder': return upright(new THREE.CylinderGeometry(s.radius, s.radius, s.length, 32));
    case 'cone': return upright(new THREE.ConeGeometry(s.radius, s.length, 32));
    case 'plane': return new THREE.PlaneGeometry(data.size * 20, data.size * 20);
    default: return meshes[s.mesh];
  }
}

const solids = data.shapes.map((s) => {
  const colour = s.body < 0 ? '#9aa3ad' : palette[s.body % palette.length];
  const material = new THREE.MeshStandardMaterial({ color: colour, roughness: 0.6, metalness: 0.1, transparent: s.type === 'plane', opacity: s.type === 'plane' ? 0.35 : 1, side: THREE.DoubleSide });
  const mesh = new THREE.Mesh(geometryOf(s), material);
  mesh.position.set(...s.position);
  mesh.quaternion.set(...s.quaternion);
  mesh.userData = { body: s.body, collides: s.collides };
  (s.body < 0 ? world : groups[s.body]).add(mesh);
  return mesh;
});
const grid = new THREE.GridHelper(data.size * 10, 20);
grid.material.vertexColors = false;
grid.rotation.x = Math.PI / 2;
grid.position.z = data.low;
scene.add(grid);

// Joints: the axes along or about which they are free, at the follower's frame.
const axisColours = [0xd62728, 0x2ca02c, 0x1f77b4];
const jointMarks = data.joints.map((joint, index) => {
  const mark = new THREE.Group();
  mark.position.set(...joint.position);
  mark.quaternion.set(...joint.quaternion);
  mark.visible = false;
  mark.userData = { kind: 'joint', index };
  const length = data.size * 0.12;
  mark.add(new THREE.Mesh(new THREE.SphereGeometry(length * 0.12, 12, 8), new THREE.MeshBasicMaterial({ color: 0x222222, depthTest: false })));
  for (const direction of joint.free) {
    const way = new THREE.Vector3().setComponent(direction % 3, 1);
    const points = [way.clone().multiplyScalar(-length), way.clone().multiplyScalar(length)];
    const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints(points),
      direction < 3 ? new THREE.LineDashedMaterial({ color: axisColours[direction % 3], dashSize: length / 6, gapSize: length / 10, depthTest: false }) : new THREE.LineBasicMaterial({ color: axisColours[direction % 3], depthTest: false }));
    line.computeLineDistances();
    mark.add(line);
  }
  mark.renderOrder = 1;
  groups[joint.follower].add(mark);
  return mark;
});

// Contact forces as lines from their points.
let mostContacts = 0;
let largestForce = 1e-9;
const forceGeometry = new THREE.BufferGeometry();
function roomForContacts() {
  let most = 1;
  for (let f = 0; f < frames; ++f) most = Math.max(most, contactStart[f + 1] - contactStart[f]);
  for (let i = 0; i < contacts.length; i += 6) largestForce = Math.max(largestForce, Math.hypot(contacts[i + 3], contacts[i + 4], contacts[i + 5]));
  if (most <= mostContacts) return;
  mostContacts = most;
  forceGeometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(6 * most), 3));
}
roomForContacts();
const forceLines = new THREE.LineSegments(forceGeometry, new THREE.LineBasicMaterial({ color: 0xe6550d, depthTest: false }));
forceLines.frustumCulled = false;
forceLines.renderOrder = 2;
scene.add(forceLines);

// Reactions of the joints on their followers as lines from the joints.
const joints = data.joints.length;
const reactionGeometry = new THREE.BufferGeometry();
reactionGeometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(6 * Math.max(1, joints)), 3));
const reactionLines = new THREE.LineSegments(reactionGeometry, new THREE.LineBasicMaterial({ color: 0x7b3fa0, depthTest: false }));
reactionLines.frustumCulled = false;
reactionLines.renderOrder = 2;
reactionLines.visible = false;
scene.add(reactionLines);
let largestReaction = 1e-9;
function measureReactions(from) {
  for (let i = 3 * joints * from; i < reactions.length; i += 3) largestReaction = Math.max(largestReaction, Math.hypot(reactions[i], reactions[i + 1], reactions[i + 2]));
}
measureReactions(0);
const jointAt = new THREE.Vector3();
function drawReactions() {
  if (!reactionLines.visible) return;
  const points = reactionGeometry.attributes.position.array;
  data.joints.forEach((joint, i) => {
    const body = groups[joint.follower];
    jointAt.set(...joint.position).applyQuaternion(body.quaternion).add(body.position);
    for (let k = 0; k < 3; ++k) {
      points[6 * i + k] = jointAt.getComponent(k);
      points[6 * i + 3 + k] = jointAt.getComponent(k) + reactions[3 * (state.frame * joints + i) + k] / largestReaction * data.size * 0.5;
    }
  });
  reactionGeometry.attributes.position.needsUpdate = true;
}

// Springs and other forces between two points.
const springGeometry = new THREE.BufferGeometry();
springGeometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(6 * Math.max(1, data.lines.length)), 3));
const springLines = new THREE.LineSegments(springGeometry, new THREE.LineBasicMaterial({ color: 0x2a9d5c }));
springLines.frustumCulled = false;
springLines.visible = data.lines.length > 0;
scene.add(springLines);
function drawSprings() {
  const points = springGeometry.attributes.position.array;
  data.lines.forEach((line, i) => {
    for (const end of [0, 1]) {
      jointAt.set(...line.points[end]);
      const body = groups[line.bodies[end]];
      if (line.bodies[end] >= 0) jointAt.applyQuaternion(body.quaternion).add(body.position);
      jointAt.toArray(points, 6 * i + 3 * end);
    }
  });
  springGeometry.attributes.position.needsUpdate = true;
}

// The path of a point of the chosen body: where it was clicked, else its centre of mass.
const trailLine = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0xcc79a7 }));
trailLine.frustumCulled = false;
trailLine.visible = false;
scene.add(trailLine);

const state = { frame: 0, clock: 0, playing: false, chosen: null, point: null, follow: false, shapes: 0 };

function poseAt(frame, body, position, quaternion) {
  const at = 7 * (frame * bodies + body);
  position.fromArray(poses, at);
  quaternion.set(poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]);
}

const wasAt = new THREE.Vector3();
function followed() {
  if (!state.chosen) return -1;
  return state.chosen.kind === 'body' ? state.chosen.index : data.joints[state.chosen.index].follower;
}

function show(frame) {
  state.frame = Math.max(0, Math.min(frames - 1, frame));
  const body = followed();
  if (body >= 0) wasAt.copy(groups[body].position);
  for (let b = 0; b < bodies; ++b) poseAt(state.frame, b, groups[b].position, groups[b].quaternion);
  if (state.follow && body >= 0) {
    const moved = groups[body].position.clone().sub(wasAt);
    camera.position.add(moved);
    controls.target.add(moved);
  }
  const points = forceGeometry.attributes.position.array;
  const first = contactStart[state.frame], count = contactStart[state.frame + 1] - first;
  for (let i = 0; i < count; ++i)
    for (let k = 0; k < 3; ++k) {
      const c = contacts[6 * (first + i) + k];
      points[6 * i + k] = c;
      points[6 * i + 3 + k] = c + contacts[6 * (first + i) + 3 + k] / largestForce * data.size * 0.5;
    }
  forceGeometry.setDrawRange(0, 2 * count);
  forceGeometry.attributes.position.needsUpdate = true;
  drawReactions();
  drawSprings();
  $('scrub').value = state.frame;
  $('time').textContent = `${times[state.frame].toFixed(3)} / ${times[frames - 1].toFixed(2)} s`;
  drawCursors();
}

// Values over time.
let plots = [];
const peakOf = new Map(data.peaked.map((channel, place) => [channel, place]));
function extremes(channel, frame) {
  const v = values[frame * channels + channel], place = peakOf.get(channel);
  if (place === undefined) return [v, v];
  const at = frame * data.peaked.length + place;
  return [Math.min(v, low[at]), Math.max(v, high[at])];
}
function channelsOf(chosen) {
  if (!chosen) return data.channels.map((name, index) => ({ name, index })).filter((c) => !c.name.startsWith('joint.') && !c.name.startsWith('body.'));
  const name = chosen.kind === 'body' ? `body.${data.bodies[chosen.index].name}.` : `joint.${data.joints[chosen.index].name}.`;
  return data.channels.map((full, index) => ({ name: full, index })).filter((c) => c.name.startsWith(name));
}
function describe(chosen) {
  if (!chosen) return [data.name, `${bodies} bodies, ${data.joints.length} joints, ${times[frames - 1].toFixed(2)} s`];
  if (chosen.kind === 'body') {
    const b = data.bodies[chosen.index];
    return [b.name, `body, ${b.mass.toPrecision(4)} kg`];
  }
  const j = data.joints[chosen.index];
  return [j.name, `${j.type} joint, ${j.base < 0 ? 'world' : data.bodies[j.base].name} to ${data.bodies[j.follower].name}`];
}
function fillSide() {
  const side = $('side');
  side.replaceChildren();
  const [title, text] = describe(state.chosen);
  const h = document.createElement('h1');
  h.textContent = title;
  const p = document.createElement('p');
  p.textContent = text;
  side.append(h, p);
  plots = channelsOf(state.chosen).map((channel) => {
    const name = document.createElement('div');
    name.className = 'name';
    const label = document.createElement('span'), value = document.createElement('span');
    label.textContent = `${data.redundant[channel.index] ? '~ ' : ''}${channel.name}`;
    if (data.redundant[channel.index]) label.title = 'redundant: statics leaves it open; the least that fits is shown';
    name.append(label, value);
    const canvas = document.createElement('canvas');
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `${channel.name} over time; click to go to a time`);
    side.append(name, canvas);
    let least = Infinity, greatest = -Infinity;
    for (let f = 0; f < frames; ++f) {
      const [a, b] = extremes(channel.index, f);
      if (a < least) least = a;
      if (b > greatest) greatest = b;
    }
    if (Math.max(Math.abs(least), Math.abs(greatest)) < 1e-14) { least = -1e-14; greatest = 1e-14; } // rounding, not motion
    if (!(greatest > least)) { greatest = least + Math.max(1e-12, Math.abs(least) * 0.1); least -= greatest - least; }
    const plot = { ...channel, canvas, value, low: least, high: greatest };
    canvas.addEventListener('pointerdown', (e) => {
      const box = canvas.getBoundingClientRect();
      pause();
      show(Math.round((e.clientX - box.left) / box.width * (frames - 1)));
    });
    return plot;
  });
  plots.forEach(drawPlot);
  drawCursors();
}
function drawPlot(plot) {
  const ratio = window.devicePixelRatio || 1;
  const w = plot.canvas.clientWidth, h = plot.canvas.clientHeight;
  if (!w) return;
  plot.canvas.width = w * ratio;
  plot.canvas.height = h * ratio;
  const c = plot.canvas.getContext('2d');
  c.scale(ratio, ratio);
  const style = getComputedStyle(document.documentElement);
  c.strokeStyle = style.getPropertyValue('--line');
  c.strokeRect(0.5, 0.5, w - 1, h - 1);
  c.fillStyle = style.getPropertyValue('--faint');
  c.font = '10px system-ui';
  c.fillText(plot.high.toPrecision(4), 4, 11);
  c.fillText(plot.low.toPrecision(4), 4, h - 4);
  c.strokeStyle = style.getPropertyValue('--accent');
  c.lineWidth = 1.4;
  c.beginPath();
  const step = Math.max(1, Math.floor(frames / (2 * w)));
  const height = (v) => 4 + (plot.high - v) / (plot.high - plot.low) * (h - 8);
  for (let f = 0; f < frames; f += step) {
    const x = f / Math.max(1, frames - 1) * w;
    let least = Infinity, greatest = -Infinity;
    for (let g = f; g < Math.min(f + step, frames); ++g) {
      const [a, b] = extremes(plot.index, g);
      if (a < least) least = a;
      if (b > greatest) greatest = b;
    }
    const y = height(values[f * channels + plot.index]);
    if (f) c.lineTo(x, y); else c.moveTo(x, y);
    if (greatest > least) { c.lineTo(x, height(least)); c.lineTo(x, height(greatest)); c.lineTo(x, y); }
  }
  c.stroke();
  plot.picture = document.createElement('canvas');
  plot.picture.width = plot.canvas.width;
  plot.picture.height = plot.canvas.height;
  plot.picture.getContext('2d').drawImage(plot.canvas, 0, 0);
}
function drawCursors() {
  for (const plot of plots) {
    plot.value.textContent = values[state.frame * channels + plot.index].toPrecision(5);
    if (!plot.picture) continue;
    const c = plot.canvas.getContext('2d');
    c.clearRect(0, 0, plot.canvas.clientWidth, plot.canvas.clientHeight);
    c.drawImage(plot.picture, 0, 0, plot.canvas.clientWidth, plot.canvas.clientHeight);
    c.fillStyle = '#d55e00';
    c.fillRect(state.frame / Math.max(1, frames - 1) * plot.canvas.clientWidth - 0.5, 0, 1.5, plot.canvas.clientHeight);
  }
}

// Choosing.
function choose(chosen, point = null) {
  state.point = point;
  const same = state.chosen && chosen && state.chosen.kind === chosen.kind && state.chosen.index === chosen.index;
  state.chosen = same ? null : chosen;
  for (const button of $('list').querySelectorAll('button'))
    button.setAttribute('aria-pressed', String(!!state.chosen && button.dataset.kind === state.chosen.kind && +button.dataset.index === state.chosen.index));
  const body = state.chosen && state.chosen.kind === 'body' ? state.chosen.index : -1;
  for (const mesh of solids) mesh.material.emissive.set(mesh.userData.body === body && body >= 0 ? 0x335577 : 0);
  jointMarks.forEach((mark, i) => { mark.visible = pressed('joints') || (state.chosen?.kind === 'joint' && state.chosen.index === i); });
  drawTrail();
  fillSide();
}
function drawTrail() {
  const body = followed();
  trailLine.visible = pressed('trail') && body >= 0;
  if (!trailLine.visible) return;
  const points = new Float32Array(3 * frames);
  const at = new THREE.Vector3(), turn = new THREE.Quaternion(), point = new THREE.Vector3();
  for (let f = 0; f < frames; ++f) {
    poseAt(f, body, at, turn);
    if (state.point) at.add(point.copy(state.point).applyQuaternion(turn));
    at.toArray(points, 3 * f);
  }
  trailLine.geometry.setAttribute('position', new THREE.BufferAttribute(points, 3));
}
function fillList() {
  const wanted = $('search').value.toLowerCase();
  $('list').replaceChildren();
  for (const [kind, title, all] of [['body', 'Bodies', data.bodies], ['joint', 'Joints', data.joints]]) {
    const h = document.createElement('h2');
    h.textContent = title;
    $('list').append(h);
    all.forEach((part, index) => {
      if (!part.name.toLowerCase().includes(wanted)) return;
      const button = document.createElement('button');
      button.textContent = part.name;
      button.dataset.kind = kind;
      button.dataset.index = index;
      button.setAttribute('aria-pressed', 'false');
      button.addEventListener('click', () => choose({ kind, index }));
      $('list').append(button);
    });
  }
}

// Controls.
const pressed = (id) => $(id).getAttribute('aria-pressed') === 'true';
function toggle(id, then) {
  $(id).addEventListener('click', () => {
    $(id).setAttribute('aria-pressed', String(!pressed(id)));
    then(pressed(id));
  });
}
function play() { state.playing = true; state.clock = state.frame >= frames - 1 ? 0 : times[state.frame]; $('play').textContent = 'Pause'; }
function pause() { state.playing = false; $('play').textContent = 'Play'; }
$('scrub').max = frames - 1;
$('scrub').addEventListener('input', () => { pause(); show(+$('scrub').value); });
$('play').addEventListener('click', () => (state.playing ? pause() : play()));
$('back').addEventListener('click', () => { pause(); show(state.frame - 1); });
$('next').addEventListener('click', () => { pause(); show(state.frame + 1); });
$('search').addEventListener('input', fillList);
toggle('follow', (on) => { state.follow = on; });
toggle('trail', drawTrail);
toggle('joints', () => jointMarks.forEach((mark, i) => { mark.visible = pressed('joints') || (state.chosen?.kind === 'joint' && state.chosen.index === i); }));
toggle('forces', (on) => { forceLines.visible = on; });
toggle('reactions', (on) => { reactionLines.visible = on; drawReactions(); });
toggle('wire', (on) => solids.forEach((mesh) => { mesh.material.wireframe = on; }));
toggle('open-parts', (on) => { document.body.classList.toggle('open-parts', on); resize(); });
toggle('open-side', (on) => { document.body.classList.toggle('open-side', on); resize(); });
function theme(dark) {
  document.documentElement.classList.toggle('dark', dark);
  scene.background = new THREE.Color(dark ? 0x14181e : 0xf4f5f7);
  grid.material.color.set(dark ? 0x39424f : 0xcdd3dc);
  plots.forEach(drawPlot);
  drawCursors();
}
toggle('dark', theme);
$('which').addEventListener('click', () => {
  state.shapes = (state.shapes + 1) % 3;
  $('which').textContent = ['All shapes', 'Collision', 'Visual'][state.shapes];
  for (const mesh of solids) mesh.visible = state.shapes === 0 || mesh.userData.collides === (state.shapes === 1);
});
const keys = { ' ': 'play', ArrowLeft: 'back', ArrowRight: 'next', f: 'follow', t: 'trail', j: 'joints', c: 'forces', r: 'reactions', w: 'wire', v: 'which', d: 'dark' };
window.addEventListener('keydown', (e) => {
  const typing = /^(INPUT|SELECT|BUTTON)$/.test(e.target.tagName) && e.target.id !== 'scrub';
  const id = keys[e.key];
  if (!id || e.ctrlKey || e.metaKey || (typing && (e.target.type === 'search' || e.key === ' '))) return;
  e.preventDefault();
  $(id).click();
});
let downAt = null;
renderer.domElement.addEventListener('pointerdown', (e) => { downAt = [e.clientX, e.clientY]; });
renderer.domElement.addEventListener('pointerup', (e) => {
  if (!downAt || Math.hypot(e.clientX - downAt[0], e.clientY - downAt[1]) > 4) return;
  const ray = new THREE.Raycaster();
  ray.setFromCamera(new THREE.Vector2(e.clientX / window.innerWidth * 2 - 1, 1 - e.clientY / window.innerHeight * 2), camera);
  const hit = ray.intersectObjects(solids.filter((m) => m.visible)).find((h) => h.object.userData.body >= 0);
  if (hit) choose({ kind: 'body', index: hit.object.userData.body }, groups[hit.object.userData.body].worldToLocal(hit.point.clone()));
});

function resize() {
  renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
  renderer.setSize(window.innerWidth, window.innerHeight, false);
  camera.aspect = window.innerWidth / window.innerHeight;
  document.documentElement.style.setProperty('--bar', `${$('bar').offsetHeight}px`);
  // On a phone panels take the lower part of the screen: what is looked at moves to the middle of the rest.
  const narrow = getComputedStyle($('open-side')).display !== 'none';
  const below = Math.min(...['bar', 'parts', 'side'].map((id) => $(id).getBoundingClientRect()).filter((box) => box.height > 0).map((box) => box.top));
  if (narrow) camera.setViewOffset(window.innerWidth, window.innerHeight, 0, (window.innerHeight - below) / 2, window.innerWidth, window.innerHeight);
  else camera.clearViewOffset();
  camera.updateProjectionMatrix();
  plots.forEach(drawPlot);
  drawCursors();
}
window.addEventListener('resize', resize);

// From the front, a little above, all of it in sight.
const middle = new THREE.Vector3(...data.center);
const away = data.size * 1.5 * Math.max(1, 1.2 * window.innerHeight / window.innerWidth);
camera.position.copy(middle).add(new THREE.Vector3(0.45, -1, 0.35).normalize().multiplyScalar(1.4 * away));
controls.target.copy(middle);
camera.near = data.size / 500;
camera.far = data.size * 200;
sun.position.copy(middle).add(new THREE.Vector3(data.size * 3, -data.size * 4, data.size * 6));
sun.target.position.copy(middle);

fillList();
fillSide();
resize();
theme(window.matchMedia('(prefers-color-scheme: dark)').matches && ($('dark').setAttribute('aria-pressed', 'true'), true));
show(0);

// Frames of a film, as a document that a program reads: page.html#film={"first", "count", "fps", "width", "height", ...}.
function film(wanted) {
  document.body.classList.add('film');
  renderer.setPixelRatio(1);
  renderer.setSize(wanted.width, wanted.height, false);
  camera.clearViewOffset();
  camera.aspect = wanted.width / wanted.height;
  if (wanted.azimuth !== undefined) {
    const a = wanted.azimuth * Math.PI / 180, e = wanted.elevation * Math.PI / 180;
    const distance = camera.position.distanceTo(middle);
    camera.position.copy(middle).add(new THREE.Vector3(Math.cos(e) * Math.sin(a), -Math.cos(e) * Math.cos(a), Math.sin(e)).multiplyScalar(distance));
  }
  camera.position.sub(middle).divideScalar(wanted.zoom).add(middle);
  camera.updateProjectionMatrix();
  controls.update();
  if (wanted.follow >= 0) {
    state.chosen = { kind: 'body', index: wanted.follow };
    state.follow = true;
  }
  const pictures = [];
  let frame = 0;
  for (let i = 0; i < wanted.first + wanted.count; ++i) {
    while (frame + 1 < frames && times[frame + 1] <= wanted.start + i / wanted.fps + 1e-6) ++frame;
    show(frame);
    if (i < wanted.first) continue;
    renderer.render(scene, camera);
    pictures.push(renderer.domElement.toDataURL('image/png'));
  }
  const list = document.createElement('pre');
  list.id = 'pictures';
  list.textContent = pictures.join('\n');
  document.body.append(list);
}
if (location.hash.startsWith('#film=')) film(JSON.parse(decodeURIComponent(location.hash.slice(6))));

let last = performance.now();
renderer.setAnimationLoop((now) => {
  const passed = Math.min(0.1, (now - last) / 1000);
  last = now;
  if (state.playing) {
    state.clock += passed * +$('speed').value;
    if (state.clock >= times[frames - 1]) { show(frames - 1); pause(); } else {
      let f = state.frame;
      if (times[f] > state.clock) f = 0;
      while (f + 1 < frames && times[f + 1] <= state.clock) ++f;
      if (f !== state.frame) show(f);
    }
  }
  controls.update();
  renderer.render(scene, camera);
});

// A run that is still going on: its new frames come from the program that serves this page.
function append(more) {
  const joined = (a, text, Type) => {
    const b = new Type(bytes(text)), all = new Type(a.length + b.length);
    all.set(a);
    all.set(b, a.length);
    return all;
  };
  const last = state.frame >= frames - 1, contactsBefore = contactStart[frames];
  times = joined(times, more.times, Float32Array);
  poses = joined(poses, more.poses, Float32Array);
  values = joined(values, more.values, Float32Array);
  low = joined(low, more.least, Float32Array);
  high = joined(high, more.greatest, Float32Array);
  data.redundant = more.redundant;
  reactions = joined(reactions, more.reactions, Float32Array);
  contacts = joined(contacts, more.contacts, Float32Array);
  const starts = new Uint32Array(bytes(more.contactStart)).map((c) => c + contactsBefore);
  const all = new Uint32Array(contactStart.length + starts.length);
  all.set(contactStart);
  all.set(starts, contactStart.length);
  contactStart = all;
  measureReactions(frames);
  frames = times.length;
  roomForContacts();
  $('scrub').max = frames - 1;
  show(last && !state.playing ? frames - 1 : state.frame);
}
async function watch() {
  let filled = 0;
  for (;;) {
    try {
      const more = await (await fetch(`frames?from=${frames}`)).json();
      if (more.count > 0) append(more);
      if (more.count > 0 && performance.now() - filled > 500) {
        fillSide();
        filled = performance.now();
      }
      if (more.ended && more.count === 0) break;
    } catch {
      break;
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  fillSide();
  document.title += ' (ended)';
}
if (data.live) {
  show(frames - 1);
  watch();
}

// For tests and the console.
window.grashof = { data, state, show, play, pause, choose, bodyPosition: (name) => groups[data.bodies.findIndex((b) => b.name === name)].position.toArray(), onScreen: (name) => { const at = groups[data.bodies.findIndex((b) => b.name === name)].position.clone().project(camera); return [(1 + at.x) / 2 * window.innerWidth, (1 - at.y) / 2 * window.innerHeight]; }, get frames() { return frames; }, reactionLines: () => [...reactionGeometry.attributes.position.array] };
