// The page of a run, used as a person uses it: pointer and keyboard in headless Chromium, through Playwright.
// Usage: node test_viewer.mjs PROGRAM SOURCE_FOLDER PICTURES_FOLDER, with playwright-core to be found from the working folder.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { chromium } = createRequire(join(process.cwd(), 'here.js'))('playwright-core');
const [program, source, pictures] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'grashof-viewer-'));
execFileSync(program, ['run', join(source, 'assets/scenarios/neck.xml'), '--duration', '2', '--csv', '--quiet', '--view',
  '--set', 'output.interval=0.05', '--out', folder]);
const page = `file://${folder}/neck/view.html`;
const rows = readFileSync(join(folder, 'neck/trajectory.csv'), 'utf8').trim().split('\n').map((line) => line.split(','));
const recorded = (time, channel) => {
  const row = rows.slice(1).reduce((a, b) => (Math.abs(b[0] - time) < Math.abs(a[0] - time) ? b : a));
  return +row[rows[0].indexOf(channel)];
};

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
async function open(viewport, more = {}) {
  const context = await browser.newContext({ viewport, offline: true, ...more });
  const tab = await context.newPage();
  const said = [];
  tab.on('console', (message) => { if (!message.text().includes('GL Driver Message')) said.push(message.text()); });
  tab.on('pageerror', (error) => said.push(error.message));
  await tab.goto(page);
  await tab.waitForFunction(() => window.grashof !== undefined);
  return { tab, said };
}
const state = (tab) => tab.evaluate(() => ({ frame: grashof.state.frame, playing: grashof.state.playing, chosen: grashof.state.chosen }));

try {
  const { tab, said } = await open({ width: 1280, height: 800 });

  // Plays, pauses, scrubs, steps.
  await tab.getByRole('button', { name: 'Play' }).click();
  await tab.waitForFunction(() => grashof.state.frame > 10);
  await tab.getByRole('button', { name: 'Pause' }).click();
  assert.equal((await state(tab)).playing, false);
  await tab.getByRole('slider', { name: 'Time' }).fill('60');
  assert.equal((await state(tab)).frame, 60);
  await tab.getByRole('button', { name: 'One frame on' }).click();
  assert.equal((await state(tab)).frame, 61);

  // By keyboard alone: every control can be reached, keys play and step.
  await tab.evaluate(() => document.activeElement.blur());
  const reached = new Set();
  for (let i = 0; i < 60; ++i) {
    await tab.keyboard.press('Tab');
    reached.add(await tab.evaluate(() => document.activeElement.id || document.activeElement.textContent));
  }
  for (const id of ['search', 'scrub', 'play', 'back', 'next', 'speed', 'follow', 'trail', 'joints', 'forces', 'reactions', 'wire', 'which', 'dark', 'head'])
    assert.ok(reached.has(id), `Tab does not reach ${id}`);
  await tab.evaluate(() => document.activeElement.blur());
  await tab.keyboard.press('ArrowLeft');
  assert.equal((await state(tab)).frame, 60);
  await tab.keyboard.press(' ');
  assert.equal((await state(tab)).playing, true);
  await tab.keyboard.press(' ');

  // A click on the picture selects the body that is there.
  await tab.mouse.click(640, 300);
  assert.deepEqual((await state(tab)).chosen, { kind: 'body', index: 0 });
  assert.equal(await tab.locator('#side h1').textContent(), 'head');
  await tab.getByRole('searchbox').fill('left');
  assert.equal(await tab.locator('#list button').count(), 5);
  await tab.getByRole('searchbox').fill('');

  // A click in a plot goes to its time.
  const plot = tab.locator('#side canvas').first();
  const box = await plot.boundingBox();
  await plot.click({ position: { x: box.width / 2, y: 20 } });
  assert.ok(Math.abs((await state(tab)).frame - 60) <= 1);

  // The trail is that of the point that was clicked; a joint's reaction starts at the joint.
  const point = await tab.evaluate(() => grashof.state.point.toArray());
  assert.ok(Math.hypot(...point) > 0.01 && Math.hypot(...point) < 0.2, `${point}`);
  await tab.keyboard.press('r');
  const lines = await tab.evaluate(() => grashof.reactionLines());
  assert.equal(lines.length, 6 * 7);
  assert.ok(Math.hypot(lines[3] - lines[0], lines[4] - lines[1], lines[5] - lines[2]) > 0.01, 'the neck carries the head');
  assert.ok(lines[5] > lines[2], 'upward');

  // Bodies stand where the run had them; the head's frame and its centre of mass keep their distance.
  const distances = [];
  for (const time of [0, 0.5, 1, 1.5, 2]) {
    const at = await tab.evaluate((frame) => { grashof.show(frame); return grashof.bodyPosition('head'); }, Math.round(60 * time));
    distances.push(Math.hypot(...['x', 'y', 'z'].map((c, i) => at[i] - recorded(time, `body.head.position.${c}`))));
  }
  assert.ok(Math.max(...distances) - Math.min(...distances) < 1e-4, `${distances}`);

  // Something is drawn where the head is, and nothing in the corner: colours in the picture.
  for (const id of ['trail', 'joints', 'dark', 'wire', 'dark', 'wire']) await tab.locator(`#${id}`).click();
  await tab.screenshot({ path: join(pictures, 'desktop.png') });
  assert.deepEqual(said, []);

  // On a phone: panels are folded away, open by touch, and a finger scrubs.
  const phone = await open({ width: 390, height: 844 }, { isMobile: true, hasTouch: true, deviceScaleFactor: 2 });
  assert.equal(await phone.tab.locator('#parts').isVisible(), false);
  await phone.tab.locator('#open-parts').tap();
  assert.equal(await phone.tab.locator('#parts').isVisible(), true);
  await phone.tab.getByRole('button', { name: 'neck', exact: true }).tap();
  await phone.tab.locator('#open-parts').tap();
  await phone.tab.locator('#open-side').tap();
  assert.equal(await phone.tab.locator('#side h1').textContent(), 'neck');
  await phone.tab.waitForTimeout(200);
  await phone.tab.screenshot({ path: join(pictures, 'phone.png') });
  const values = await phone.tab.locator('#side').boundingBox();
  const controls = await phone.tab.locator('#bar').boundingBox();
  assert.ok(values.y + values.height <= controls.y, 'values stay above the controls');
  const [, height] = await phone.tab.evaluate(() => grashof.onScreen('head'));
  assert.ok(height > 0 && height < values.y, `the head's pivot is in sight above the values, not at ${height}`);
  await phone.tab.locator('#open-side').tap();
  const stage = await phone.tab.locator('#stage').boundingBox();
  assert.deepEqual([stage.width, stage.height], [390, 844], 'the picture fills the screen, however fine its pixels');
  const bar = await phone.tab.locator('#bar').boundingBox();
  assert.ok(bar.x >= 0 && bar.x + bar.width <= 390, 'the controls stay within the screen');
  await phone.tab.screenshot({ path: join(pictures, 'phone-closed.png') });
  assert.deepEqual(phone.said, []);
  console.log('viewer: all is as it should be');
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
