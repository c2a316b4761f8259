// Frames of a film, as a document that a program reads: page.html#film={"first", "count", "fps", "width", "height", "scale", ...}.
import { choose, run, show } from './state.js';
import { optionList, setOption } from './options.js';
import { resizeStage, snapshot } from './stage.js';
import { layOut, lookFrom, near, wayOf } from './camera.js';

// What is wrong with `options`, as { id: value }; empty: nothing.
function defectOf(options) {
  for (const [id, value] of Object.entries(options)) {
    const o = optionList().find((known) => known.id === id && known.kind !== 'action');
    if (!o)
      return `there is no '${id}' (${optionList()
        .filter((known) => known.kind !== 'action')
        .map((known) => known.id)
        .join(', ')})`;
    const possible = o.kind === 'toggle' ? ['true', 'false'] : o.kind === 'choice' ? Object.keys(o.values) : null;
    if (possible ? !possible.includes(value) : !(value >= o.low && value <= o.high))
      return `${id} may be ${possible ? possible.join(', ') : `${o.low} to ${o.high}`}`;
  }
  return '';
}

export function film(wanted) {
  const list = document.createElement('pre'),
    options = wanted.options ?? {},
    defect = defectOf(options);
  list.id = 'pictures';
  document.body.append(list);
  if (defect) {
    list.textContent = `error: ${defect}`;
    return;
  }
  document.body.classList.add('film');
  const size = { width: wanted.width / wanted.scale, height: wanted.height / wanted.scale };
  resizeStage(size.width, size.height, wanted.scale);
  layOut(size);
  setOption('dark', false);
  for (const [id, value] of Object.entries(options)) setOption(id, value === 'true' || (value !== 'false' && value));
  if (wanted.follow >= 0) {
    choose({ kind: 'body', index: wanted.follow });
    setOption('follow', 'chosen');
  }
  show(0);
  lookFrom(wayOf(wanted.azimuth, wanted.elevation), true);
  near(wanted.zoom);
  const pictures = [];
  let frame = 0;
  for (let i = 0; i < wanted.first + wanted.count; ++i) {
    while (frame + 1 < run.frames && run.times[frame + 1] <= wanted.start + i / wanted.fps + 1e-6) ++frame;
    if (i < wanted.first) continue;
    show(frame);
    pictures.push(snapshot());
  }
  list.textContent = pictures.join('\n');
}
