// A run that goes on, steered by pointer in the page that its program serves.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { claim, folder, near, open, phone, pictures, run, serve, source, write } from './support.mjs';

const arm = (mass) => `<scenario name="arm">
  <options timestep="0.001" duration="10000"/>
  <motion name="rest" type="constant" value="0"/>
  <shape type="plane"/>
  <body name="arm" position="0 0 1.25"><shape type="capsule" radius="0.05" length="0.4" mass="${mass}" collides="false"/></body>
  <body name="crate" position="0.8 0 0.15"><shape type="box" size="0.3 0.3 0.3" mass="1"/></body>
  <joint name="shoulder" type="revolute" follower="arm" position="0 0 1.5" axis="0 1 0">
    <actuator type="position" motion="rest" kp="200" kd="20"/>
  </joint>
</scenario>`;

const angle = (tab) => tab.evaluate(() => grashof.run.valueAt(grashof.run.channelOf('joint.shoulder.q.0'), 1e9));
const time = (tab) => tab.evaluate(() => grashof.data.live.state.time);
// Waits until `what` holds in the page. A page that loads anew has nothing for a moment.
async function until(tab, what, argument) {
  const end = Date.now() + 90000;
  for (;;) {
    try {
      return await tab.waitForFunction(what, argument, { timeout: Math.max(1, end - Date.now()), polling: 100 });
    } catch (error) {
      if (Date.now() > end || !/grashof is not defined|context was destroyed/.test(error.message)) throw error;
    }
  }
}
const settled = (tab, value) =>
  until(tab, (wanted) => Math.abs(window.grashof?.run.valueAt(grashof.run.channelOf('joint.shoulder.q.0'), 1e9) - wanted) < 0.06, value);
// Clicks a slider at a share of its length.
async function slide(tab, id, share) {
  const box = await tab.locator(id).boundingBox();
  await tab.mouse.click(box.x + 8 + share * (box.width - 16), box.y + box.height / 2);
}

export async function testLive() {
  const { address, stop } = await serve('--serve', write('arm.xml', arm(1)));
  const { tab, close } = await open(address);

  await claim('only who has the token may write', async () => {
    const base = address.split('#')[0],
      body = JSON.stringify({ do: 'pause' });
    for (const headers of [{}, { 'X-Grashof-Token': '' }, { 'X-Grashof-Token': '0'.repeat(32) }]) {
      const answer = await fetch(`${base}do`, { method: 'POST', headers, body });
      assert.equal(answer.status, 403);
    }
    const headers = { 'X-Grashof-Token': address.split('token=')[1] };
    for (const wrong of [
      '',
      '[]',
      '{',
      '{"do":"fly"}',
      '{"do":"control","actuator":7,"value":1}',
      '{"do":"control","actuator":0,"value":"a"}',
      '{"do":"drag","body":0,"point":[1],"target":[0,0,0],"strength":1}',
      '{"do":"set","path":"solver.name"}',
      '{"do":"step","count":-1}',
      '{"do":"speed","value":1e400}',
    ]) {
      const answer = await fetch(`${base}do`, { method: 'POST', headers, body: wrong });
      assert.ok(answer.status === 200 || answer.status === 400, wrong);
      assert.ok((await answer.json()).error.length > 5);
    }
    assert.equal((await fetch(`${base}more`)).status, 200);
  });

  await claim('runs, pauses, steps, resets', async () => {
    await until(tab, () => window.grashof?.frames > 5);
    await tab.locator('#liveRun').click();
    await until(tab, () => !grashof.data.live.state.playing);
    const stood = await time(tab);
    await tab.locator('#liveStep').click();
    await until(tab, (t) => Math.abs(window.grashof?.data.live.state.time - t - 0.001) < 1e-9, stood);
    await tab.locator('#liveReset').click();
    await until(tab, () => window.grashof?.data.live.state.time === 0 && grashof.frames === 1);
    await tab.locator('#liveSpeed').selectOption('5');
    await tab.locator('#liveRun').click();
    await until(tab, () => window.grashof?.data.live.state.speed === 5 && grashof.data.live.state.time > 0.2);
  });

  await claim('a slider moves a motor, until it is given back', async () => {
    await slide(tab, '#actuator-0', 0.65);
    const wanted = await tab.evaluate(() => +document.getElementById('actuator-0').value);
    assert.ok(wanted > 0.5, `${wanted}`);
    await settled(tab, wanted);
    assert.ok((await tab.locator('#actuator-0-value').textContent()).includes('rad'));
    await tab.locator('#actuator-0-own').click();
    await settled(tab, 0);
  });

  await claim('a dragged body follows the pointer, and stays when it is let go', async () => {
    await tab.evaluate(() => grashof.openPanel('parts', false));
    await tab.locator('#liveDrag').click();
    await tab.keyboard.press('1');
    const from = await tab.evaluate(() => grashof.onScreen('crate')),
      before = await tab.evaluate(() => grashof.bodyPosition('crate'));
    await tab.mouse.move(...from);
    await tab.mouse.down();
    await tab.mouse.move(from[0] - 30, from[1] - 20, { steps: 3 });
    await tab.mouse.move(from[0] - 90, from[1] - 60, { steps: 5 });
    await until(tab, (x) => window.grashof?.bodyPosition('crate')[0] < x - 0.08, before[0]);
    const held = await tab.evaluate(() => grashof.data.live.state.dragged);
    await tab.screenshot({ path: join(pictures, 'live.png') });
    await tab.mouse.up();
    assert.equal(held, 1);
    await until(tab, () => window.grashof?.data.live.state.dragged === null && grashof.bodyPosition('crate')[2] < 0.16);
    assert.ok(await tab.evaluate((x) => grashof.bodyPosition('crate')[0] < x - 0.04, before[0]), 'it was carried');
    await tab.locator('#liveDrag').click();
  });

  await claim('a motion, the solver and the time step change while the run goes on', async () => {
    const was = await time(tab);
    await slide(tab, '#motion-0', 0.7);
    const value = await tab.evaluate(() => +document.getElementById('motion-0').value);
    await until(tab, () => window.grashof?.data.live.setup.overrides.some((o) => o.path === 'motion[rest].value'));
    await settled(tab, value);
    await tab.locator('#liveSolver').selectOption('ADMM');
    await until(tab, () => window.grashof?.data.live.setup.solver === 'ADMM');
    await tab.locator('#liveTimestep').fill('0.002');
    await tab.locator('#liveTimestep').press('Enter');
    await until(tab, () => window.grashof?.data.live.setup.timestep === 0.002);
    assert.ok((await time(tab)) >= was, 'it has not started again');
    near(await angle(tab), value, 0.06, 'and is where it was');
  });

  await claim('a value that is wrong is refused with its reason, and changes nothing', async () => {
    await tab.locator('#path').fill('body[crate].shape.mass');
    await tab.locator('#value').fill('-2');
    await tab.locator('#liveSet').click();
    await until(tab, () => document.getElementById('said').classList.contains('bad'));
    const text = await tab.locator('#said').textContent();
    assert.ok(text.includes('arm.xml:6:') && text.includes('-2'), text);
    assert.equal(await tab.evaluate(() => grashof.run.model.bodies[1].mass), 1);
  });

  await claim('records into a folder that other commands read', async () => {
    await tab.locator('#liveRecord').click();
    await until(tab, () => window.grashof?.data.live.state.recording);
    const path = await tab.evaluate(() => grashof.data.live.state.recording),
      began = await time(tab);
    await until(tab, (t) => window.grashof?.data.live.state.time > t + 0.2, began);
    await tab.locator('#liveRecord').click();
    await until(tab, () => !grashof.data.live.state.recording);
    const info = JSON.parse(run('info', join(folder, path), '--json'))[0];
    assert.ok(info.records > 15, `${info.records} records`);
    near(info.channels.find((c) => c.name === 'joint.shoulder.q.0').last, await angle(tab), 0.1, 'of the same run');
  });

  await claim('a parameter is changed and the run starts again; it keeps the parameter, also after a reset', async () => {
    await tab.locator('#liveSpeed').selectOption('0.1'); // so that a slow machine sees the first second, too
    await tab.locator('#path').fill('body[crate].shape.mass');
    await tab.locator('#value').fill('3');
    await tab.locator('#liveSet').click();
    await until(tab, () => window.grashof?.run.model.bodies[1].mass === 3 && grashof.frames > 3); // the page has been loaded again
    assert.ok((await tab.locator('#overrides').textContent()).includes('body[crate].shape.mass = 3'));
    await tab.locator('#liveReset').click();
    await until(tab, () => window.grashof?.data.live.state.time < 1 && grashof.run.model.bodies[1].mass === 3);
    await tab.getByRole('button', { name: 'body[crate].shape.mass as in the file' }).click();
    await until(tab, () => window.grashof?.run.model.bodies[1].mass === 1);
  });
  await close();

  await claim('on a phone it is steered by touch; without the token it is watched', async () => {
    const hand = await open(address, phone);
    await hand.tab.locator('#open-live').tap();
    await hand.tab.locator('#liveRun').tap();
    await until(hand.tab, () => !grashof.data.live.state.playing);
    await hand.tab.screenshot({ path: join(pictures, 'live-phone.png') });
    await hand.close();
    const guest = await open(address.split('#')[0]);
    assert.ok((await guest.tab.evaluate(() => grashof.frames)) > 0);
    await guest.tab.locator('#liveRun').click();
    assert.ok((await guest.tab.locator('#said').textContent()).includes('only watches'));
    await guest.close();
  });
  assert.equal(await stop(), 130, 'Ctrl-C ends it');

  await claim('a controller is attached', async () => {
    const library = join(folder, 'example.so');
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, join(source, 'tools/controller/example.c'), '-lm']);
    const free = arm(1).replace(/<actuator.*\/>/, '<actuator type="effort" motion="rest"/>');
    const server = await serve('--serve', '--controller', `${library}:0.5`, write('free.xml', free));
    const { tab: page, close: shut } = await open(server.address);
    await until(page, () => window.grashof?.data.live.state.time > 1.5);
    const q = await angle(page);
    near(50 * (0.5 - q), 9.81 * 0.25 * Math.sin(q), 1.5, 'its spring holds the weight');
    assert.ok(q > 0.3);
    await shut();
    await server.stop();
  });
}

export async function testWatch() {
  const file = write('edited.xml', arm(1));
  const { address, stop } = await serve('--watch', file);
  const { tab, close } = await open(address);

  await claim('a file that is saved wrong is shown at its line, and the run goes on', async () => {
    await until(tab, () => window.grashof?.frames > 3);
    write('edited.xml', arm(1).replace('size="0.3 0.3 0.3"', 'size="0.3 0.3"').replace('axis="0 1 0"', 'axis="0 1 0" colour="red"'));
    await tab.locator('#trouble').waitFor({ state: 'visible' });
    const text = await tab.locator('#trouble').textContent();
    assert.ok(text.includes('edited.xml:6:') && text.includes('edited.xml:7:') && text.includes('colour'), text);
    assert.ok((await tab.locator('#trouble b').first().textContent()).includes('name="crate"'));
    await tab.screenshot({ path: join(pictures, 'watch.png') });
    const was = await time(tab);
    await until(tab, (t) => window.grashof?.data.live.state.time > t + 0.1, was);
    write('edited.xml', arm(1).replace('</joint>', '</joynt>'));
    await until(tab, () => document.getElementById('trouble').textContent.includes('edited.xml:'));
  });

  await claim('when it is saved right the page shows what it says, from the same side', async () => {
    await tab.keyboard.press('2');
    const way = await tab.evaluate(() => grashof.eye.camera.getWorldDirection(new THREE.Vector3()).toArray());
    write('edited.xml', arm(4));
    await until(tab, () => window.grashof?.run.model.bodies[0].mass === 4 && grashof.frames > 3);
    assert.equal(await tab.locator('#trouble').isVisible(), false);
    near(
      await tab.evaluate(() => grashof.eye.camera.getWorldDirection(new THREE.Vector3()).toArray()),
      way,
      1e-3,
      'it looks from the same side',
    );
  });
  await close();
  await stop();
}
