// Lines of some pixels width, any number in one draw call.

const vertex = `
attribute vec3 from, to;
attribute vec4 colour;
uniform vec2 pixels; // of the picture
uniform float width; // px
varying vec4 vColour;
void main() {
  vec4 a = projectionMatrix * modelViewMatrix * vec4(from, 1.0), b = projectionMatrix * modelViewMatrix * vec4(to, 1.0);
  float near = 1e-4; // what is behind the camera is cut off
  if (a.w < near && b.w > near) a = mix(a, b, (near - a.w) / (b.w - a.w));
  if (b.w < near && a.w > near) b = mix(b, a, (near - b.w) / (a.w - b.w));
  vec2 along = (b.xy / b.w - a.xy / a.w) * pixels;
  along = length(along) > 1e-6 ? normalize(along) : vec2(1.0, 0.0);
  vec4 at = position.x < 0.5 ? a : b;
  vec2 side = vec2(-along.y, along.x) * position.y + along * (position.x - 0.5);
  at.xy += side * width / pixels * at.w;
  gl_Position = at;
  vColour = colour;
}`;
const fragment = `
varying vec4 vColour;
void main() { gl_FragColor = vColour; }`;

export class ThickLines {
  constructor(parent, width, { onTop = false } = {}) {
    this.material = new THREE.ShaderMaterial({
      vertexShader: vertex,
      fragmentShader: fragment,
      transparent: true,
      depthTest: !onTop,
      depthWrite: false,
      side: THREE.DoubleSide,
      uniforms: { pixels: { value: ThickLines.pixels }, width: { value: width } },
    });
    this.mesh = new THREE.Mesh(new THREE.InstancedBufferGeometry(), this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = onTop ? 4 : 2;
    this.mesh.userData.lines = this;
    parent.add(this.mesh);
    this.room = 0;
    this.clear();
  }

  clear() {
    this.count = 0;
  }

  reserve(count) {
    if (count <= this.room) return;
    const room = Math.max(64, 2 ** Math.ceil(Math.log2(count)));
    const old = this.room ? [this.from.array, this.to.array, this.colour.array] : [];
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute('position', new THREE.Float32BufferAttribute([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0], 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    for (const [i, [name, size]] of [
      ['from', 3],
      ['to', 3],
      ['colour', 4],
    ].entries()) {
      const array = new Float32Array(size * room);
      if (old[i]) array.set(old[i]);
      this[name] = new THREE.InstancedBufferAttribute(array, size);
      geometry.setAttribute(name, this[name]);
    }
    this.mesh.geometry.dispose();
    this.mesh.geometry = geometry;
    this.room = room;
  }

  // `colour`: a THREE.Color, in the values of the screen.
  add(from, to, colour, alpha = 1) {
    this.reserve(this.count + 1);
    from.toArray(this.from.array, 3 * this.count);
    to.toArray(this.to.array, 3 * this.count);
    this.colour.array.set([colour.r, colour.g, colour.b, alpha], 4 * this.count);
    ++this.count;
  }

  // Call after the last add().
  finish() {
    this.mesh.visible = this.count > 0;
    if (!this.room) return;
    this.mesh.geometry.maxInstancedCount = this.count;
    for (const name of ['from', 'to', 'colour']) this[name].needsUpdate = true;
  }
}
ThickLines.pixels = new THREE.Vector2(1, 1);
