// Gears, racks and belts in the picture; and the pages of plots, reports and searches.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { claim, folder, near, open, phone, pictures, run, scenario, write } from './support.mjs';

// A planetary gear (20, 16 and 52 teeth of module 1 mm) by sums of angles, a rack of radius 20 mm, and a belt over 20 and 60 mm.
const train = `<scenario name="train" units="mm deg kg"><options timestep="0.001" duration="0.5" gravity="0 0 0"/>
  <motion name="spin" type="constant" value="1.5707963267948966"/>
  <body name="sun"><inertial mass="0.1" inertia="10 10 10"/></body>
  <body name="carrier"><inertial mass="0.1" inertia="10 10 10"/></body>
  <body name="planet" position="18 0 0"><inertial mass="0.1" inertia="10 10 10"/></body>
  <body name="ring"><inertial mass="0.1" inertia="10 10 10"/></body>
  <joint name="input" type="revolute" follower="sun" axis="0 0 1"><actuator type="velocity" motion="spin" kd="1e6"/></joint>
  <joint name="output" type="revolute" follower="carrier" axis="0 0 1"/>
  <joint name="pin" type="revolute" base="carrier" follower="planet" position="18 0 0" axis="0 0 1"/>
  <joint name="housing" type="revolute" follower="ring" axis="0 0 1"><dynamics damping="1e6"/></joint>
  <coupling name="sun-mesh" type="linear"><term joint="input" coefficient="20"/><term joint="output" coefficient="-20"/><term joint="pin" coefficient="16"/></coupling>
  <coupling name="ring-mesh" type="linear"><term joint="housing" coefficient="52"/><term joint="output" coefficient="-52"/><term joint="pin" coefficient="-16"/></coupling>
  <body name="pinion" position="100 0 0"><inertial mass="0.1" inertia="10 10 10"/></body>
  <body name="bar" position="100 20 0"><inertial mass="0.1" inertia="10 10 10"/></body>
  <joint name="shaft" type="revolute" follower="pinion" position="100 0 0" axis="0 0 1"><actuator type="velocity" motion="spin" kd="1e6"/></joint>
  <joint name="guide" type="prismatic" follower="bar" position="100 20 0" axis="1 0 0"/>
  <coupling name="rack" type="rack-and-pinion" rack="guide" pinion="shaft" radius="-20"/>
  <body name="pulley" position="100 -200 0"><inertial mass="0.1" inertia="10 10 10"/></body>
  <joint name="driven" type="revolute" follower="pulley" position="100 -200 0" axis="0 0 1"/>
  <tendon name="belt" stiffness="500" damping="0.5"><term joint="shaft" coefficient="0.02"/><term joint="driven" coefficient="-0.06"/></tendon>
</scenario>`;

export async function testWheels() {
  run('view', write('train.xml', train), '-q', '-o', 'train.html');
  const { tab, close } = await open(join(folder, 'train.html'));

  await claim('wheels that mesh touch at their pitch circles, also those of sums of angles', async () => {
    const circles = await tab.evaluate(() =>
      grashof.figures[0].joints.wheels.circles.map(({ end, radius }) => [grashof.run.model.joints[end.joint].name, radius]),
    );
    const radii = (name) => circles.filter(([joint]) => joint === name).map(([, radius]) => radius);
    near(radii('input'), [0.01], 2e-6, 'the sun');
    near(radii('pin'), [0.008, 0.008], 2e-6, 'the planet, of both couplings');
    near(radii('housing'), [0.026], 2e-6, 'the ring');
    near(radii('shaft'), [0.02], 2e-6, 'the pinion');
    assert.equal(radii('output').length, 0, 'the carrier is no wheel');
  });

  await claim('belts and racks are tangents of their wheels', async () => {
    const far = await tab.evaluate(() => {
      const { spans, racks } = grashof.figures[0].joints.wheels,
        lines = [];
      grashof.figures[0].joints.wheels.draw(0, { add: (a, b) => lines.push([a.toArray(), b.toArray()]) });
      const distance = ([a, b], [x, y]) => {
        const d = [b[0] - a[0], b[1] - a[1]];
        return Math.abs(d[0] * (y - a[1]) - d[1] * (x - a[0])) / Math.hypot(...d);
      };
      const long = lines.filter(([a, b]) => Math.hypot(...a.map((v, i) => v - b[i])) > 0.1);
      return {
        counts: [spans.length, racks.length],
        spans: long.filter(([a, b]) => Math.abs(a[1] - b[1]) > 0.1).map((line) => [distance(line, [0.1, 0]), distance(line, [0.1, -0.2])]),
        rack: long.filter(([a, b]) => Math.abs(a[1] - b[1]) < 1e-6).map((line) => distance(line, [0.1, 0])),
      };
    });
    assert.deepEqual(far.counts, [1, 1]);
    near(far.spans.flat(), [0.02, 0.06, 0.02, 0.06], 1e-5, 'the spans');
    near(far.rack, [0.02], 1e-5, 'the rack');
  });

  await claim('numbers are in the units of the file', async () => {
    await tab.evaluate(() => {
      grashof.pin('body.planet.position.x');
      grashof.pin('joint.input.rate.0');
      grashof.show(grashof.frames - 1);
    });
    const [x, rate] = await tab.evaluate(() =>
      ['body.planet.position.x', 'joint.input.rate.0'].map((name) => grashof.plotList().find((p) => p.name === name).output.textContent),
    );
    assert.match(x, /^-?[\d.]+ mm$/);
    assert.ok(Math.abs(parseFloat(x)) <= 18.001 && Math.abs(parseFloat(x)) > 1, x);
    assert.match(rate, / deg\/s$/);
    near(parseFloat(rate), 90, 0.5, 'the shaft');
  });
  await tab.screenshot({ path: join(pictures, 'train.png') });
  await close();
}

// The height of the letters of drawings as the screen has them, px, and whether the page is wider than the screen.
const letters = (tab) =>
  tab.evaluate(() => ({
    sizes: [...document.querySelectorAll('figure text, svg.drawing text')].map((text) => {
      const svg = text.ownerSVGElement;
      return (parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width) / svg.viewBox.baseVal.width;
    }),
    wide: document.documentElement.scrollWidth - window.innerWidth,
  }));

export async function testCharts() {
  run('run', write('train.xml', train), '-q', '--out', folder);
  run('plot', join(folder, 'train'), '-y', 'joint.input.q.0', '-y', 'joint.output.q.0', '-y', 'body.planet.position.x', '-o', 'plot.html');
  run('report', scenario('slider-crank'), '-q', '--no-film', '-o', 'report.html');
  run(
    'sweep',
    scenario('slider-crank'),
    '--param',
    'options.timestep=0.001,0.002',
    '--measure',
    'peak:joint.main.effort.0',
    '-q',
    '-o',
    'sweep',
  );

  await claim('a plot has the whole width, a cursor with values, and zooms by wheel and by dragging', async () => {
    const { tab, close } = await open(join(folder, 'plot.html'), { ready: 'grashofCharts' });
    const box = await tab.locator('figure svg[role=img]').first().boundingBox();
    assert.ok(box.width > 1100, `${box.width}`);
    await tab.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const keys = await tab.locator('figure').first().locator('.keys').textContent();
    assert.match(keys, /joint\.input\.q\.0: 2\d\.\d+ deg/, keys); // 90 degrees a second for a quarter of one
    const range = () => tab.evaluate(() => grashofCharts.map((c) => c.zoomed[1] - c.zoomed[0]));
    near(await range(), [0.5, 0.5], 1e-6, 'all of it');
    await tab.mouse.wheel(0, -300);
    near(await range(), [0.4, 0.4], 1e-6, 'the wheel zooms both');
    await tab.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
    near(await range(), [0.5, 0.5], 1e-6, 'a double click shows all again');
    await tab.mouse.move(box.x + 0.3 * box.width, box.y + 80);
    await tab.mouse.down();
    await tab.mouse.move(box.x + 0.5 * box.width, box.y + 80, { steps: 4 });
    await tab.mouse.up();
    const [left] = await range();
    assert.ok(left > 0.08 && left < 0.13, `dragging shows what it spans, ${left}`);
    await tab.screenshot({ path: join(pictures, 'plot.png') });
    await close();
  });

  for (const [name, page, ready] of [
    ['plot', 'plot.html', 'grashofCharts'],
    ['report', 'report.html', 'grashofCharts'],
    ['sweep', 'sweep/slider-crank/report.html', 'grashof'],
  ])
    await claim(`letters of the ${name} are readable on a phone, and nothing is wider than it`, async () => {
      const { tab, close } = await open(join(folder, page), { ...phone, ready });
      const { sizes, wide } = await letters(tab);
      assert.ok(sizes.length > 8 && Math.min(...sizes) >= 11, `${Math.min(...sizes)} px`);
      assert.ok(wide <= 0, `${wide} px beyond the screen`);
      await tab.screenshot({ path: join(pictures, `${name}-phone.png`), fullPage: true });
      await close();
    });

  await claim('curves that lie on another say so, and what is empty is not there', async () => {
    const report = await open(join(folder, 'report.html'), { ready: 'grashofCharts' });
    const labels = await report.tab.evaluate(() => grashofCharts.flatMap((c) => c.series.map((s) => s.label)));
    assert.ok(
      labels.some((label) => label.includes('reaction')),
      `${labels}`,
    );
    await report.tab.screenshot({ path: join(pictures, 'report.png'), fullPage: true });
    await report.close();
    const sweep = await open(join(folder, 'sweep/slider-crank/report.html'));
    assert.equal(await sweep.tab.locator('#failures').isVisible(), false);
    assert.match(await sweep.tab.locator('#measures').textContent(), /peak:joint\.main\.effort\.0, N m/);
    await sweep.close();
  });
}
