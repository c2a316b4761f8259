// The picture: renderer, lights, and when it is drawn. z is up.
import { $, run } from './state.js';
import { whenOption } from './options.js';
import { clearLabels, labelCanvas, resizeLabels, writeLabels } from './labels.js';
import { ThickLines } from './lines.js';

const canvas = $('stage');
const context = canvas.getContext('webgl2', { antialias: true }) ?? undefined;
export const renderer = new THREE.WebGLRenderer({ canvas, context, antialias: true });
renderer.gammaOutput = true; // colours are mixed as light
renderer.gammaFactor = 2.2;
renderer.localClippingEnabled = true;
renderer.shadowMap.enabled = true;
renderer.shadowMap.type = THREE.PCFShadowMap;
renderer.shadowMap.autoUpdate = false;
renderer.autoClear = false;
renderer.info.autoReset = false; // it would leave out what shadows cost
export const scene = new THREE.Scene();
export const extent = run.model.size;

// A colour of the screen as light.
export function light(colour) {
  return new THREE.Color(colour).convertSRGBToLinear();
}

// Light of the sky, the sun with its shadow, and from straight above what is seen of an overcast sky: its blurred
// shadow darkens the ground below bodies as ambient occlusion would.
const sky = new THREE.HemisphereLight(0xffffff, 0xb5b0a6, 0.8);
const sun = new THREE.DirectionalLight(0xfff4e2, 0.5);
const zenith = new THREE.DirectionalLight(0xe8f0ff, 0.22);
scene.add(sky);
const towardsSun = new THREE.Vector3(-0.45, -0.55, 1).normalize(),
  up = new THREE.Vector3(0, 0, 1);
for (const [lamp, pixels, radius] of [
  [sun, 2048, 1.6],
  [zenith, 1024, 7],
]) {
  lamp.castShadow = true;
  lamp.shadow.mapSize.set(pixels, pixels);
  lamp.shadow.radius = radius;
  lamp.shadow.bias = -0.0006;
  scene.add(lamp, lamp.target);
}

// Places the lamps so that their shadows cover a ball.
export function lightUp(center, radius) {
  for (const [lamp, way] of [
    [sun, towardsSun],
    [zenith, up],
  ]) {
    lamp.target.position.copy(center);
    lamp.position.copy(center).addScaledVector(way, 4 * radius);
    Object.assign(lamp.shadow.camera, { left: -radius, right: radius, bottom: -radius, top: radius, near: radius, far: 8 * radius });
    lamp.shadow.camera.updateProjectionMatrix();
    lamp.target.updateMatrixWorld();
  }
  renderer.shadowMap.needsUpdate = true;
}
whenOption('shadows', (wanted) => {
  sun.castShadow = zenith.castShadow = wanted;
  redraw(true);
});

// What is drawn where: { box, clear, camera, figures, others }, with figures (run by run) in boxes of the page, px from the
// top left; `clear`: of the box, what no panel covers. One for all, or two side by side.
export const views = [];

let due = true,
  last = 0;
// Asks for a new picture. `moved`: shadows have changed.
export function redraw(moved = false) {
  due = true;
  if (moved) renderer.shadowMap.needsUpdate = true;
}
export const counters = { pictures: 0, calls: 0, triangles: 0, milliseconds: 0 };

export const background = new THREE.Color();
export function draw() {
  const began = performance.now();
  const { height } = renderer.getSize(new THREE.Vector2());
  renderer.info.reset();
  renderer.setScissorTest(false);
  renderer.setClearColor(background);
  renderer.clear();
  clearLabels();
  for (const view of views) {
    const { box, camera, figures } = view;
    for (const figure of view.others) figure.root.visible = false;
    for (const figure of figures) figure.root.visible = true;
    renderer.setViewport(box.x, height - box.y - box.height, box.width, box.height);
    renderer.setScissor(box.x, height - box.y - box.height, box.width, box.height);
    renderer.setScissorTest(views.length > 1);
    if (views.length > 1) renderer.shadowMap.needsUpdate = true;
    ThickLines.pixels.set(box.width, box.height);
    renderer.render(scene, camera);
    writeLabels(view, view === views[0]);
  }
  counters.calls = renderer.info.render.calls;
  counters.triangles = renderer.info.render.triangles;
  counters.milliseconds += performance.now() - began;
  ++counters.pictures;
}

// Where pictures come too slowly, they become coarser: at most so many pixels of the picture for one of the page.
const ratios = [2, 1, 0.66];
const pace = { level: 0, pictures: 0, time: 0, slow: 45, enough: 15 }; // pictures in a row, and the ms that they took
function keepPace(milliseconds, drawn) {
  if (!drawn || milliseconds > 500) pace.pictures = pace.time = 0;
  else if (++pace.pictures > 1) pace.time += milliseconds;
  if (pace.pictures <= pace.enough) return;
  const slow = pace.time / (pace.pictures - 1) > pace.slow;
  pace.pictures = pace.time = 0;
  if (!slow || pace.level + 1 >= ratios.length) return;
  ++pace.level;
  const { x, y } = renderer.getSize(new THREE.Vector2());
  resizeStage(x, y, window.devicePixelRatio || 1);
}

// Calls `tick(seconds)` for each picture of the screen, and draws when something has changed.
export function start(tick) {
  renderer.setAnimationLoop((now) => {
    tick(Math.min(0.1, (now - last) / 1000));
    keepPace(now - last, due);
    last = now;
    if (!due) return;
    due = false;
    draw();
  });
}

export function resizeStage(width, height, ratio) {
  renderer.setPixelRatio(Math.min(ratio, ratios[pace.level]));
  renderer.setSize(width, height, false);
  resizeLabels(width, height, Math.min(ratio, ratios[0]));
  redraw();
}

// The picture as it is, with its labels, as PNG in base64.
export function snapshot() {
  draw();
  const whole = document.createElement('canvas');
  whole.width = canvas.width;
  whole.height = canvas.height;
  const c = whole.getContext('2d');
  c.drawImage(canvas, 0, 0);
  c.drawImage(labelCanvas, 0, 0, canvas.width, canvas.height);
  return whole.toDataURL('image/png');
}

// Materials that take their colour from the instances of a mesh, and show where they are cut open.
export const cutting = { planes: [], uniform: { value: 0 } };
const solidParts = {
  vertex: [
    ['#include <common>', '#include <common>\nattribute vec4 tint;\nvarying vec4 vTint;'],
    ['#include <begin_vertex>', '#include <begin_vertex>\nvTint = tint;'],
    // Normals under a scale that differs by direction.
    [
      '#include <defaultnormal_vertex>',
      `vec3 transformedNormal = objectNormal;
#ifdef USE_INSTANCING
mat3 turn = mat3(instanceMatrix);
transformedNormal = turn * (transformedNormal / vec3(dot(turn[0], turn[0]), dot(turn[1], turn[1]), dot(turn[2], turn[2])));
#endif
transformedNormal = normalMatrix * transformedNormal;
#ifdef FLIP_SIDED
transformedNormal = -transformedNormal;
#endif`,
    ],
  ],
  fragment: [
    ['#include <common>', '#include <common>\nvarying vec4 vTint;\nuniform float cut;'],
    [
      '#include <color_fragment>',
      `#include <color_fragment>
diffuseColor.rgb *= vTint.rgb;
if (vTint.a < -0.5 && mod(floor(gl_FragCoord.x), 3.0) + mod(floor(gl_FragCoord.y), 3.0) > 0.5) discard;`,
    ],
    [
      '#include <dithering_fragment>',
      `if (cut > 0.5 && !gl_FrontFacing)
  gl_FragColor.rgb = mix(sqrt(vTint.rgb), vec3(0.85, 0.3, 0.22), 0.5) * (mod(floor((gl_FragCoord.x + gl_FragCoord.y) / 5.0), 2.0) < 0.5 ? 0.75 : 1.0);
gl_FragColor.rgb += max(0.0, vTint.a) * vec3(0.12, 0.2, 0.3);`,
    ],
  ],
};
export function solidMaterial(more = {}) {
  const material = new THREE.MeshPhongMaterial({
    color: 0xffffff,
    specular: 0x161616,
    shininess: 30,
    side: THREE.DoubleSide,
    clippingPlanes: cutting.planes,
    ...more,
  });
  material.onBeforeCompile = (shader) => {
    shader.uniforms.cut = cutting.uniform;
    for (const [from, to] of solidParts.vertex) shader.vertexShader = shader.vertexShader.replace(from, to);
    for (const [from, to] of solidParts.fragment) shader.fragmentShader = shader.fragmentShader.replace(from, to);
  };
  return material;
}

// Meshes of one geometry: `tint` has four numbers for each, its colour as light and how much it is lit up; -1: it is seen
// through.
export function instances(parent, geometry, material, count, { castShadow = true, receiveShadow = true } = {}) {
  const own = new THREE.BufferGeometry(); // tints are attributes of the geometry: it shares the rest
  for (const name of ['position', 'normal']) own.setAttribute(name, geometry.attributes[name]);
  if (geometry.index) own.setIndex(geometry.index);
  const tint = new THREE.InstancedBufferAttribute(new Float32Array(4 * Math.max(1, count)), 4);
  own.setAttribute('tint', tint);
  const mesh = new THREE.InstancedMesh(own, material, Math.max(1, count));
  mesh.count = count;
  mesh.tint = tint;
  mesh.frustumCulled = false;
  Object.assign(mesh, { castShadow, receiveShadow });
  parent.add(mesh);
  return mesh;
}
