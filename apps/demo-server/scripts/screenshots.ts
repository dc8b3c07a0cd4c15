// Writes docs/pictures/{search,partial,operator}-{light,dark}.png, for the READMEs: `pnpm --filter demo-server screenshots`. Needs
// Chromium, or CHROMIUM; takes a minute. A step of a release, since fonts and times differ from machine to machine.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commandLine, createProgress } from '@ticketing/cli-kit';
import { chromium, type Page } from 'playwright-core';

const FOLDER = new URL('../../../docs/pictures/', import.meta.url);
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const MAX_BYTES = 150_000;
const SCHEMES = ['light', 'dark'] as const;
const ROUTE = 'origin=Madrid&destination=Barcelona';
/** Seconds of load before the operator's page is taken: its charts begin empty. */
const LOAD_SECONDS = 25;

interface Demo {
  readonly url: string;
  /** Changes the plan of a carrier of the embedded simulator. */
  plan(carrier: string, patch: object): Promise<void>;
}

/** What is on a picture: leads a page to it. */
interface Scene {
  readonly height: number;
  lead(page: Page, demo: Demo): Promise<void>;
}

const scenes: Readonly<Record<string, Scene>> = {
  search: {
    height: 1000,
    async lead(page, { url }) {
      await searchUntil(page, url, 3);
      await page.locator('.journey > details > summary').nth(1).click();
      await page.evaluate('scrollTo(0, 0)');
    },
  },
  partial: {
    height: 780,
    async lead(page, { url, plan }) {
      await plan('renfe', { fault: { kind: 'hang' } });
      await searchUntil(page, url, 2);
    },
  },
  operator: {
    height: 1250,
    async lead(page, { url, plan }) {
      await plan('renfe', { fault: { kind: 'hang' } });
      await page.goto(`${url}/operator`);
      for (let second = 0; second < LOAD_SECONDS; second++) {
        const at = new Date(Date.now() + (1 + (second % 9)) * 86_400_000);
        const search = `${url}/search?${ROUTE}&date=${at.toISOString().slice(0, 10)}`;
        const asked = Array.from({ length: 6 }, () => fetch(search));
        void Promise.allSettled(asked.map(async (one) => (await one).arrayBuffer()));
        await page.waitForTimeout(1000);
      }
    },
  },
};

commandLine({
  run: 'pnpm --filter demo-server screenshots',
  about: 'Takes the pictures of the READMEs.',
  verb: 'take pictures',
  flags: {},
});
const PATHS = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome'];
const executablePath = PATHS.find((path) => path !== undefined && existsSync(path));
if (executablePath === undefined) {
  console.error('Cannot take pictures: install chromium, or set CHROMIUM');
  process.exit(2);
}
const { child, demo } = await startDemo();
const browser = await chromium.launch({ executablePath });
const progress = createProgress();
try {
  mkdirSync(FOLDER, { recursive: true });
  progress.begin('pictures', Object.keys(scenes).length * SCHEMES.length);
  for (const [name, { height, lead }] of Object.entries(scenes)) {
    for (const colorScheme of SCHEMES) {
      await demo.plan('renfe', { fault: null });
      const viewport = { width: 1120, height };
      const context = await browser.newContext({ colorScheme, viewport, locale: 'en-GB' });
      const page = await context.newPage();
      await lead(page, demo);
      const png = await page.screenshot({ animations: 'disabled' });
      await context.close();
      if (png.length > MAX_BYTES) {
        throw new Error(`Cannot keep ${name}-${colorScheme}.png: it has ${png.length} bytes`);
      }
      writeFileSync(new URL(`${name}-${colorScheme}.png`, FOLDER), png);
      progress.step();
    }
  }
} finally {
  progress.end();
  await browser.close();
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Searches until so many carriers answer: on a busy machine one may be late. */
async function searchUntil(page: Page, url: string, answers: number): Promise<void> {
  for (let tries = 0; tries < 10; tries++) {
    await page.goto(`${url}/?${ROUTE}`);
    await page.waitForSelector('main[data-state=done]');
    if ((await page.locator('#carriers [data-state=ok]').count()) === answers) return;
  }
  throw new Error(`Cannot take the picture: ${answers} carriers must answer in time`);
}

/** Starts the demo with several processes, which an operator has something to see of. */
async function startDemo(): Promise<{ readonly child: ChildProcess; readonly demo: Demo }> {
  const flags = ['--port', '0', '--accept', 'socket', '--workers', '2', '--dispatch', 'fork'];
  const child = spawn(process.execPath, ['--conditions=@ticketing/source', MAIN, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const data of child.stdout) {
    output += data;
    if (output.includes('processes')) break;
  }
  const [, url = ''] = /^ticketing +(\S+)\/$/m.exec(output.replace(/ {2,}search.*/, '')) ?? [];
  const [, carriersUrl = ''] = / carriers +(\S+)/.exec(output) ?? [];
  return {
    child,
    demo: {
      url,
      async plan(carrier, patch) {
        const { status } = await fetch(`${carriersUrl}/plan/${carrier}`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(patch),
        });
        if (status !== 200) throw new Error(`Cannot change ${carrier}: got status ${status}`);
      },
    },
  };
}
