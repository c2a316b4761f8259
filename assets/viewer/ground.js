// The ground: planes of the model with a grid that tells lengths; a grid alone, below everything, where there is none.
import { on, run, shownIn } from './state.js';
import { option, whenOption } from './options.js';
import { addLabels, style } from './labels.js';
import { readable } from './series.js';
import { background, extent, light, redraw, scene } from './stage.js';

const model = run.model;
// Distance of the fine lines: 1, 2 or 5 times a power of ten, about a tenth of the mechanism.
const spacing = (() => {
  const rough = extent / 8,
    power = 10 ** Math.floor(Math.log10(rough));
  return power * (rough / power >= 5 ? 5 : rough / power >= 2 ? 2 : 1);
})();
const coarse = String(spacing)[0] === '2' || /^0\.0*2/.test(String(spacing)) ? 5 : spacing.toPrecision(1).includes('5') ? 2 : 5;

const uniforms = {
  spacing: { value: spacing },
  coarse: { value: coarse },
  reach: { value: 6 * extent },
  focus: { value: new THREE.Vector2() },
  fineInk: { value: new THREE.Color() },
  ink: { value: new THREE.Color() },
  back: { value: new THREE.Color() },
  lit: { value: 1 },
  deepen: { value: 0 }, // how much darker shadows are than light alone makes them: on dark ground they hardly show else
  sheet: { value: 0 }, // 1: what carries nothing is a surface, too, on which shadows can lie
};
const planes = [];

// `solid`: ground that carries; else lines and shadows on nothing.
function plane(pose, solid) {
  const material = new THREE.MeshLambertMaterial({ color: 0xffffff, transparent: true, side: THREE.DoubleSide });
  material.extensions = { derivatives: true }; // of WebGL 1
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms, { solid: { value: solid ? 1 : 0 } });
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec2 vPlane;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nvPlane = position.xy;');
    shader.fragmentShader = shader.fragmentShader
      .replace(
        '#include <common>',
        `#include <common>
uniform float spacing, coarse, reach, solid, lit, deepen, sheet;
uniform vec2 focus;
uniform vec3 fineInk, ink, back;
varying vec2 vPlane;
float lines(float distance, float width) {
  vec2 at = vPlane / distance, w = fwidth(at), far = abs(fract(at - 0.5) - 0.5) / w;
  float line = 1.0 - clamp(min(far.x, far.y) - width + 0.5, 0.0, 1.0);
  return line * clamp(1.0 - 2.5 * max(w.x, w.y), 0.0, 1.0);
}`,
      )
      .replace(
        '#include <dithering_fragment>',
        `
float fade = 1.0 - smoothstep(0.35, 1.0, length(vPlane - focus) / reach);
float shade = clamp(gl_FragColor.r / lit, 0.0, 1.0);
float fine = lines(spacing, 0.5) * 0.55, bold = lines(spacing * coarse, 0.9);
vec3 surface = gl_FragColor.rgb * pow(shade, deepen);
if (solid > 0.5) {
  surface = mix(surface, fineInk, fine);
  surface = mix(surface, ink, bold);
  gl_FragColor = vec4(surface, fade);
} else {
  float dark = (1.0 - shade) * 0.55;
  float line = max(fine * 0.6, bold * 0.7);
  vec4 bare = vec4(mix(back * 0.25, fineInk, line / max(line + dark, 1e-4)), max(line, dark));
  gl_FragColor = mix(bare, vec4(mix(surface, fineInk, line), 1.0), sheet);
  gl_FragColor.a *= fade;
}`,
      );
  };
  const mesh = new THREE.Mesh(new THREE.PlaneBufferGeometry(40 * extent, 40 * extent), material);
  mesh.receiveShadow = true;
  mesh.position.set(...pose.position);
  mesh.quaternion.set(...pose.quaternion);
  mesh.renderOrder = -1;
  mesh.userData.solid = solid;
  scene.add(mesh);
  planes.push(mesh);
  return mesh;
}
for (const shape of model.shapes) if (shape.type === 'plane' && shape.body < 0) plane(shape, true);
if (!planes.length) plane({ position: [0, 0, 0], quaternion: [0, 0, 0, 1] }, false);

// The floor where there is no ground: below all of it. Planes stay around what is looked at.
export function placeGround(center, low) {
  for (const mesh of planes) {
    if (!mesh.userData.solid) mesh.position.z = low - 0.03 * extent;
    // Moved by whole meshes of the grid, which then looks as if it had no end.
    const shape = mesh.userData.origin ?? (mesh.userData.origin = mesh.position.clone());
    if (!mesh.userData.solid) shape.z = mesh.position.z;
    const local = center.clone().sub(shape).applyQuaternion(mesh.quaternion.clone().conjugate());
    const step = spacing * coarse;
    const shift = new THREE.Vector3(Math.round(local.x / step) * step, Math.round(local.y / step) * step, 0);
    mesh.position.copy(shift.applyQuaternion(mesh.quaternion)).add(shape);
    uniforms.focus.value.set(0, 0);
  }
}

whenOption('ground', (wanted) => {
  for (const mesh of planes) mesh.visible = wanted;
  redraw(true);
});

on('theme', (dark) => {
  for (const mesh of planes) mesh.material.color.copy(light(dark ? '#4b5664' : '#cfd3d6'));
  uniforms.fineInk.value.set(dark ? '#6b7788' : '#9aa3ad');
  uniforms.ink.value.set(dark ? '#8391a6' : '#727d8a');
  uniforms.back.value.copy(background);
  uniforms.deepen.value = dark ? 1.2 : 0;
  uniforms.sheet.value = dark ? 1 : 0;
  uniforms.lit.value = dark ? 0.38 : 0.84; // of the surface without a shadow, as the screen has it
  redraw();
});

const length = (metres) => `${readable(metres * shownIn.length.scale)} ${shownIn.length.unit}`;

// How wide the meshes of the grid are.
addLabels((pen) => {
  if (!option('ground') || !planes.length || !pen.first || pen.small) return;
  pen.text(pen.left, pen.bottom, `grid ${length(spacing)}, bold ${length(spacing * coarse)}`, { colour: style('--faint') });
});
