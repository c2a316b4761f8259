// What the tests of the viewer share: runs of the program, and pages in headless Chromium through Playwright.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const { chromium } = createRequire(join(process.cwd(), 'here.js'))('playwright-core');
export const [program, source, pictures] = process.argv.slice(2).map((path) => resolve(path));
mkdirSync(pictures, { recursive: true });
export const folder = mkdtempSync(join(tmpdir(), 'grashof-viewer-'));

export const run = (...words) => execFileSync(program, words, { encoding: 'utf8', cwd: folder });
export const scenario = (name) => join(source, 'assets/scenarios', `${name}.xml`);
export function write(name, text) {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const servers = new Set();
// Starts the program; `address` is what it prints first, and stop() interrupts it and returns its exit code.
export async function serve(...words) {
  const child = spawn(program, ['view', '--port', '0', ...words], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  servers.add(child);
  child.on('exit', () => servers.delete(child));
  const address = await new Promise((found, failed) => {
    let text = '';
    child.stdout.on('data', (part) => {
      text += part;
      if (text.includes('\n')) found(text.split('\n')[0]);
    });
    child.on('exit', () => failed(new Error('the program has ended')));
  });
  return {
    address,
    stop: () =>
      new Promise((done) => {
        child.on('exit', done);
        child.kill('SIGINT');
      }),
  };
}

let browser;
export async function begin() {
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
}
export async function end() {
  for (const server of servers) server.kill('SIGKILL');
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

// Opens a page: one of a file without any network, or one that is served, with nothing but its own host. Runs stand still
// unless `motion` is wanted. `ready`: a name that the page gives itself when it is drawn.
export async function open(page, { width = 1280, height = 800, motion = false, ready = 'grashof', ...more } = {}) {
  const served = page.startsWith('http');
  const context = await browser.newContext({
    viewport: { width, height },
    offline: !served,
    reducedMotion: motion ? 'no-preference' : 'reduce',
    ...more,
  });
  context.setDefaultTimeout(300000); // a machine may be busy
  const asked = [];
  await context.route('**', (route) => {
    const url = route.request().url();
    asked.push(url);
    return url.startsWith('file:') || (served && url.startsWith(page.split('#')[0])) ? route.continue() : route.abort();
  });
  const tab = await context.newPage();
  const said = [];
  tab.on('console', (message) => {
    if (!message.text().includes('GL Driver Message')) said.push(message.text());
  });
  tab.on('pageerror', (error) => said.push(error.message));
  await tab.goto(served ? page : `file://${page}`);
  await tab.waitForFunction((name) => window[name] !== undefined, ready);
  const quiet = () => {
    assert.deepEqual(said, [], 'nothing is said on the console');
    assert.deepEqual(
      asked.filter((url) => !url.startsWith('file:') && !(served && url.startsWith(page.split('#')[0]))),
      [],
      'nothing else is asked for',
    );
  };
  return {
    tab,
    quiet,
    close: async () => {
      quiet();
      await context.close();
    },
  };
}
export const phone = { width: 390, height: 844, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

// The colour of the picture at places of the page, as [red, green, blue].
export const pixels = (tab, places) =>
  tab.evaluate((all) => {
    grashof.draw();
    const stage = document.getElementById('stage'),
      copy = document.createElement('canvas');
    copy.width = stage.width;
    copy.height = stage.height;
    const c = copy.getContext('2d', { willReadFrequently: true }),
      ratio = stage.width / window.innerWidth;
    c.drawImage(stage, 0, 0);
    return all.map(([x, y]) => [...c.getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data.slice(0, 3)]);
  }, places);
export const brightness = ([r, g, b]) => (r + g + b) / 3;

export function near(a, b, tolerance, what) {
  const x = [a].flat(),
    y = [b].flat();
  assert.ok(x.length === y.length && x.every((v, i) => Math.abs(v - y[i]) <= tolerance), `${what}: ${x} is not ${y} within ${tolerance}`);
}
export const option = (tab, id, value) => tab.evaluate(([name, to]) => grashof.setOption(name, to), [id, value]);

// A claim, and what shows it.
export async function claim(text, show) {
  const began = Date.now();
  try {
    await show();
  } catch (error) {
    error.message = `${text}: ${error.message}`;
    throw error;
  }
  console.log(`  ${text} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
}
