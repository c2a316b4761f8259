// Text and small signs over the picture, on a canvas of their own.
import { $ } from './state.js';

const canvas = $('labels'),
  c = canvas.getContext('2d');
const writers = [],
  lateWriters = [];
const size = { width: 1, height: 1 };
export const labelCanvas = canvas;
const at = new THREE.Vector3();
// Where a text may stand beside a point, px: to the right or left of it, or in the middle.
const besides = [
  [8, -8],
  [8, 9],
  [-8, -8],
  [-8, 9],
  [0, -17],
  [0, 18],
  [14, -24],
  [14, 25],
  [-14, -24],
  [-14, 25],
];

// `write(pen)`: called for each picture; those that can make room for others come `late`.
export function addLabels(write, { late = false } = {}) {
  (late ? lateWriters : writers).push(write);
}

export function resizeLabels(width, height, ratio) {
  Object.assign(size, { width, height });
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
}

export function style(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// What is written in the picture: { text, x, y, width, height } from the top left, px.
export const texts = [];

// What writers draw with; positions in pixels of the page. `camera` and `box` ({ x, y, width, height }): of the picture;
// `clear`: what of it no panel covers; `first`: of two pictures.
class Pen {
  constructor({ camera, box, clear }, first) {
    Object.assign(this, { c, camera, box, first });
    this.left = clear.x + 14;
    this.top = clear.y;
    this.right = clear.x + clear.width - 14;
    this.small = clear.height < 300; // no room for legends
    this.bottom = clear.y + clear.height - 14;
  }
  // Where a point of the world is; null: behind the camera.
  place(point) {
    at.copy(point).project(this.camera);
    if (at.z > 1 || at.z < -1) return null;
    const { x, y, width, height } = this.box;
    return [x + ((1 + at.x) / 2) * width, y + ((1 - at.y) / 2) * height];
  }
  font(bold) {
    c.font = `${bold ? '600 ' : ''}12px system-ui, sans-serif`;
  }
  text(x, y, text, { colour = style('--text'), align = 'left', bold = false } = {}) {
    this.font(bold);
    c.textAlign = align;
    c.textBaseline = 'middle';
    c.lineJoin = 'round';
    c.lineWidth = 3;
    c.strokeStyle = style('--back');
    c.strokeText(text, x, y);
    c.fillStyle = colour;
    c.fillText(text, x, y);
    const { width } = c.measureText(text);
    texts.push({ text, x: x - (align === 'center' ? width / 2 : 0), y: y - 8, width, height: 16 });
  }
  // Text beside a point of the world: to its right, left, above or below, where no other text is and it is in sight whole.
  // Returns whether it was written.
  beside(point, text, how = {}) {
    const place = this.place(point);
    if (!place) return false;
    this.font(how.bold);
    const { width } = c.measureText(text);
    for (const [dx, dy] of besides) {
      const x = place[0] + (dx > 0 ? dx : dx < 0 ? dx - width : -width / 2),
        y = place[1] + dy;
      if (x < this.left || x + width > this.right || y < this.top + 8 || y > this.bottom + 6) continue;
      const near = (t) => x - 4 < t.x + t.width && t.x < x + width + 4 && y - 8 < t.y + t.height && t.y < y + 8;
      if (texts.some(near)) continue;
      this.text(x, y, text, how);
      return true;
    }
    return false;
  }
  // A small disk at a point of the world.
  dot(point, colour) {
    const place = this.place(point);
    if (!place) return;
    c.beginPath();
    c.arc(...place, 3, 0, 2 * Math.PI);
    c.fillStyle = '#fff';
    c.fill();
    c.strokeStyle = colour;
    c.lineWidth = 2;
    c.stroke();
  }
  line(from, to, colour, width = 1.5) {
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.beginPath();
    c.moveTo(...from);
    c.lineTo(...to);
    c.stroke();
  }
}

export function clearLabels() {
  c.clearRect(0, 0, size.width, size.height);
  texts.length = 0;
}
export function writeLabels(view, first) {
  const pen = new Pen(view, first);
  for (const write of [...writers, ...lateWriters]) write(pen, view.figures[0]);
}
