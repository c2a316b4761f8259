// A run that goes on: its new frames come from the program that serves this page, and commands go to it.
import { $, data, emit, on, run, show, state } from './state.js';
import { option, optionList, setOption } from './options.js';
import { readable } from './series.js';
import { currentWay, lookFrom } from './camera.js';
import { fillSide } from './plots.js';

const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
const live = data.live; // state, setup, and `dragging`: a pointer drags bodies
const pollEvery = 60,
  fillEvery = 500; // ms
let following = true; // the newest frame is shown
let busy = Promise.resolve(),
  ended = false;

function say(text, bad = false) {
  $('said').textContent = text;
  $('said').classList.toggle('bad', bad);
}

// Commands go one after another; of those of one kind that wait, the last alone is sent.
const waiting = new Map();
function command(what, kind = null) {
  if (!token) {
    say('this page only watches: to control the run, open the whole address that the program has printed', true);
    return busy;
  }
  if (kind) {
    const first = !waiting.has(kind);
    waiting.set(kind, what);
    if (!first) return busy;
  }
  busy = busy.then(async () => {
    const body = kind ? waiting.get(kind) : what;
    waiting.delete(kind);
    try {
      const answer = await (
        await fetch('do', {
          method: 'POST',
          headers: { 'X-Grashof-Token': token, 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).json();
      if (answer.error) say(answer.error, true);
      else {
        if (answer.said) say(answer.said);
        reflect(answer.state);
      }
    } catch {
      say('the program does not answer', true);
    }
  });
  return busy;
}

const node = (tag, more = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), more);
  made.append(...children);
  return made;
};

// The panel. Its parts have names for tests and labels.
function build() {
  const button = (id, text, act, title = '') => {
    const made = node('button', { id, textContent: text, title });
    made.addEventListener('click', act);
    return made;
  };
  const speed = node(
    'select',
    { id: 'liveSpeed' },
    ...[0.1, 0.25, 0.5, 1, 2, 5].map((s) => new Option(`${s} x real time`, s, s === 1, s === 1)),
  );
  speed.addEventListener('input', () => command({ do: 'speed', value: +speed.value }));
  $('live').replaceChildren(
    node('h1', { textContent: 'Live' }),
    node('p', { id: 'liveTime', className: 'said' }),
    node(
      'div',
      { className: 'row' },
      button('liveRun', 'Pause', () => command({ do: live.state.playing ? 'pause' : 'play' })),
      button('liveStep', 'Step', () => command({ do: 'step', count: 1 }), 'One step of the run'),
      button('liveReset', 'Reset', () => command({ do: 'reset' }), 'Starts again; parameters stay'),
      speed,
    ),
    node(
      'div',
      { className: 'row' },
      button(
        'liveDrag',
        'Drag bodies',
        () => {
          live.dragging = !live.dragging;
          $('liveDrag').setAttribute('aria-pressed', String(live.dragging));
        },
        'A spring between the body and the pointer; also with the shift key held',
      ),
      node(
        'label',
        { title: 'Strength of the spring' },
        'strength',
        Object.assign(node('input', { id: 'dragStrength', type: 'range', min: -1, max: 1.5, step: 0.1, value: 0 })),
      ),
    ),
    node(
      'div',
      { className: 'row' },
      button('liveRecord', 'Record', () => command({ do: 'record', on: !live.state.recording }), 'Into a new folder of results'),
    ),
    node('p', { id: 'said', className: 'said', role: 'status' }),
    node('div', { id: 'setup' }),
  );
  $('liveDrag').setAttribute('aria-pressed', 'false');
  buildSetup();
}

// A slider with its value and a button that gives it up.
function slider({ id, label, low, high, value, unit, give, act, release }) {
  const shown = node('span', { id: `${id}-value` }),
    input = node('input', { id, type: 'range', min: low, max: high, step: (high - low) / 400, value: value ?? 0 });
  const write = () => {
    shown.textContent = `${readable(+input.value)} ${unit}`;
  };
  input.setAttribute('aria-label', label);
  input.addEventListener('input', () => {
    write();
    act(+input.value);
  });
  const own = node('button', { id: `${id}-own`, textContent: give, title: release.title });
  own.addEventListener('click', release.act);
  if (value !== null && value !== undefined) write();
  else shown.textContent = give;
  return node('div', { className: 'slider' }, node('span', { textContent: label }), shown, own, input);
}

// Sliders and fields of what can be changed, for the model as it is.
function buildSetup() {
  const { actuators, solvers, solver, timestep, parameters, overrides } = live.setup,
    parts = [];
  if (actuators.length) parts.push(node('h2', { textContent: 'Actuators' }));
  actuators.forEach((a, i) =>
    parts.push(
      slider({
        id: `actuator-${i}`,
        label: `${a.name} (${a.kind})`,
        low: a.low,
        high: a.high,
        unit: a.unit,
        value: live.state.controls[i],
        give: 'own signal',
        act: (value) => command({ do: 'control', actuator: i, value }, `actuator ${i}`),
        release: { title: 'Back to the signal of the scenario', act: () => command({ do: 'control', actuator: i, value: null }) },
      }),
    ),
  );
  const motions = parameters.filter(
    (p) =>
      p.path.startsWith('motion[') &&
      /\.(value|amplitude|frequency|phase)$/.test(p.path) &&
      Number.isFinite(+p.value) &&
      p.value.trim() !== '',
  );
  if (motions.length) parts.push(node('h2', { textContent: 'Motions' }));
  motions.forEach((p, i) => {
    const size = Math.max(2 * Math.abs(+p.value), 1e-9) || 1,
      signed = !p.path.endsWith('frequency');
    parts.push(
      slider({
        id: `motion-${i}`,
        label: p.path,
        low: signed ? -Math.max(size, 1) : 0,
        high: Math.max(size, 1),
        unit: '',
        value: +p.value,
        give: 'of the file',
        act: (value) => command({ do: 'set', path: p.path, value: String(value), keep: true }, p.path),
        release: { title: 'Back to the value of the file', act: () => command({ do: 'unset', path: p.path, keep: true }) },
      }),
    );
  });
  const choice = node(
    'select',
    { id: 'liveSolver', ariaLabel: 'Solver' },
    ...solvers.map((name) => new Option(name, name, name === solver, name === solver)),
  );
  choice.addEventListener('input', () => command({ do: 'set', path: 'solver.name', value: choice.value, keep: true }));
  const step = node('input', { id: 'liveTimestep', type: 'text', value: String(timestep), inputMode: 'decimal' });
  step.addEventListener('change', () => command({ do: 'set', path: 'options.timestep', value: step.value, keep: true }));
  const path = node('input', { id: 'path', type: 'text', placeholder: 'body[crank].inertial.mass' }),
    value = node('input', { id: 'value', type: 'text', placeholder: 'value' });
  path.setAttribute('list', 'paths');
  for (const [field, label] of [
    [step, 'Time step, s'],
    [path, 'Attribute'],
    [value, 'Its value'],
  ])
    field.setAttribute('aria-label', label);
  choice.setAttribute('aria-label', 'Solver');
  path.addEventListener('input', () => {
    const known = parameters.find((p) => p.path === path.value);
    if (known) value.value = known.value;
  });
  const set = (keep) => {
    if (path.value) command({ do: 'set', path: path.value.trim(), value: value.value.trim(), keep });
  };
  const restart = node('button', { id: 'liveSet', textContent: 'Set and start again' }),
    goOn = node('button', { id: 'liveSetKeep', textContent: 'Set and go on' });
  restart.addEventListener('click', () => set(false));
  goOn.addEventListener('click', () => set(true));
  parts.push(
    node('h2', { textContent: 'Solver and time step, s' }),
    node('div', { className: 'row' }, choice, step),
    node('h2', { textContent: 'Any attribute of the file' }),
    node('div', { className: 'row' }, path, value),
    node('div', { className: 'row' }, restart, goOn),
    node('datalist', { id: 'paths' }, ...parameters.map((p) => new Option(p.value, p.path))),
    node(
      'div',
      { id: 'overrides' },
      ...overrides.map((o) => {
        const off = node('button', { textContent: '×', title: 'Back to the value of the file, from the start' });
        off.setAttribute('aria-label', `${o.path} as in the file`);
        off.addEventListener('click', () => command({ do: 'unset', path: o.path, keep: false }));
        return node('div', { className: 'row' }, off, node('span', { textContent: `${o.path} = ${o.value}` }));
      }),
    ),
  );
  $('setup').replaceChildren(...parts);
}

// What the program says of the run.
function reflect(now) {
  const before = live.state;
  live.state = now;
  $('liveRun').textContent = now.playing && !now.ended ? 'Pause' : 'Run';
  $('liveRun').disabled = $('liveStep').disabled = now.ended;
  $('liveRecord').textContent = now.recording ? 'Stop recording' : 'Record';
  $('liveRecord').setAttribute('aria-pressed', String(!!now.recording));
  if (document.activeElement !== $('liveSpeed')) $('liveSpeed').value = now.speed;
  $('liveTime').textContent =
    `${now.time.toFixed(3)} s, ${now.ended ? 'ended' : now.playing ? 'running' : 'standing'}${now.recording ? `, recording to ${now.recording}` : ''}`;
  if (now.message !== before.message && now.message) say(now.message, now.defects.length > 0 || now.message.startsWith('diverged'));
  live.setup.actuators.forEach(({ unit }, i) => {
    if (waiting.has(`actuator ${i}`) || !$(`actuator-${i}`)) return; // it is being moved
    const value = now.controls[i];
    $(`actuator-${i}-value`).textContent = value === null ? 'by the file' : `${readable(value)} ${unit}`;
    if (value !== null && document.activeElement !== $(`actuator-${i}`)) $(`actuator-${i}`).value = value;
  });
  if (JSON.stringify(now.defects) !== JSON.stringify(before.defects)) showDefects(now.defects);
  if (now.ended && !ended) document.title += ' (ended)';
  if (!now.ended && ended) document.title = document.title.replace(/ \(ended\)$/, '');
  ended = now.ended;
}

// What is wrong in the file, at its lines.
function showDefects(defects) {
  $('trouble').hidden = !defects.length;
  $('trouble').replaceChildren(
    node('h1', { textContent: defects.length === 1 ? 'The file is wrong' : `The file is wrong in ${defects.length} places` }),
    ...defects.flatMap((d) => [
      node('div', { textContent: `${d.file}${d.line ? `:${d.line}` : ''}${d.element ? `: ${d.element}` : ''}: ${d.message}` }),
      ...(d.source.length
        ? [
            node(
              'pre',
              {},
              ...d.source.flatMap(({ line, text }) => {
                const row = `${String(line).padStart(5)}  ${text}\n`;
                return [line === d.line ? node('b', { textContent: row }) : row];
              }),
            ),
          ]
        : []),
    ]),
  );
  emit('resize');
}

// A page of another model is loaded again, and looks as before.
function keepLook() {
  const way = currentWay();
  sessionStorage.setItem(
    'grashof',
    JSON.stringify({
      way: way.toArray(),
      options: Object.fromEntries(
        optionList()
          .filter((o) => o.kind !== 'action')
          .map((o) => [o.id, option(o.id)]),
      ),
      chosen: state.chosen && {
        kind: state.chosen.kind,
        name: run.model[state.chosen.kind === 'body' ? 'bodies' : 'joints'][state.chosen.index].name,
      },
    }),
  );
}
function lookAsBefore() {
  const kept = JSON.parse(sessionStorage.getItem('grashof') ?? 'null');
  sessionStorage.removeItem('grashof');
  if (!kept) return;
  for (const [id, value] of Object.entries(kept.options)) setOption(id, value);
  lookFrom(new THREE.Vector3().fromArray(kept.way));
  const index = kept.chosen
    ? run.model[kept.chosen.kind === 'body' ? 'bodies' : 'joints'].findIndex((part) => part.name === kept.chosen.name)
    : -1;
  if (index >= 0) {
    state.chosen = { kind: kept.chosen.kind, index };
    emit('choose');
  }
}

async function poll(first) {
  let { model, take, setup } = first; // what this page has
  let filled = 0,
    unanswered = 0,
    setupIsOld = false;
  for (;;) {
    try {
      const had = run.frames,
        intervals = Math.max(0, run.series.times.length - 1);
      const { state: now, more } = await (
        await fetch(`more?take=${take}&frames=${run.frames}&intervals=${intervals}&epoch=${run.series.epoch}`)
      ).json();
      unanswered = 0;
      if (now.model !== model) {
        keepLook();
        location.reload();
        return;
      }
      const again = now.take !== take;
      if (again) run.forget();
      take = now.take;
      if (now.setup !== setup) {
        live.setup = await (await fetch('setup')).json();
        live.state.controls = now.controls;
        setupIsOld = true;
        setup = now.setup;
      }
      if (setupIsOld && !$('setup').contains(document.activeElement)) {
        // A control that is held, or written into, stays.
        buildSetup();
        setupIsOld = false;
      }
      reflect(now);
      if (more.count > 0 || again) {
        run.take(more);
        emit('data');
        show(following && !state.playing ? run.frames - 1 : state.frame);
        if (performance.now() - filled > fillEvery || had === 0) {
          fillSide();
          filled = performance.now();
        }
      } else if (now.ended && filled > 0) {
        run.take(more);
        emit('data');
        fillSide();
        filled = 0;
      }
    } catch {
      if (++unanswered === 5) say('the program does not answer', true);
    }
    await new Promise((done) => setTimeout(done, unanswered ? 1000 : pollEvery));
  }
}

on('frame', () => {
  following = state.frame >= run.frames - 1;
});
const point = (v) => v.toArray().map((x) => +x.toPrecision(9));
on('grab', (body, local, target) =>
  command({ do: 'drag', body, point: point(local), target: point(target), strength: 10 ** +$('dragStrength').value }, 'drag'),
);
on('drop', () => command({ do: 'drop' }));

export function startLive() {
  live.dragging = false;
  build();
  const first = live.state;
  live.state = { ...first, defects: [], message: '' };
  reflect(first);
  lookAsBefore();
  show(run.frames - 1);
  poll(first);
}
