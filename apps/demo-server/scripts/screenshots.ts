// Takes the pictures of the READMEs: `pnpm --filter demo-server screenshots` writes docs/pictures. Needs Chromium, or CHROMIUM;
// takes two minutes. A step of a release, since fonts and times differ from machine to machine.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine, createProgress } from '@ticketing/cli-kit';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { startServer } from '../bench/demo-process.ts';
import { chromiumPath } from './chromium.ts';
import { openLook } from './pictures/looks.ts';
import { pictures } from './pictures/scenes.ts';
import { createStage } from './pictures/stage.ts';
import { takeStory } from './pictures/story.ts';

const FOLDER = new URL('../../../docs/pictures/', import.meta.url);
const MOST_BYTES = { picture: 150_000, story: 1_000_000 };
/** So many processes that an operator has something to see of. */
const FLAGS = [
  ...['--port', '0', '--worms', '0', '--accept', 'socket', '--workers', '3'],
  ...['--dispatch', 'fork', '--dispatch-workers', '2'],
];

commandLine({
  run: 'pnpm --filter demo-server screenshots',
  about: 'Takes the pictures of the READMEs.',
  verb: 'take pictures',
  flags: {},
});
if (chromiumPath === undefined) {
  console.error('Cannot take pictures: install chromium, or set CHROMIUM');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'ticketing-pictures-'));
const rates = join(folder, 'rates.json');
writeFileSync(
  rates,
  JSON.stringify({
    ...{ asOf: new Date().toISOString().slice(0, 10), source: 'an example' },
    ...{ base: 'EUR', perBase: { CHF: '0.9412', GBP: '0.8731' } },
  }),
);
const server = await startServer([...FLAGS, '--rates', rates], { isBuilt: true });
const browser = await chromium.launch({ executablePath: chromiumPath });
const progress = createProgress();
using stage = createStage(server);
const taken = new Map<string, Buffer>();
try {
  progress.begin('pictures', pictures.length + 1);
  for (const { name, look, lead } of pictures) {
    await stage.reset();
    const { page, close } = await openLook(browser, stage.url, look);
    await lead(page, stage);
    const png = await page.screenshot({ animations: 'disabled' });
    await close();
    keep(`${name}.webp`, await sharp(png).webp({ nearLossless: true, effort: 6 }).toBuffer());
    progress.step();
  }
  await stage.reset();
  keep('story.webp', await takeStory(browser, stage), MOST_BYTES.story);
  progress.step();
  // None is replaced unless all are there.
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, bytes] of taken) writeFileSync(new URL(name, FOLDER), bytes);
} finally {
  progress.end();
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

function keep(name: string, bytes: Buffer, most = MOST_BYTES.picture): void {
  if (bytes.length > most) throw new Error(`Cannot keep ${name}: it has ${bytes.length} bytes`);
  taken.set(name, bytes);
}
