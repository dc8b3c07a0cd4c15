import type { Browser, Page } from 'playwright-core';
import { CARRIER_NAMES } from '../../src/carriers/carriers.ts';
import { createFilm, type Film } from './film.ts';
import { openLook } from './looks.ts';
import { ANSWERED, DONE, LIVE, SERVING } from './scenes.ts';
import type { Stage } from './stage.ts';

const WIDTH = 1120;
const KILLED = 'server-1/task-0';

/** Takes the moving picture: a search of which a carrier hangs, then the server behind it, of which a worker is killed. */
export async function takeStory(browser: Browser, stage: Stage): Promise<Buffer> {
  const { page, close } = await openLook(browser, stage.url, 'story');
  await stage.rest();
  await stage.hang('renfe');
  // One after the other, so that it is seen.
  await stage.delay('ouigo', 400);
  await stage.delay('avlo', 900);
  const film = await searched(page, stage);
  await stage.reset();
  await stage.load();
  await page.goto(`${stage.url}/operator`);
  await page.waitForSelector(LIVE);
  film.say('The server behind it, from clients to carriers');
  await film.follow(page.waitForTimeout(2500));
  await stage.hang('renfe');
  film.say('Renfe hangs: the others are answered as before');
  await film.follow(page.waitForTimeout(6500));
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

/** Returns a film of a search whose answer lacks Renfe alone; on a busy machine others may be late, and it is filmed again. */
async function searched(page: Page, { url }: Stage): Promise<Film> {
  for (let tries = 0; tries < 5; tries++) {
    const film = createFilm(page);
    await page.goto(url);
    await page.waitForSelector('main[data-ready]', { state: 'attached' });
    film.say(`One search asks ${CARRIER_NAMES.length} carriers at once`);
    await film.hold(1200);
    await page.fill('[name=origin]', 'Madrid');
    await film.hold(700);
    await page.fill('[name=destination]', 'Barcelona');
    await film.hold(700);
    await page.press('[name=destination]', 'Enter');
    film.say('Trains are shown as their carriers answer; Renfe hangs');
    await film.follow(page.waitForSelector(DONE));
    film.say('At the deadline the others are there, and the page names who is missing');
    await film.hold(3500);
    if ((await page.locator(ANSWERED).count()) === SERVING - 1) return film;
  }
  throw new Error('Cannot take the story: two carriers must answer in time');
}
