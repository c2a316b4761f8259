// What is drawn, measured in the picture: arrows, shadows, symbols, sections, paths, framing, two runs.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { brightness, claim, folder, near, open, option, pictures, pixels, run, scenario, write } from './support.mjs';

// A crate of 2 kg that falls by a centimetre, and a pendulum of 1 kg at rest; a rod reaches a stop.
const statics = `<scenario name="statics"><options timestep="0.001" duration="1"/><shape type="plane"/>
  <body name="crate" position="0 0 0.11"><shape type="box" size="0.2 0.2 0.2" mass="2"/></body>
  <body name="bob" position="0.6 0 0.3"><shape type="sphere" radius="0.05" mass="1" collides="false"/></body>
  <body name="rod" position="-0.45 0 0.5"><inertial mass="0.5" inertia="0.002 0.002 0.002"/></body>
  <joint name="pivot" type="spherical" follower="bob" position="0.6 0 0.7"/>
  <joint name="hinge" type="revolute" follower="rod" position="-0.6 0 0.5" axis="0 1 0"><limit upper="0.5"/></joint></scenario>`;

const grow = (tab, name, share) =>
  tab.evaluate(
    ([n, s]) => {
      const { at, end } = grashof.figures[0][n].list.reduce((a, b) => (b.at.y - b.at.x < a.at.y - a.at.x ? b : a)); // nothing stands before it
      return grashof.toScreen(...at.clone().lerp(end, s).toArray());
    },
    [name, share],
  );
const isOrange = ([r, g, b]) => r > 150 && r > 1.6 * g && r > 2 * b;
const isPurple = ([r, g, b]) => b > 90 && b > 1.3 * g && r > 1.1 * g;

export async function testPicture() {
  const file = write('statics.xml', statics);
  run('view', file, '-q', '-o', 'statics.html');
  const { tab, close } = await open(join(folder, 'statics.html'));
  await tab.evaluate(() => {
    grashof.openPanel('parts', false);
    grashof.openPanel('side', false);
    grashof.show(60);
  });
  await option(tab, 'dark', false);

  await claim('forces of contacts are arrows of the right length, at their points', async () => {
    const { list, reference, length } = await tab.evaluate(() => {
      const { contacts } = grashof.figures[0];
      return {
        list: contacts.list.map(({ at, end, force }) => [at.toArray(), end.toArray(), force.toArray()]),
        reference: contacts.reference,
        length: contacts.lengthOf(contacts.reference),
      };
    });
    assert.equal(list.length, 4);
    near(
      list.reduce((sum, [, , force]) => sum + force[2], 0),
      2 * 9.81,
      0.02,
      'they carry the crate',
    );
    for (const [at, to, force] of list) {
      near([Math.abs(at[0]), Math.abs(at[1]), at[2]], [0.1, 0.1, 0], 1e-3, 'at a corner');
      near(
        to.map((x, i) => x - at[i]),
        force.map((f) => (f / reference) * length),
        1e-3 * length,
        'along the force, as long as it is large',
      );
    }
    for (const share of [0.3, 0.5]) {
      const [pixel] = await pixels(tab, [await grow(tab, 'contacts', share)]);
      assert.ok(isOrange(pixel), `orange at ${share} of an arrow, not ${pixel}`);
    }
    const [behind] = await pixels(tab, [
      await tab.evaluate(() => {
        const { at, end } = grashof.figures[0].contacts.list.reduce((a, b) => (b.at.y - b.at.x > a.at.y - a.at.x ? b : a));
        return grashof.toScreen(...at.clone().lerp(end, 0.4).toArray());
      }),
    ]);
    assert.ok(behind[0] > behind[1] + 30 && behind[0] > behind[2] + 30, `the arrow behind the crate shines through, ${behind}`);
    const texts = await tab.evaluate(() => grashof.texts);
    assert.equal(texts.filter(({ text }) => text.endsWith(' N') && text.startsWith('4.9')).length, 4, 'each arrow has its number');
    texts.forEach((a, i) =>
      texts
        .slice(0, i)
        .forEach((b) =>
          assert.ok(
            a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height || b.y >= a.y + a.height,
            `${a.text} lies over ${b.text}`,
          ),
        ),
    );
    await tab.screenshot({ path: join(pictures, 'statics.png') });
    await option(tab, 'arrowScale', 0.3);
    near(await tab.evaluate(() => grashof.figures[0].contacts.list[0].end.z), list[0][1][2] * 10 ** 0.3, 0.01, 'the slider lengthens them');
    await option(tab, 'arrowScale', 0);
    await option(tab, 'contacts', false);
    assert.equal(await tab.evaluate(() => grashof.figures[0].contacts.list.length), 0);
    await option(tab, 'contacts', true);
  });

  await claim('a reaction starts at its joint, and holds what hangs there', async () => {
    await option(tab, 'reactions', true);
    const pivot = await tab.evaluate(() => {
      const { at, force } = grashof.figures[0].reactions.list.find((a) => a.joint === 0);
      return [at.toArray(), force.toArray()];
    });
    near(pivot[0], [0.6, 0, 0.7], 1e-4, 'the pivot');
    near(pivot[1], [0, 0, 9.81], 0.01, 'the weight of the bob');
    assert.ok(isPurple((await pixels(tab, [await grow(tab, 'reactions', 0.5)]))[0]), 'purple in the middle');
    await option(tab, 'reactions', false);
  });

  await claim('shadows lie where the sun puts them, and nowhere else, on dark ground, too', async () => {
    await option(tab, 'contacts', false);
    await tab.evaluate(() => grashof.advance('lookTop'));
    const places = await tab.evaluate(() =>
      [
        [0.14, 0.13, 0],
        [0.15, 0.02, 0],
        [-0.17, -0.1, 0],
        [0.33, -0.3, 0],
      ].map((p) => grashof.toScreen(...p)),
    );
    for (const dark of [true, false]) {
      await option(tab, 'dark', dark);
      await option(tab, 'shadows', true);
      const shaded = await pixels(tab, places);
      await option(tab, 'shadows', false);
      const open_ = await pixels(tab, places);
      const drop = shaded.map((p, i) => brightness(open_[i]) - brightness(p));
      assert.ok(drop[0] > 25 && drop[1] > 25, `behind the crate it is darker, ${drop}`);
      assert.ok(drop[3] < 3, `in the open it is not, ${drop}`);
      assert.ok(drop[2] < 0.6 * drop[0], `before the crate there is the soft shadow of the sky alone, ${drop}`);
    }
    await option(tab, 'shadows', true);
    await option(tab, 'contacts', true);
    await tab.evaluate(() => grashof.advance('lookOblique'));
  });

  await claim('joints have symbols by type, anchors in the world, and bodies without shapes are links', async () => {
    const { pieces, parts } = await tab.evaluate(() => ({
      pieces: grashof.figures[0].solids.pieces.map(({ key, body, link }) => ({ key, body, link })),
      parts: grashof.figures[0].joints.parts.map(({ parts: all }) => all.map(({ joint, side }) => `${joint} ${side}`)),
    }));
    assert.ok(
      pieces.filter((p) => p.body === 2).every((p) => p.link) && pieces.some((p) => p.body === 2 && p.key === 'cylinder'),
      'the rod is a bar',
    );
    assert.ok(
      pieces.some((p) => p.body === 1 && p.link),
      'the bob hangs on a strut',
    );
    assert.deepEqual(
      parts.filter((all) => all.length === 2).map((all) => all.sort()),
      [['0 base', '1 base']],
      'both joints stand on anchors',
    );
    assert.equal(parts.length, 5, 'a ball joint of two parts, a hinge of two, anchors');
    const colour = async () => (await pixels(tab, [await tab.evaluate(() => grashof.toScreen(0.6, 0, 0.7))]))[0];
    const before = await colour();
    await option(tab, 'joints', false);
    const after = await colour();
    assert.ok(Math.hypot(...before.map((v, i) => v - after[i])) > 15, `the symbol is drawn at its joint, ${before} ${after}`);
    await option(tab, 'joints', true);
  });

  await claim('a section cuts open, and what is cut away is not hit', async () => {
    const at = await tab.evaluate(() => grashof.toScreen(0, -0.1, 0.1)); // the front of the crate
    const [before] = await pixels(tab, [at]);
    await option(tab, 'section', 'y');
    const [after] = await pixels(tab, [at]);
    assert.ok(Math.hypot(...before.map((v, i) => v - after[i])) > 25, `${before} ${after}`);
    await tab.mouse.click(...at);
    const point = await tab.evaluate(() => grashof.state.point?.toArray() ?? null);
    assert.ok(point && point[1] > -0.05, `the click reaches the inside, ${point}`);
    await option(tab, 'section', 'off');
    await tab.keyboard.press('Escape');
  });

  await claim('distances and angles are measured between points that were clicked, and plotted', async () => {
    await option(tab, 'measure', 'distance');
    await tab.mouse.click(...(await tab.evaluate(() => grashof.toScreen(0.6, 0, 0.7))));
    await tab.mouse.click(
      ...(await tab.evaluate(() =>
        grashof.toScreen(...grashof.figures[0].joints.placeOf(grashof.state.frame, 1, new THREE.Vector3()).toArray()),
      )),
    );
    const distance = await tab.evaluate(() =>
      grashof
        .plotList()
        .find((p) => p.name.startsWith('measured'))
        .value(),
    );
    near(distance, Math.hypot(1.2, 0.2), 1e-4, 'from pivot to hinge');
    await option(tab, 'measure', 'angle');
    for (const p of [
      [0.6, 0, 0.7],
      [-0.6, 0, 0.5],
    ])
      await tab.mouse.click(...(await tab.evaluate((q) => grashof.toScreen(...q), p)));
    await tab.mouse.click(...(await tab.evaluate(() => grashof.toScreen(0, 0, 0.21))));
    assert.equal(await tab.evaluate(() => grashof.points.length), 3);
    const [a, b, c] = await tab.evaluate(() =>
      grashof.points.map(({ body, point }) => grashof.run.pointAt(grashof.state.frame, body, point, new THREE.Vector3()).toArray()),
    );
    const u = a.map((x, i) => x - b[i]),
      v = c.map((x, i) => x - b[i]);
    const angle = (Math.acos(u.reduce((s, x, i) => s + x * v[i], 0) / Math.hypot(...u) / Math.hypot(...v)) * 180) / Math.PI;
    near(
      await tab.evaluate(() =>
        grashof
          .plotList()
          .find((p) => p.name.startsWith('measured'))
          .value(),
      ),
      angle,
      1e-3,
      'the angle',
    );
    await option(tab, 'measure', 'off');
  });

  await claim('contacts that begin and limits are marks on the line of time, and keys go to them', async () => {
    const counts = await tab.evaluate(() => grashof.markCounts());
    assert.ok(counts[0] >= 1 && counts[1] >= 1, `${counts}`);
    await tab.keyboard.press('Home');
    await tab.keyboard.press(']');
    const frame = await tab.evaluate(() => grashof.state.frame);
    near(frame / 60, Math.sqrt((2 * 0.01) / 9.81), 0.03, 'the crate touches down');
    await tab.keyboard.press(']');
    await tab.keyboard.press('[');
    assert.equal(await tab.evaluate(() => grashof.state.frame), frame);
    await tab.keyboard.press('End');
  });

  await claim('colours tell loads', async () => {
    await option(tab, 'colours', 'peak');
    const loads = await tab.evaluate(() => [...grashof.figures[0].peakLoads()]);
    near(loads[1], 9.81, 0.02, 'the bob');
    const colour = (body) =>
      tab.evaluate((b) => {
        const f = grashof.figures[0];
        for (const { pieces, mesh } of f.solids.groups) {
          const i = pieces.findIndex((p) => p.body === b);
          if (i >= 0) return [...mesh.tint.array.slice(4 * i, 4 * i + 3)];
        }
        return null;
      }, body);
    const [hot, cold] = loads[0] > loads[1] ? [await colour(0), await colour(1)] : [await colour(1), await colour(0)];
    assert.ok(hot[0] > 4 * hot[1] && cold[0] < 3 * cold[1], `the larger one is red, the other is not: ${hot} ${cold}`);
    await option(tab, 'colours', 'parts');
  });

  await claim('paths, ghosts and the swept volume are those of the run', async () => {
    await tab.evaluate(() => {
      grashof.choose({ kind: 'body', index: 2 });
      grashof.advance('trace');
    });
    const far = await tab.evaluate(() => {
      // of each point of the path from the circle about the hinge
      const { from, count } = grashof.figures[0].root.parent.children.map((o) => o.userData.lines).find((l) => l?.count > 10);
      return [...Array(count).keys()].map((i) => Math.hypot(from.array[3 * i] + 0.6, from.array[3 * i + 2] - 0.5));
    });
    assert.ok(far.length > 40);
    near(
      far,
      far.map(() => 0.15),
      1e-4,
      'the centre of mass goes on a circle',
    );
    await option(tab, 'ghosts', '5');
    const ghosts = () => tab.evaluate(() => grashof.figures[0].solids.ghosts.reduce((sum, g) => sum + g.count, 0));
    const pieces = await tab.evaluate(() => grashof.figures[0].solids.pieces.length);
    assert.equal(await ghosts(), 5 * pieces);
    await option(tab, 'ghosts', '0');
    assert.equal(await ghosts(), 0);
    await option(tab, 'sweep', true);
    assert.ok((await ghosts()) >= 50 * (await tab.evaluate(() => grashof.figures[0].solids.pieces.filter((p) => p.body === 2).length)));
    await option(tab, 'sweep', false);
    await tab.keyboard.press('Escape');
    await tab.keyboard.press('t');
    assert.equal(await tab.evaluate(() => grashof.traces.length), 0);
  });

  await claim('views look along the axes; without perspective parallels stay parallel', async () => {
    for (const [key, way] of [
      ['1', [0, 1, 0]],
      ['2', [-1, 0, 0]],
      ['3', [0, 0, -1]],
    ]) {
      await tab.keyboard.press(key);
      near(await tab.evaluate(() => grashof.eye.camera.getWorldDirection(new THREE.Vector3()).toArray()), way, 3e-3, `key ${key}`);
    }
    await tab.keyboard.press('1');
    const apart = () => tab.evaluate(() => grashof.toScreen(0.3, -0.5, 0.3).map((v, i) => v - grashof.toScreen(0.3, 0.5, 0.3)[i]));
    assert.ok(Math.hypot(...(await apart())) > 5);
    await option(tab, 'ortho', true);
    near(await apart(), [0, 0], 0.01, 'what lies behind another is at its place');
    await option(tab, 'ortho', false);
    const [x] = await tab.evaluate(() => grashof.toScreen(0, 0, 0));
    await tab.keyboard.press('Shift+ArrowLeft');
    assert.ok(await tab.evaluate((was) => grashof.toScreen(0, 0.5, 0)[0] !== was, x));
    await tab.keyboard.press('4');
  });

  await claim('dark and light', async () => {
    const sky = [[640, 6]];
    const [light] = await pixels(tab, sky);
    await tab.keyboard.press('d');
    const [dark] = await pixels(tab, sky);
    assert.ok(brightness(light) > 200 && brightness(dark) < 50, `${light} ${dark}`);
    await tab.screenshot({ path: join(pictures, 'statics-dark.png') });
  });
  await close();
}

export async function testWalker() {
  run('view', scenario('jansen-walker'), '-q', '-o', 'walker.html');
  const { tab, close } = await open(join(folder, 'walker.html'));

  await claim('74 bodies are few draw calls, and five seconds of them a small page', async () => {
    const cost = await tab.evaluate(() => {
      grashof.setOption('reactions', true);
      const { counters } = grashof,
        frames = 4;
      grashof.draw();
      let calls = 0,
        scripts = 0;
      for (let i = 0; i < frames; ++i) {
        const began = performance.now();
        grashof.show(i * 50);
        scripts += performance.now() - began;
        grashof.draw();
        calls = Math.max(calls, counters.calls);
      }
      grashof.setOption('reactions', false);
      return { calls, script: scripts / frames };
    });
    console.log(`    ${cost.calls} draw calls with shadows; scripts ${cost.script.toFixed(2)} ms a frame before drawing`);
    assert.ok(cost.calls <= 60, `${cost.calls} draw calls`);
    const bytes = statSync(join(folder, 'walker.html')).size;
    console.log(`    ${(bytes / 1e6).toFixed(2)} MB for 5 s of 74 bodies with all channels`);
    assert.ok(bytes < 3.2e6, `${bytes}`);
  });

  await claim('the camera goes along with a walker, which stays clear of the panels', async () => {
    const left = await tab.locator('#parts').boundingBox(),
      right = await tab.locator('#side').boundingBox(),
      bar = await tab.locator('#bar').boundingBox();
    const places = () =>
      tab.evaluate(() =>
        [0, 100, 200, 300].map((f) => {
          grashof.show(f);
          return ['frame', 'lower0', 'lower2m'].map((b) => grashof.onScreen(b));
        }),
      );
    for (const [x, y] of (await places()).flat())
      assert.ok(x > left.x + left.width && x < right.x && y > 0 && y < bar.y, `${x}, ${y} is covered`);
    await option(tab, 'follow', 'off');
    await tab.evaluate(() => grashof.show(0));
    const [start, , , finish] = await places();
    assert.ok(Math.hypot(finish[0][0] - start[0][0], finish[0][1] - start[0][1]) > 60, 'without following it goes away');
    await option(tab, 'follow', 'auto');
  });
  await tab.evaluate(() => grashof.show(150));
  await tab.waitForTimeout(100);
  await tab.screenshot({ path: join(pictures, 'walker.png') });
  await close();
}

// What a mechanism throws leaves the picture, and the mechanism stays.
export async function testThrown() {
  run(
    'view',
    write(
      'thrown.xml',
      `<scenario name="thrown"><options timestep="0.001" duration="0.5"/>
    <shape type="box" position="0 0.1 0" size="0.4 0.05 0.4" collides="false"/>
    <body name="arm" position="0.1 0 0"><shape type="box" size="0.2 0.02 0.02" mass="1" collides="false"/></body>
    <body name="ball" position="0.2 0 0.1" velocity="-8 0 3"><shape type="sphere" radius="0.02" mass="0.1"/></body>
    <joint name="axle" type="revolute" follower="arm" position="0 0 0" axis="0 1 0"/></scenario>`,
    ),
    '-q',
    '-o',
    'thrown.html',
  );
  const { tab, close } = await open(join(folder, 'thrown.html'));
  await claim('what is thrown is not followed, and walls beside a mechanism are in sight', async () => {
    const seen = await tab.evaluate(() => {
      const frames = [0, grashof.frames - 1].map((f) => {
        grashof.show(f);
        return { axle: grashof.toScreen(0, 0, 0), ball: grashof.onScreen('ball') };
      });
      const [first, last] = frames;
      return { first, last, corners: [grashof.toScreen(-0.2, 0.1, 0.2), grashof.toScreen(0.2, 0.1, -0.2)] };
    });
    near(seen.last.axle, seen.first.axle, 1e-6, 'the axle stays at its place');
    assert.ok(seen.last.ball[0] < 0, `the ball is gone, ${seen.last.ball}`);
    const left = await tab.locator('#parts').boundingBox(),
      right = await tab.locator('#side').boundingBox(),
      bar = await tab.locator('#bar').boundingBox();
    for (const [x, y] of seen.corners)
      assert.ok(x > left.x + left.width && x < right.x && y > 0 && y < bar.y, `a corner of the wall is not in sight: ${x}, ${y}`);
  });
  await close();
}

export async function testTwoRuns() {
  const pendulum = (angle) => `<scenario name="p${angle}"><options timestep="0.001" duration="0.5"/><shape type="plane"/>
    <body name="bob" position="${Math.sin(angle)} 0 ${2 - Math.cos(angle)}"><shape type="sphere" radius="0.1" mass="1"/></body>
    <body name="crate" position="0 1 0.1"><shape type="box" size="0.2 0.2 0.2" mass="1"/></body>
    <joint name="pivot" type="revolute" follower="bob" position="0 0 2" axis="0 1 0"/></scenario>`;
  run(
    'view',
    write('a.xml', pendulum(0.3)),
    '--with',
    write('b.xml', pendulum(-0.6)),
    '-q',
    '--set',
    'solver.name=PGS-NCP',
    '--set',
    'solver.max-iterations=1',
    '-o',
    'two.html',
  );
  const { tab, close } = await open(join(folder, 'two.html'));
  await option(tab, 'dark', false);
  await tab.evaluate(() => {
    grashof.openPanel('parts', false);
    grashof.show(0);
  });

  await claim('two runs lie over each other, or side by side, and share plots', async () => {
    near(
      await tab.evaluate(() => grashof.bodyPosition('bob', grashof.runs[1])),
      [Math.sin(-0.6), 0, 2 - Math.cos(0.6)],
      1e-4,
      'the second bob',
    );
    const at = await tab.evaluate(() => grashof.toScreen(...grashof.bodyPosition('bob', grashof.runs[1])));
    await option(tab, 'compare', 'first');
    const [without] = await pixels(tab, [at]);
    await option(tab, 'compare', 'overlay');
    const [both] = await pixels(tab, [at]);
    assert.ok(Math.hypot(...both.map((v, i) => v - without[i])) > 20, `${both} ${without}`);
    await option(tab, 'compare', 'side');
    const boxes = await tab.evaluate(() => {
      grashof.draw();
      return [document.getElementById('side').getBoundingClientRect().left, grashof.runs.length];
    });
    const halves = await pixels(
      tab,
      await tab.evaluate(
        (edge) =>
          [0, 1].map((i) => {
            // the bob of each run in its half
            const half = edge / 2 - 4,
              p = new THREE.Vector3(...grashof.bodyPosition('bob', grashof.runs[i])).project(grashof.eye.camera),
              bar = document.getElementById('bar').getBoundingClientRect().top - 8;
            return [i * half + ((1 + p.x) / 2) * half, ((1 - p.y) / 2) * bar];
          }),
        boxes[0],
      ),
    );
    for (const pixel of halves) assert.ok(Math.max(...pixel) - Math.min(...pixel) > 30, `coloured, not ${pixel}`);
    await tab.evaluate(() => grashof.pin('body.bob.position.x'));
    assert.equal(await tab.evaluate(() => grashof.plotList().find((p) => p.name === 'body.bob.position.x').curves.length), 2);
    await tab.screenshot({ path: join(pictures, 'two-runs.png') });
  });

  await claim('steps above the tolerance are marked', async () => {
    assert.ok((await tab.evaluate(() => grashof.markCounts()))[2] > 5);
    assert.ok((await tab.locator('#legend').textContent()).includes('above tolerance'));
  });
  await close();
}
