import type { Browser } from 'playwright-core';
import { createFilm } from './film.ts';
import { openLook } from './looks.ts';
import { DONE, LIVE } from './scenes.ts';
import type { Stage } from './stage.ts';

const WIDTH = 900;
const KILLED = 'server-1/task-0';

/** Takes the moving picture: a search of which a carrier hangs, then the server behind it, of which a worker is killed. */
export async function takeStory(browser: Browser, stage: Stage): Promise<Buffer> {
  const { page, close } = await openLook(browser, stage.url, 'story');
  const film = createFilm(page);
  await stage.load();
  // One after the other, so that it is seen.
  await stage.delay('ouigo', 500);
  await stage.delay('avlo', 1100);
  await stage.hang('renfe');

  await page.goto(stage.url);
  await page.waitForSelector('main[data-ready]', { state: 'attached' });
  film.say('One search asks six carriers at once');
  await film.hold(1200);
  for (const [name, place] of [
    ['origin', 'Madrid'],
    ['destination', 'Barcelona'],
  ]) {
    await page.fill(`[name=${name}]`, place ?? '');
    await film.hold(700);
  }
  await page.press('[name=destination]', 'Enter');
  film.say('Each train is shown as its carrier answers; Renfe hangs');
  await film.follow(page.waitForSelector(DONE));
  film.say('At the deadline the others are there, and the page says who is missing');
  await film.hold(3500);

  await page.goto(`${stage.url}/operator`);
  await page.waitForSelector(LIVE);
  film.say('The operator sees the same: Renfe hangs, the rest goes on');
  await film.follow(page.waitForTimeout(4000));
  await stage.kill(KILLED);
  film.say('A worker is killed');
  await film.follow(page.waitForTimeout(2500));
  film.say('Its successor takes its slot; its calls were retried');
  await film.follow(page.waitForTimeout(4000));
  await film.hold(2500);
  const webp = await film.develop(WIDTH);
  await close();
  return webp;
}
