// Charts of a page, each in a figure with its data: laid out for the width that there is, with letters of one size; a cursor
// with values, zoom by wheel or by dragging, and curves that a click hides.
import { envelope, placeOf, readable } from './series.js';

const light = ['#0072b2', '#d55e00', '#009e73', '#b0458f', '#8a6d00', '#3a9bd6', '#7a2fa0', '#5b6675'];
const dark = ['#56b4e9', '#e69f00', '#3fd0a4', '#e08fc0', '#d9c34a', '#9fd3ff', '#c79af0', '#9aa4b2'];
const dashes = ['', '7 4', '2 3', '9 3 2 3'];
const letter = 12; // px
const night = window.matchMedia('(prefers-color-scheme: dark)');
const onPaper = window.matchMedia('print');
const touched = window.matchMedia('(pointer: coarse)').matches;

export const colourOf = (series) => {
  const all = night.matches && !onPaper.matches ? dark : light;
  return series < all.length ? all[series] : `hsl(${Math.round((series * 137.508) % 360)} 60% ${night.matches ? 65 : 40}%)`;
};
const dashOf = (series) => dashes[series % dashes.length];

export function node(parent, tag, attributes, text) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = text;
  parent.append(e);
  return e;
}

// Round numbers between two bounds, some `count` of them.
export function ticks(low, high, count = 6) {
  const rough = (high - low) / count,
    power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough * (1 - 1e-9)),
    all = [];
  const first = Math.ceil(low / step - 1e-9);
  for (let k = 0; (first + k) * step <= high + 1e-9 * step && k < 40; ++k) all.push(+((first + k) * step).toPrecision(12));
  return all;
}

function powers(low, high, count) {
  const first = Math.ceil(Math.log10(low) - 1e-9),
    last = Math.floor(Math.log10(high) + 1e-9),
    all = [];
  for (let e = first; e <= last; e += Math.max(1, Math.ceil((last - first) / count))) all.push(10 ** e);
  return all;
}

// Numbers at marks, with as many digits as tell them apart.
function marked(values, logarithmic) {
  const step = values.length > 1 ? Math.abs(values[1] - values[0]) : 1;
  return values.map((v) => {
    if (v === 0) return '0';
    if (logarithmic) return Math.abs(Math.log10(v)) < 4 ? String(+v.toPrecision(3)) : `1e${Math.round(Math.log10(v))}`;
    const digits = Math.max(1, Math.min(15, 1 + Math.floor(Math.log10(Math.abs(v)) + 1e-9) - Math.floor(Math.log10(step) + 1e-9)));
    return Math.abs(v) >= 1e6 || Math.abs(v) < 1e-4
      ? String(+v.toPrecision(digits)).replace('e+', 'e')
      : String(+v.toPrecision(Math.max(digits, 1)));
  });
}

// The share of the way from one bound of an axis to the other.
const shareOf = ({ logarithmic }, [from, to], v) =>
  logarithmic ? Math.log(Math.max(v, from) / from) / Math.log(to / from) : (v - from) / (to - from);
const valueAt = ({ logarithmic }, [from, to], share) => (logarithmic ? from * (to / from) ** share : from + share * (to - from));

export class Chart {
  constructor(figure, data, group) {
    Object.assign(this, data, { figure, group });
    this.series = data.series ?? [];
    this.boxes = data.boxes ?? [];
    this.hidden = new Set();
    for (const s of this.series) {
      s.sorted = s.x.every((v, i) => i === 0 || v >= s.x[i - 1]);
      s.y = s.y.map((v) => v ?? NaN);
    }
    this.live = !this.equal && !this.x.names?.length && this.series.some((s) => s.kind === 'curve' && s.sorted);
    this.zoomed = [this.x.lower, this.x.upper];
    this.title_ = document.createElement('h3');
    this.title_.textContent = this.title ?? '';
    this.at = document.createElement('div');
    this.at.className = 'at';
    this.svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    this.svg.setAttribute('role', 'img');
    this.svg.setAttribute('aria-label', this.about());
    this.keys = document.createElement('div');
    this.keys.className = 'keys';
    figure.replaceChildren(...(this.title ? [this.title_] : []), ...(this.live ? [this.at] : []), this.svg, this.keys);
    this.fillKeys();
    if (this.live) this.listen();
    group.push(this);
  }

  about() {
    return `${this.title ?? ''} ${this.y.label} over ${this.x.label}`.trim();
  }

  fillKeys() {
    const known = new Map();
    for (const s of this.series) if (s.label && !known.has(s.label)) known.set(s.label, s);
    this.keys.replaceChildren(
      ...[...known.values()].map((s) => {
        const button = document.createElement('button'),
          sign = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
        sign.setAttribute('viewBox', '0 0 24 10');
        const colour = colourOf(s.series);
        if (s.kind === 'curve')
          node(sign, 'path', { d: 'M0 5H24', stroke: colour, 'stroke-width': 2.5, 'stroke-dasharray': dashOf(s.series) });
        else node(sign, 'circle', { cx: 12, cy: 5, r: 4, fill: colour });
        s.text = document.createElement('span');
        s.text.textContent = s.label;
        button.append(sign, s.text);
        button.title = 'Hide or show';
        button.setAttribute('aria-pressed', String(!this.hidden.has(s.series)));
        button.addEventListener('click', () => {
          if (!this.hidden.delete(s.series)) this.hidden.add(s.series);
          button.setAttribute('aria-pressed', String(!this.hidden.has(s.series)));
          this.draw();
        });
        return button;
      }),
    );
  }

  get shown() {
    return this.series.filter((s) => !this.hidden.has(s.series));
  }

  // The values that the chart shows: those of its axis, or where it is zoomed those of the curves in sight.
  range() {
    const whole = [this.y.lower, this.y.upper],
      [from, to] = this.zoomed;
    if (this.y.logarithmic || (!this.hidden.size && from === this.x.lower && to === this.x.upper)) return whole;
    let [low, high] = [Infinity, -Infinity];
    for (const s of this.shown)
      for (let i = 0; i < s.x.length; ++i)
        if (s.x[i] >= from && s.x[i] <= to && Number.isFinite(s.y[i])) [low, high] = [Math.min(low, s.y[i]), Math.max(high, s.y[i])];
    if (!(low <= high)) return whole;
    const room = Math.max(0.04 * (high - low), 1e-9 * Math.abs(high), 1e-300);
    return [low - room, high + room];
  }

  draw() {
    const { svg } = this,
      width = Math.max(240, this.figure.clientWidth || 600);
    const names = this.x.names ?? [],
      bottom = names.length ? 78 : 38;
    let height = Math.round(Math.max(220, Math.min(this.tall ?? 360, 0.55 * width)));
    let xs = [...this.zoomed],
      ys = this.range();
    const yMarks = this.y.logarithmic ? powers(ys[0], ys[1], (height - 60) / 26) : ticks(ys[0], ys[1], (height - 60) / 36);
    const yTexts = marked(yMarks, this.y.logarithmic),
      left = 10 + 0.58 * letter * Math.max(2, ...yTexts.map((t) => t.length)),
      box = { left, top: 24, right: width - 12, bottom: height - bottom };
    if (this.equal) {
      // Lengths are the same along both axes: the picture is as high as it needs, and what is left is shared.
      const across = xs[1] - xs[0],
        up = ys[1] - ys[0],
        scale = Math.min((box.right - box.left) / across, 420 / up);
      height = Math.round(Math.max(200, box.top + bottom + scale * up));
      box.bottom = height - bottom;
      const spare = (box.right - box.left) / scale - across,
        more = (box.bottom - box.top) / scale - up;
      xs = [xs[0] - spare / 2, xs[1] + spare / 2];
      ys = [ys[0] - more / 2, ys[1] + more / 2];
    }
    Object.assign(this, { width, height, box, xs, ys });
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    svg.replaceChildren();
    this.axes(names, this.equal ? ticks(ys[0], ys[1], (height - 60) / 36) : yMarks);
    this.drawBoxes(names.length);
    this.drawSeries();
    node(svg, 'path', { d: `M${box.left} ${box.top}V${box.bottom}H${box.right}V${box.top}Z`, fill: 'none', stroke: 'var(--line)' });
    this.cursor = node(svg, 'path', { d: '', stroke: 'var(--bad)', 'stroke-width': 1.2 });
    this.picked = node(svg, 'rect', { x: 0, y: box.top, width: 0, height: box.bottom - box.top, fill: 'var(--accent)', opacity: 0.18 });
  }

  px(v) {
    const { box, x, xs } = this;
    const share = x.names?.length ? (v + 0.5) / x.names.length : shareOf(x, xs, v);
    return box.left + share * (box.right - box.left);
  }
  py(v) {
    const { box, y, ys } = this;
    return box.bottom - Math.max(-0.02, Math.min(1.02, shareOf(y, ys, v))) * (box.bottom - box.top);
  }

  axes(names, yMarks) {
    const { svg, box, x, y, xs, width } = this;
    const grid = (d) => node(svg, 'path', { d, stroke: 'var(--line)', 'stroke-width': 0.7, fill: 'none' });
    const yTexts = marked(yMarks, y.logarithmic);
    yMarks.forEach((v, i) => {
      grid(`M${box.left} ${this.py(v)}H${box.right}`);
      node(svg, 'text', { x: box.left - 5, y: this.py(v) + 4, 'text-anchor': 'end' }, yTexts[i]);
    });
    node(svg, 'text', { x: 2, y: 13 }, y.label);
    if (names.length) {
      names.forEach((name, i) =>
        node(svg, 'text', { transform: `translate(${this.px(i) + 4} ${box.bottom + 12}) rotate(-40)`, 'text-anchor': 'end' }, name),
      );
      return;
    }
    const xMarks = x.logarithmic ? powers(xs[0], xs[1], width / 70) : ticks(xs[0], xs[1], width / 90),
      xTexts = marked(xMarks, x.logarithmic);
    xMarks.forEach((v, i) => {
      grid(`M${this.px(v)} ${box.top}V${box.bottom}`);
      node(svg, 'text', { x: this.px(v), y: box.bottom + 15, 'text-anchor': 'middle' }, xTexts[i]);
    });
    node(svg, 'text', { x: (box.left + box.right) / 2, y: box.bottom + 32, 'text-anchor': 'middle' }, x.label);
  }

  drawBoxes(count) {
    const half = (0.3 * (this.box.right - this.box.left)) / Math.max(1, count);
    for (const { x, series, values } of this.boxes) {
      const at = this.px(x),
        colour = colourOf(series),
        [y0, y1, y2, y3, y4] = values.map((v) => this.py(v));
      node(this.svg, 'path', { d: `M${at} ${y0}V${y4}`, stroke: colour });
      node(this.svg, 'rect', {
        x: at - half,
        y: y3,
        width: 2 * half,
        height: Math.max(1, y1 - y3),
        fill: colour,
        'fill-opacity': 0.35,
        stroke: colour,
      });
      node(this.svg, 'path', { d: `M${at - half} ${y2}H${at + half}`, stroke: colour, 'stroke-width': 2.5 });
    }
  }

  drawSeries() {
    const { box, xs, svg } = this,
      id = `clip-${this.group.indexOf(this)}`;
    const clip = node(svg, 'clipPath', { id });
    node(clip, 'rect', { x: box.left, y: box.top - 2, width: box.right - box.left, height: box.bottom - box.top + 4 });
    for (const s of this.shown) {
      const colour = colourOf(s.series);
      if (s.kind === 'points') {
        for (let i = 0; i < s.x.length; ++i)
          if (Number.isFinite(s.y[i]))
            node(svg, 'circle', {
              cx: this.px(s.x[i]),
              cy: this.py(s.y[i]),
              r: 2.6,
              fill: colour,
              'fill-opacity': 0.8,
              'clip-path': `url(#${id})`,
            });
        continue;
      }
      const points =
        s.sorted && !this.x.logarithmic
          ? envelope(s.x, s.y, s.y, xs[0], xs[1], box.right - box.left).map(([x, v]) => [box.left + x, this.py(v)])
          : s.x.flatMap((v, i) => (Number.isFinite(s.y[i]) ? [[this.px(v), this.py(s.y[i])]] : []));
      let d = '',
        before = '';
      for (const [x, y] of points) {
        const next = `${x.toFixed(1)} ${y.toFixed(1)}`;
        if (next !== before) d += `${d ? 'L' : 'M'}${next}`;
        before = next;
      }
      node(svg, 'path', {
        d,
        fill: 'none',
        stroke: colour,
        'stroke-width': 1.7,
        'stroke-linejoin': 'round',
        'stroke-dasharray': dashOf(s.series),
        'clip-path': `url(#${id})`,
      });
    }
  }

  // Pointer, wheel and keys; charts of one group go along.
  listen() {
    const { svg } = this;
    svg.tabIndex = 0;
    svg.style.cursor = 'crosshair';
    this.say(null);
    let from = null;
    const place = (e) => {
      const r = svg.getBoundingClientRect();
      return ((e.clientX - r.left) * this.width) / r.width;
    };
    const share = (px) => Math.max(0, Math.min(1, (px - this.box.left) / (this.box.right - this.box.left)));
    const value = (px) => valueAt(this.x, this.xs, share(px));
    svg.addEventListener('pointerdown', (e) => {
      if (e.pointerType === 'mouse') from = place(e);
      svg.setPointerCapture(e.pointerId);
      this.together((c) => c.say(value(place(e))));
    });
    svg.addEventListener('pointermove', (e) => {
      this.together((c) => c.say(value(place(e))));
      if (from === null) return;
      const [a, b] = [from, place(e)].sort((p, q) => p - q);
      this.picked.setAttribute('x', a);
      this.picked.setAttribute('width', b - a);
    });
    svg.addEventListener('pointerup', (e) => {
      if (from !== null && Math.abs(place(e) - from) > 5) this.zoomTo(...[value(from), value(place(e))].sort((p, q) => p - q));
      else if (this.picked) this.picked.setAttribute('width', 0);
      from = null;
    });
    svg.addEventListener('pointerleave', () => this.together((c) => c.say(null)));
    svg.addEventListener('dblclick', () => this.zoomTo(this.x.lower, this.x.upper));
    svg.addEventListener(
      'wheel',
      (e) => {
        if (!this.wheel && !e.ctrlKey) return;
        e.preventDefault();
        this.zoomBy(e.deltaY > 0 ? 1.25 : 0.8, share(place(e)));
      },
      { passive: false },
    );
    svg.addEventListener('keydown', (e) => {
      if (e.key === '+' || e.key === '-') this.zoomBy(e.key === '-' ? 1.25 : 0.8, 0.5);
      else if (e.key === 'ArrowLeft' || e.key === 'ArrowRight') this.zoomBy(1, 0, e.key === 'ArrowLeft' ? -0.1 : 0.1);
      else if (e.key === 'Escape') this.zoomTo(this.x.lower, this.x.upper);
      else return;
      e.preventDefault();
    });
  }

  together(f) {
    for (const c of this.group) if (c.live && c.x.label === this.x.label) f(c);
  }
  zoomTo(from, to) {
    if (!(to > from)) return;
    this.together((c) => {
      c.zoomed = [Math.max(from, c.x.lower), Math.min(to, c.x.upper)];
      if (c.zoomed[1] > c.zoomed[0]) c.draw();
    });
  }
  // Around a share of what is seen; `shift`: by a share of it.
  zoomBy(factor, center, shift = 0) {
    const whole = [this.x.lower, this.x.upper],
      [a, b] = this.zoomed.map((v) => shareOf(this.x, whole, v)),
      width = Math.min(1, (b - a) * factor);
    const from = Math.max(0, Math.min(1 - width, a + (b - a) * center - width * center + shift * width));
    this.zoomTo(...[from, from + width].map((s) => valueAt(this.x, whole, s)));
  }

  // The cursor at a value of the horizontal axis, and what the curves have there; null: none.
  say(value) {
    for (const s of this.series) {
      if (!s.text) continue;
      s.text.textContent = s.label;
      if (value === null || !s.sorted || s.kind !== 'curve' || !s.x.length) continue;
      const i = placeOf(s.x, value),
        next = Math.min(i + 1, s.x.length - 1),
        nearest = Math.abs(s.x[next] - value) < Math.abs(s.x[i] - value) ? next : i;
      s.text.textContent += `: ${readable(s.y[nearest], 5)}${this.unit ? ` ${this.unit}` : ''}`;
    }
    this.at.textContent =
      value === null
        ? touched
          ? 'Touch for values'
          : `Point for values; drag${this.wheel ? ' or wheel' : ''} to zoom, double click for all`
        : `${this.x.label.split(',')[0]} ${readable(value, 5)}${this.x.label.includes(',') ? this.x.label.slice(this.x.label.indexOf(',') + 1) : ''}`;
    this.cursor?.setAttribute('d', value === null || !this.box ? '' : `M${this.px(value)} ${this.box.top}V${this.box.bottom}`);
  }
}

export const charts = [];
function drawAll() {
  for (const c of charts) {
    c.fillKeys();
    c.draw();
  }
}
for (const figure of document.querySelectorAll('figure.chart')) {
  const script = figure.querySelector('script');
  if (script) new Chart(figure, JSON.parse(script.textContent), charts);
}
drawAll();
let lastWidth = window.innerWidth;
window.addEventListener('resize', () => {
  if (window.innerWidth === lastWidth) return; // a bar of the browser that comes and goes
  lastWidth = window.innerWidth;
  for (const c of charts) c.draw();
});
for (const media of [night, onPaper]) media.addEventListener('change', drawAll);
window.grashofCharts = charts;
