import type { Page } from 'playwright-core';
import type { Look } from './looks.ts';
import type { Stage } from './stage.ts';

/** Address of the search that all pictures show. */
const SEARCH = '/?origin=Madrid&destination=Barcelona';
/** Selector of a page whose search has ended, in whatever way. */
export const DONE = 'main:is([data-state=done], [data-state=failed], [data-state=broken])';
/** Selector of an operator's page that follows the server. */
export const LIVE = 'main[data-state=live]';
/** Selector of each carrier that has answered with trains. */
export const ANSWERED = '[data-carrier][data-state=ok]';
/** Carriers that serve the search. */
export const SERVING = 3;

/** True once most days of the strip have a price. */
const PRICED_DAYS = `[...document.querySelectorAll('#days .day b')].filter(({ textContent }) => /\\d/.test(textContent)).length > 4`;

/** Leads a page to what a picture shows. */
type Scene = (page: Page, stage: Stage) => Promise<void>;

/** Searches until so many carriers answer: on a busy machine one may be late. */
async function searchUntil(page: Page, { url }: Stage, answers: number): Promise<void> {
  for (let tries = 0; tries < 10; tries++) {
    await page.goto(url + SEARCH);
    await page.waitForSelector(DONE);
    if ((await page.locator(ANSWERED).count()) === answers) return;
  }
  throw new Error(`Cannot take the picture: ${answers} carriers must answer in time`);
}

const home: Scene = async (page, { url }) => {
  await page.goto(url);
  await page.waitForSelector('main[data-ready]', { state: 'attached' });
};
const results: Scene = (page, stage) => searchUntil(page, stage, SERVING);
const journey: Scene = async (page, stage) => {
  await results(page, stage);
  await page.locator('.journey > details > summary').nth(1).click();
  await page.evaluate('scrollTo(0, 0)');
};
const partial: Scene = async (page, stage) => {
  await stage.hang('renfe');
  await searchUntil(page, stage, SERVING - 1);
};
/** Both ways over a border, in the currency of neither, with the prices of the days around. */
const roundTrip: Scene = async (page, { url }) => {
  const day = (days: number): string =>
    new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const query = { origin: 'Paris', destination: 'Milano', date: day(14), returnDate: day(17) };
  await page.goto(`${url}/?${new URLSearchParams({ ...query, currency: 'CHF' })}`);
  await page.waitForSelector(DONE);
  await page.waitForSelector('#trip p');
  await page.waitForSelector('#rates:not(:empty)');
  for (let tries = 0; !(await page.evaluate(PRICED_DAYS)); tries++) {
    if (tries === 100) throw new Error('Cannot take the picture: the calendar must have prices');
    await page.waitForTimeout(100);
  }
};
const operator: Scene = async (page, stage) => {
  await stage.load();
  await stage.hang('renfe');
  await page.goto(`${stage.url}/operator`);
  await page.waitForSelector(LIVE);
  // The searches that hang have come to their deadline.
  await page.waitForTimeout(6000);
};

interface Picture {
  readonly name: string;
  readonly look: Look;
  readonly lead: Scene;
}

const inBoth = (name: string, lead: Scene): readonly Picture[] =>
  (['light', 'dark'] as const).map((look) => ({ name: `${name}-${look}`, look, lead }));
const onPhone = (name: string, lead: Scene): Picture => ({
  ...{ name: `${name}-phone`, look: 'phone', lead },
});

/** Every picture but the moving one; the operator's pictures last, when there is something in the charts. */
export const pictures: readonly Picture[] = [
  ...inBoth('home', home),
  ...inBoth('results', results),
  onPhone('results', results),
  ...inBoth('journey', journey),
  onPhone('partial', partial),
  ...inBoth('round-trip', roundTrip),
  ...inBoth('operator', operator),
  onPhone('operator', operator),
];
