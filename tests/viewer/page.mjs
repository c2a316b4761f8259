// The page of a run, used as a person uses it: pointer, keyboard and touch.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { claim, folder, near, open, option, phone, pictures, run, scenario } from './support.mjs';

const state = (tab) => tab.evaluate(() => ({ frame: grashof.state.frame, playing: grashof.state.playing, chosen: grashof.state.chosen }));
const rest = (tab) => tab.evaluate(() => document.activeElement.blur());

export async function testPage() {
  run('run', scenario('neck'), '--duration', '2', '--csv', '--quiet', '--view', '--set', 'output.interval=0.05', '--out', folder);
  const rows = readFileSync(join(folder, 'neck/trajectory.csv'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const recorded = (time, channel) => {
    const row = rows.slice(1).reduce((a, b) => (Math.abs(b[0] - time) < Math.abs(a[0] - time) ? b : a));
    return +row[rows[0].indexOf(channel)];
  };
  const info = JSON.parse(run('info', join(folder, 'neck'), '--json'))[0].channels;
  const page = join(folder, 'neck/view.html');

  await claim('plays at once and begins again at its end; stands still for who wants less motion', async () => {
    const moving = await open(page, { motion: true });
    assert.equal((await state(moving.tab)).playing, true);
    await moving.tab.waitForFunction(() => grashof.state.frame > 2);
    await moving.tab.evaluate(() => {
      grashof.state.clock = 1.999;
    });
    await moving.tab.waitForFunction(() => grashof.state.frame > 100);
    await moving.tab.waitForFunction(() => grashof.state.frame < 60);
    assert.equal((await state(moving.tab)).playing, true);
    await option(moving.tab, 'repeat', false);
    await moving.tab.evaluate(() => {
      grashof.state.clock = 1.999;
    });
    await moving.tab.waitForFunction(() => !grashof.state.playing);
    assert.equal((await state(moving.tab)).frame, 120);
    await moving.close();
  });

  const { tab, close } = await open(page);
  assert.deepEqual([(await state(tab)).playing, (await state(tab)).frame], [false, 0]);

  await claim('first of all are the efforts of drives, then loads, and last what tells of the solver, each with its unit', async () => {
    const plots = await tab.evaluate(() => {
      grashof.show(30);
      return grashof.plotList().map((p) => ({ name: p.name, value: p.output.textContent }));
    });
    await tab.evaluate(() => grashof.show(0));
    const order = plots.map(({ name }) =>
      ['effort', 'reaction', 'contact', 'energy', 'residual', 'solver'].findIndex((word) => name.includes(word)),
    );
    assert.deepEqual(
      order,
      [...order].sort((a, b) => a - b),
      plots.map(({ name }) => name).join(' '),
    );
    assert.ok(order[0] === 0 && order.includes(1) && order.includes(3), `${order}`);
    for (const { name, value } of plots)
      if (!name.startsWith('solver'))
        assert.match(value, name.includes('effort') ? / N m$/ : name.includes('reaction') ? / N$/ : / (J|N|m, rad|m)$/, name);
  });

  await claim('plays, pauses, scrubs and steps', async () => {
    await tab.getByRole('button', { name: 'Play', exact: true }).click();
    await tab.waitForFunction(() => grashof.state.frame > 5);
    await tab.getByRole('button', { name: 'Pause' }).click();
    assert.equal((await state(tab)).playing, false);
    await tab.getByRole('slider', { name: 'Time' }).fill('60');
    assert.equal((await state(tab)).frame, 60);
    await tab.getByRole('button', { name: 'One frame on' }).click();
    assert.equal((await state(tab)).frame, 61);
    await rest(tab);
    for (const [key, frame] of [
      ['ArrowLeft', 60],
      ['End', 120],
      ['Home', 0],
      ['ArrowRight', 1],
    ]) {
      await tab.keyboard.press(key);
      assert.equal((await state(tab)).frame, frame, key);
    }
    await tab.keyboard.press(' ');
    assert.equal((await state(tab)).playing, true);
    await tab.keyboard.press(' ');
    await tab.keyboard.press('.');
    assert.equal(await tab.locator('#speed').inputValue(), '2');
    await tab.keyboard.press(',');
  });

  await claim('every control is reached by Tab, and every key does what its control does', async () => {
    await tab.keyboard.press('i');
    assert.equal(await tab.locator('#view').isVisible(), true);
    const ids = await tab.evaluate(() => grashof.optionList().map((o) => o.id));
    const reached = new Set();
    await rest(tab);
    for (let i = 0; i < ids.length + 30; ++i) {
      await tab.keyboard.press('Tab');
      reached.add(await tab.evaluate(() => document.activeElement.id));
    }
    for (const id of [...ids, 'scrub', 'play', 'back', 'next', 'speed', 'open-parts', 'open-view', 'open-side', 'open-help'])
      assert.ok(reached.has(id), `Tab does not reach ${id}`);
    await rest(tab);
    for (const o of await tab.evaluate(() =>
      grashof
        .optionList()
        .filter((x) => x.key && (x.kind === 'toggle' || x.kind === 'choice'))
        .map(({ id, key, value, kind }) => ({ id, key, value, kind })),
    )) {
      await tab.keyboard.press(o.key);
      const now = await tab.evaluate(
        (id) => [grashof.option(id), document.getElementById(id).getAttribute('aria-pressed') ?? document.getElementById(id).value],
        o.id,
      );
      assert.notEqual(now[0], o.value, o.id);
      assert.equal(String(now[0]), now[1], `the control of ${o.id} shows its value`);
      await tab.evaluate(([id, value]) => grashof.setOption(id, value), [o.id, o.value]);
    }
    await tab.keyboard.press('?');
    assert.equal(await tab.locator('#help').isVisible(), true);
    await tab.keyboard.press('Escape');
    assert.equal(await tab.locator('#help').isVisible(), false);
    await tab.keyboard.press('p');
    for (const [key, panel] of [
      ['p', 'parts'],
      ['u', 'side'],
      ['i', 'view'],
    ]) {
      const before = await tab.locator(`#${panel}`).isVisible();
      await tab.keyboard.press(key);
      assert.equal(await tab.locator(`#${panel}`).isVisible(), !before, key);
      await tab.keyboard.press(key);
    }
    if (!(await tab.locator('#parts').isVisible())) await tab.keyboard.press('p');
  });

  await claim('a click chooses the body that is there, and Escape lets it go', async () => {
    const [x, y] = await tab.evaluate(() => grashof.onScreen('head'));
    await tab.mouse.click(x, y);
    assert.deepEqual((await state(tab)).chosen, { kind: 'body', index: 0 });
    assert.equal(await tab.locator('#title').textContent(), 'head');
    assert.ok((await tab.locator('#plots').textContent()).includes('speed of the point that was clicked'));
    await tab.keyboard.press('Escape');
    assert.equal((await state(tab)).chosen, null);
    await tab.keyboard.press('/');
    await tab.keyboard.type('left');
    assert.equal(await tab.locator('#list button').count(), 5);
    await tab.getByRole('searchbox', { name: 'Find a body or joint' }).fill('');
    await tab.getByRole('button', { name: 'neck', exact: true }).click();
    assert.equal(await tab.locator('#title').textContent(), 'neck');
  });

  await claim('any channel is found, kept, and tells its peak as `info` does', async () => {
    await tab.locator('#all summary').click();
    for (const name of [
      'body.left-crank.angular-velocity.y',
      'joint.left-ball.force.z',
      'joint.left-servo.effort.0',
      'energy.kinetic',
      'joint.neck.reaction',
    ]) {
      await tab.locator('#channel').fill(name);
      const kept = tab.locator('#channels').getByRole('button', { name, exact: true });
      if ((await kept.getAttribute('aria-pressed')) === 'false') await kept.click();
      const { least, greatest, ends } = await tab.evaluate((wanted) => {
        const plot = grashof.plotList().find((p) => p.name === wanted);
        return { least: plot.least, greatest: plot.greatest, ends: plot.box.querySelector('.ends').textContent };
      }, name);
      const known = info.find((c) => c.name === name);
      assert.ok(
        Math.abs(greatest - known.greatest) <= 1e-12 * Math.abs(known.greatest) &&
          Math.abs(least - known.least) <= 1e-12 * Math.abs(known.least),
        `${name}: ${least} ${greatest}, not ${known.least} ${known.greatest}`,
      );
      near(+ends.split(' to ')[1].split(' ')[0], known.greatest, 1e-4 * Math.abs(known.greatest), `${name} as it is written`);
      assert.ok(
        await tab.evaluate((wanted) => {
          // the curve has a pixel at its top
          const plot = grashof.plotList().find((p) => p.name === wanted),
            copy = document.createElement('canvas'),
            c = copy.getContext('2d', { willReadFrequently: true }),
            w = plot.canvas.width;
          Object.assign(copy, { width: w, height: plot.canvas.height });
          c.drawImage(plot.canvas, 0, 0);
          const row = c.getImageData(1, 2, w - 2, 5).data;
          return row.some((_, i) => i % 4 === 3 && row[i] > 0 && row[i - 1] > row[i - 3] + 40);
        }, name),
        `the curve of ${name} reaches its top`,
      );
    }
    const plot = tab.locator('#plots canvas').first(),
      box = await plot.boundingBox();
    await plot.click({ position: { x: box.width / 2, y: 20 } });
    near((await state(tab)).frame, 60, 1, 'a click in a plot goes to its time');
    await plot.hover();
    await tab.mouse.wheel(0, -300);
    await plot.click({ position: { x: 1, y: 20 } });
    assert.ok((await state(tab)).frame > 5, 'the wheel has zoomed');
    await plot.dblclick({ position: { x: 1, y: 20 } });
    await plot.click({ position: { x: 1, y: 20 } });
    assert.ok((await state(tab)).frame <= 1, 'a double click shows all again');
  });

  await claim('bodies stand where the run had them', async () => {
    const distances = [];
    for (const time of [0, 0.5, 1, 1.5, 2]) {
      const at = await tab.evaluate(
        (frame) => {
          grashof.show(frame);
          return grashof.bodyPosition('head');
        },
        Math.round(60 * time),
      );
      distances.push(Math.hypot(...['x', 'y', 'z'].map((c, i) => at[i] - recorded(time, `body.head.position.${c}`))));
    }
    near(distances, Array(5).fill(distances[0]), 1e-5, 'from the frame of the head to its centre of mass');
  });
  await tab.screenshot({ path: join(pictures, 'desktop.png') });
  await close();

  await claim('on a phone panels open by touch, one at a time, and leave the mechanism in sight', async () => {
    const hand = await open(page, phone),
      { tab: touch } = hand;
    for (const id of ['parts', 'view', 'side', 'help']) {
      assert.equal(await touch.locator(`#${id}`).isVisible(), false, id);
      await touch.locator(`#open-${id}`).tap();
      assert.equal(await touch.locator(`#${id}`).isVisible(), true, id);
      assert.equal(await touch.locator('#parts:visible, #view:visible, #side:visible, #help:visible').count(), 1);
      if (id === 'parts') await touch.getByRole('button', { name: 'neck', exact: true }).tap();
    }
    await touch.locator('#open-side').tap();
    assert.equal(await touch.locator('#title').textContent(), 'neck');
    const values = await touch.locator('#side').boundingBox(),
      bar = await touch.locator('#bar').boundingBox();
    assert.ok(values.y + values.height <= bar.y, 'values stay above the controls');
    assert.ok(bar.x >= 0 && bar.x + bar.width <= 390 && bar.y + bar.height <= 844, 'the controls stay within the screen');
    for (const name of ['head', 'left-crank', 'right-rod']) {
      const [x, y] = await touch.evaluate((body) => grashof.onScreen(body), name);
      assert.ok(x > 0 && x < 390 && y > 0 && y < values.y, `${name} is in sight above the values, not at ${x}, ${y}`);
    }
    await touch.screenshot({ path: join(pictures, 'phone.png') });
    const before = await touch.evaluate(() => document.getElementById('bar').offsetHeight);
    await touch.locator('#play').tap();
    assert.equal(await touch.evaluate(() => document.getElementById('bar').offsetHeight), before, 'Pause takes no other place than Play');
    await touch.locator('#play').tap();
    await touch.locator('#open-side').tap();
    const stage = await touch.locator('#stage').boundingBox();
    assert.deepEqual([stage.width, stage.height], [390, 844], 'the picture fills the screen, however fine its pixels');
    const [x, y] = await touch.evaluate(() => grashof.onScreen('head'));
    await touch.touchscreen.tap(x, y);
    assert.equal((await state(touch)).chosen.index, 0, 'a finger chooses');
    await hand.close();
  });
}
