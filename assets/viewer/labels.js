// Text and small signs over the picture, on a canvas of their own.
import { $ } from './state.js';

const canvas = $('labels'),
  c = canvas.getContext('2d');
const writers = [];
const size = { width: 1, height: 1 };
export const labelCanvas = canvas;
const at = new THREE.Vector3();

// `write(pen)`: called for each picture.
export function addLabels(write) {
  writers.push(write);
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

// What writers draw with; positions in pixels of the page. `camera` and `box` ({ x, y, width, height }): of the picture;
// `clear`: what of it no panel covers; `first`: of two pictures.
class Pen {
  constructor({ camera, box, clear }, first) {
    Object.assign(this, { c, camera, box, first, taken: [] });
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
  text(x, y, text, { colour = style('--text'), align = 'left', bold = false } = {}) {
    c.font = `${bold ? '600 ' : ''}12px system-ui, sans-serif`;
    c.textAlign = align;
    c.textBaseline = 'middle';
    c.lineJoin = 'round';
    c.lineWidth = 3;
    c.strokeStyle = style('--back');
    c.strokeText(text, x, y);
    c.fillStyle = colour;
    c.fillText(text, x, y);
  }
  // Text beside a point of the world, unless another text is there. Returns whether it was written.
  beside(point, text, how = {}) {
    const place = this.place(point);
    if (!place) return false;
    c.font = '12px system-ui, sans-serif';
    const width = c.measureText(text).width + 8,
      [x, y] = [place[0] + 8, place[1] - 8];
    if (this.taken.some((t) => x < t.x + t.width && t.x < x + width && Math.abs(y - t.y) < 15)) return false;
    this.taken.push({ x, y, width });
    this.text(x, y, text, how);
    return true;
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
}
export function writeLabels(view, first) {
  const pen = new Pen(view, first);
  for (const write of writers) write(pen, view.figures[0]);
}

// A number for reading: `digits` significant ones, without an exponent where that is short.
export function readable(value, digits = 3) {
  if (!Number.isFinite(value)) return 'none';
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (size >= 1e5 || size < 1e-4) return value.toExponential(digits - 1);
  return String(+value.toPrecision(digits));
}
