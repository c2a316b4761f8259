// Frames of a film, as a document that a program reads: page.html#film={"first", "count", "fps", "width", "height", ...}.
import { choose, run, show } from './state.js';
import { setOption } from './options.js';
import { resizeStage, snapshot } from './stage.js';
import { layOut, lookFrom, near, wayOf } from './camera.js';

export function film(wanted) {
  document.body.classList.add('film');
  resizeStage(wanted.width, wanted.height, 1);
  layOut({ width: wanted.width, height: wanted.height });
  setOption('dark', !!wanted.dark);
  for (const [id, value] of Object.entries(wanted.options ?? {})) setOption(id, value);
  if (wanted.follow >= 0) {
    choose({ kind: 'body', index: wanted.follow });
    setOption('follow', 'chosen');
  }
  show(0);
  lookFrom(wayOf(wanted.azimuth, wanted.elevation));
  near(wanted.zoom);
  const pictures = [];
  let frame = 0;
  for (let i = 0; i < wanted.first + wanted.count; ++i) {
    while (frame + 1 < run.frames && run.times[frame + 1] <= wanted.start + i / wanted.fps + 1e-6) ++frame;
    if (i < wanted.first) continue;
    show(frame);
    pictures.push(snapshot());
  }
  const list = document.createElement('pre');
  list.id = 'pictures';
  list.textContent = pictures.join('\n');
  document.body.append(list);
}
