// All that a user can switch: each option is declared once, with its control, key and meaning.
import { $, emit, on } from './state.js';

const options = new Map();

// kind: toggle, choice (`values`: { name: label }), range (`low`, `high`, `step`) or action (`act`).
export function declare(id, spec) {
  options.set(id, { id, ...spec });
}
export function option(id) {
  return options.get(id).value;
}
export const optionList = () => [...options.values()];

export function setOption(id, value) {
  const o = options.get(id);
  if (o.kind === 'action') {
    o.act();
    return;
  }
  if (o.kind === 'choice' && !(value in o.values)) return;
  o.value = o.kind === 'range' ? Math.max(o.low, Math.min(o.high, +value)) : value;
  reflect(o);
  emit('option', id);
  emit(`option:${id}`, o.value);
}
export const whenOption = (id, f) => on(`option:${id}`, f);

// What a key does: it switches, goes to the next choice, or acts.
export function advance(id, back = false) {
  const o = options.get(id);
  if (o.kind === 'action') o.act();
  else if (o.kind === 'toggle') setOption(id, !o.value);
  else if (o.kind === 'choice') {
    const names = Object.keys(o.values);
    setOption(id, names[(names.indexOf(o.value) + (back ? names.length - 1 : 1)) % names.length]);
  } else $(id).focus();
}

function reflect(o) {
  const control = $(o.id);
  if (!control) return;
  if (o.kind === 'toggle') control.setAttribute('aria-pressed', String(o.value));
  else if (o.kind !== 'action') control.value = o.value;
}

// The control of an option.
function controlOf(o) {
  const title = `${o.tip ?? o.label}${o.key ? ` (key ${o.key.toUpperCase()})` : ''}`;
  if (o.kind === 'toggle' || o.kind === 'action') {
    const button = document.createElement('button');
    button.id = o.id;
    button.textContent = o.label;
    button.title = title;
    if (o.kind === 'toggle') button.setAttribute('aria-pressed', String(o.value));
    button.addEventListener('click', () => advance(o.id));
    return button;
  }
  const label = document.createElement('label');
  label.title = title;
  label.append(`${o.label} `);
  const control = document.createElement(o.kind === 'choice' ? 'select' : 'input');
  control.id = o.id;
  if (o.kind === 'choice') for (const [name, text] of Object.entries(o.values)) control.add(new Option(text, name));
  else Object.assign(control, { type: 'range', min: o.low, max: o.high, step: o.step });
  control.value = o.value;
  control.addEventListener('input', () => setOption(o.id, control.value));
  label.append(control);
  return label;
}

// Fills a panel with the controls, section by section.
export function buildControls(panel) {
  const sections = new Map();
  for (const o of options.values()) {
    if (!sections.has(o.section)) {
      const box = document.createElement('fieldset'),
        legend = document.createElement('legend');
      legend.textContent = o.section;
      box.append(legend);
      sections.set(o.section, box);
      panel.append(box);
    }
    sections.get(o.section).append(controlOf(o));
  }
}

declare('lookFront', { section: 'Look', kind: 'action', label: 'Front', key: '1', tip: 'Look along +y', act: () => emit('look', 0, 0) });
declare('lookSide', { section: 'Look', kind: 'action', label: 'Side', key: '2', tip: 'Look along -x', act: () => emit('look', 90, 0) });
declare('lookTop', { section: 'Look', kind: 'action', label: 'Top', key: '3', tip: 'Look down', act: () => emit('look', 0, 90) });
declare('lookOblique', {
  section: 'Look',
  kind: 'action',
  label: 'Oblique',
  key: '4',
  tip: 'From the front, a little above',
  act: () => emit('look', 24, 18),
});
declare('fit', {
  section: 'Look',
  kind: 'action',
  label: 'Fit',
  key: '0',
  tip: 'Its whole motion in sight, clear of the panels; again: as it stands first',
  act: () => emit('fit'),
});
declare('ortho', { section: 'Look', kind: 'toggle', label: 'Orthographic', key: 'o', value: false, tip: 'Without perspective' });
declare('follow', {
  section: 'Look',
  kind: 'choice',
  label: 'Follow',
  key: 'f',
  value: 'auto',
  values: { auto: 'what travels', chosen: 'the chosen body', off: 'nothing' },
  tip: 'What the camera goes along with',
});

declare('joints', {
  section: 'Show',
  kind: 'toggle',
  label: 'Joints',
  key: 'j',
  value: true,
  tip: 'Symbols of joints, and where they are fixed to the world',
});
declare('contacts', {
  section: 'Show',
  kind: 'toggle',
  label: 'Contacts',
  key: 'c',
  value: true,
  tip: 'Forces of contacts: on the second body, on the one that moves against the world',
});
declare('reactions', {
  section: 'Show',
  kind: 'toggle',
  label: 'Reactions',
  key: 'r',
  value: false,
  tip: 'Forces of joints on their followers',
});
declare('numbers', { section: 'Show', kind: 'toggle', label: 'Numbers', key: 'n', value: true, tip: 'The largest forces in newtons' });
declare('arrowScale', {
  section: 'Show',
  kind: 'range',
  label: 'Arrows',
  key: 'a',
  value: 0,
  low: -1.5,
  high: 1.5,
  step: 0.05,
  tip: 'Length of the arrows; in the middle, 95 % of the forces fit',
});
declare('trace', {
  section: 'Show',
  kind: 'action',
  label: 'Trace point',
  key: 't',
  tip: 'The path of the point that was clicked: adds or removes it; of nothing chosen: removes all',
  act: () => emit('trace'),
});
declare('ghosts', {
  section: 'Show',
  kind: 'choice',
  label: 'Ghosts',
  key: 'g',
  value: '0',
  values: { 0: 'none', 3: '3', 5: '5', 9: '9' },
  tip: 'Poses at even intervals of the run',
});
declare('sweep', {
  section: 'Show',
  kind: 'toggle',
  label: 'Swept volume',
  key: 's',
  value: false,
  tip: 'What the chosen body, or all, pass through',
});
declare('colours', {
  section: 'Show',
  kind: 'choice',
  label: 'Colours',
  key: 'l',
  value: 'parts',
  values: { parts: 'parts', load: 'load now', peak: 'peak load' },
  tip: 'By part, or by the largest force on a body in its joints and contacts',
});
declare('which', {
  section: 'Show',
  kind: 'choice',
  label: 'Shapes',
  key: 'v',
  value: 'all',
  values: { all: 'all', collision: 'that collide', visual: 'that do not' },
});
declare('edges', { section: 'Show', kind: 'toggle', label: 'Edges', key: 'e', value: true });
declare('wire', { section: 'Show', kind: 'toggle', label: 'Wireframe', key: 'w', value: false });
declare('ground', {
  section: 'Show',
  kind: 'toggle',
  label: 'Ground',
  key: 'b',
  value: true,
  tip: 'Ground, or a grid below where there is none',
});
declare('shadows', { section: 'Show', kind: 'toggle', label: 'Shadows', key: 'h', value: true });
declare('dark', { section: 'Show', kind: 'toggle', label: 'Dark', key: 'd', value: false });

declare('section', {
  section: 'Cut and measure',
  kind: 'choice',
  label: 'Section',
  key: 'k',
  value: 'off',
  values: { off: 'none', x: 'across x', y: 'across y', z: 'across z' },
  tip: 'Cuts everything away in front of a plane',
});
declare('sectionAt', {
  section: 'Cut and measure',
  kind: 'range',
  label: 'at',
  value: 0,
  low: -1,
  high: 1,
  step: 0.01,
  tip: 'Where the plane is',
});
declare('measure', {
  section: 'Cut and measure',
  kind: 'choice',
  label: 'Measure',
  key: 'm',
  value: 'off',
  values: { off: 'nothing', distance: 'distance of 2 points', angle: 'angle of 3 points' },
  tip: 'Click the points; near joints they snap',
});
