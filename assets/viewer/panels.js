// Panels: the list of parts, options, help; and keys.
import { $, choose, data, emit, on, run, show, state } from './state.js';
import { advance, buildControls, optionList, setOption, whenOption } from './options.js';
import { background, redraw } from './stage.js';
import { near, resize, turn } from './camera.js';
import { faster, toMark } from './timeline.js';

function fillList() {
  const wanted = $('search').value.toLowerCase();
  $('list').replaceChildren();
  for (const [kind, title, all] of [
    ['body', 'Bodies', run.model.bodies],
    ['joint', 'Joints', run.model.joints],
  ]) {
    const some = all.map((part, index) => ({ name: part.name, index })).filter(({ name }) => name.toLowerCase().includes(wanted));
    if (!some.length) continue;
    const h = document.createElement('h2');
    h.textContent = title;
    $('list').append(
      h,
      ...some.map(({ name, index }) => {
        const button = document.createElement('button');
        button.textContent = name;
        Object.assign(button.dataset, { kind, index });
        button.addEventListener('click', () => choose({ kind, index }));
        return button;
      }),
    );
  }
  markChosen();
}
function markChosen() {
  for (const button of $('list').querySelectorAll('button'))
    button.setAttribute(
      'aria-pressed',
      String(!!state.chosen && button.dataset.kind === state.chosen.kind && +button.dataset.index === state.chosen.index),
    );
}
$('search').addEventListener('input', fillList);
on('choose', markChosen);

// Panels open and close; on a phone one at a time.
const panels = ['parts', 'side', 'view', 'live', 'help'];
const isPhone = () => window.matchMedia('(max-width: 760px), (max-height: 480px)').matches;
export function openPanel(id, wanted) {
  if (wanted && isPhone()) for (const other of panels) if (other !== id) setPanel(other, false);
  if (wanted && id === 'view') setPanel('parts', false);
  if (wanted && id === 'parts') setPanel('view', false);
  setPanel(id, wanted);
  resize();
}
function setPanel(id, wanted) {
  $(id).hidden = !wanted;
  $(`open-${id}`)?.setAttribute('aria-pressed', String(wanted));
}
for (const id of panels) $(`open-${id}`).addEventListener('click', () => openPanel(id, $(id).hidden));

function fillHelp() {
  const keys = [
    ['Space', 'play, pause'],
    ['← →', 'one frame back, on'],
    ['Home End', 'start, end'],
    ['[ ]', 'mark before, after'],
    [', .', 'slower, faster'],
    ['Shift + arrows', 'turn the view'],
    ['+ -', 'nearer, farther'],
    ['/', 'find a part'],
    ['P', 'list of parts'],
    ['U', 'values'],
    ['I', 'options'],
    ['Y', 'control of a live run'],
    ['Esc', 'choose nothing'],
    ['?', 'this help'],
    ...optionList()
      .filter((o) => o.key)
      .map((o) => [o.key.toUpperCase(), o.tip ?? o.label]),
  ];
  $('keys').replaceChildren(
    ...keys.map(([key, what]) => {
      const row = document.createElement('tr'),
        a = document.createElement('th'),
        b = document.createElement('td');
      a.textContent = key;
      b.textContent = what;
      row.append(a, b);
      return row;
    }),
  );
}

const shortcuts = {
  ' ': () => $('play').click(),
  ArrowLeft: () => $('back').click(),
  ArrowRight: () => $('next').click(),
  Home: () => {
    emit('halt');
    show(0);
  },
  End: () => {
    emit('halt');
    show(run.frames - 1);
  },
  '[': () => toMark(-1),
  ']': () => toMark(1),
  ',': () => faster(-1),
  '.': () => faster(1),
  '+': () => near(1.15),
  '-': () => near(1 / 1.15),
  '=': () => near(1.15),
  '/': () => {
    openPanel('parts', true);
    $('search').focus();
  },
  '?': () => $('open-help').click(),
  p: () => $('open-parts').click(),
  u: () => $('open-side').click(),
  i: () => $('open-view').click(),
  y: () => {
    if (data.live) $('open-live').click();
  },
  Escape: () => {
    if (!$('help').hidden) openPanel('help', false);
    else if (state.chosen) choose(null);
  },
};
const turns = { ArrowLeft: [-6, 0], ArrowRight: [6, 0], ArrowUp: [0, 6], ArrowDown: [0, -6] };
window.addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const { tagName, type, id } = e.target;
  if (tagName === 'TEXTAREA' || (tagName === 'INPUT' && type !== 'range' && e.key !== 'Escape')) return;
  if (
    /^(SELECT|BUTTON|INPUT)$/.test(tagName) &&
    id !== 'scrub' &&
    (e.key === ' ' || e.key.startsWith('Arrow') || e.key === 'Home' || e.key === 'End') &&
    tagName !== 'BUTTON'
  )
    return;
  if (tagName === 'BUTTON' && e.key === ' ') return;
  const way = e.shiftKey && turns[e.key];
  const known = optionList().find((o) => o.key === e.key.toLowerCase());
  if (way) turn(...way);
  else if (shortcuts[e.key]) shortcuts[e.key]();
  else if (known) advance(known.id, e.shiftKey);
  else return;
  e.preventDefault();
});

whenOption('dark', (dark) => {
  document.documentElement.classList.toggle('dark', dark);
  background.set(dark ? '#14181e' : '#eef0f2');
  emit('theme', dark);
  redraw();
});

export function startPanels() {
  buildControls($('options'));
  fillHelp();
  fillList();
  for (const id of panels) setPanel(id, (id === 'parts' || id === 'side') && !isPhone() && window.innerWidth > 900);
  if (!data.live) $('open-live').hidden = true;
  else if (!isPhone()) {
    setPanel('live', true);
    setPanel('side', false);
  }
  setOption('dark', window.matchMedia('(prefers-color-scheme: dark)').matches);
  window.addEventListener('resize', resize);
}
