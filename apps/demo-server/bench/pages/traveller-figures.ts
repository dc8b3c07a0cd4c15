// Figures of the traveller's page as Chromium has them, by selectors that hold for any look of it.
import { median } from '@ticketing/bench-kit';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { violationsOf } from '../../test/full/browser/violations.ts';
import { changePlan, type DemoServer } from '../demo-process.ts';
import { devices, type NetworkName, openPage, type Seen } from './devices.ts';

export const SEARCH = '/?origin=Madrid&destination=Barcelona';
const DONE = 'main:is([data-state=done], [data-state=failed], [data-state=broken])';
/** Without script a page has lists that the next one replaces. */
const ROW = '.journey:visible';

export type Plans = (patch: object, carriers?: readonly string[]) => Promise<void>;

/** Returns a function that changes the plans of the simulator that a server asks. */
export function plansOf(server: DemoServer, all: readonly string[]): Plans {
  return async (patch, carriers = all) => {
    for (const carrier of carriers) await changePlan(server, carrier, patch);
  };
}

/** Fills the form and sends it, as a person does. */
async function search(page: Page): Promise<void> {
  await page.fill('[name=origin]', 'Madrid');
  await page.fill('[name=destination]', 'Barcelona');
  await page.press('[name=destination]', 'Enter');
}

export interface Opened extends Seen {
  /** Pixels from the top of the page to the first journey. */
  readonly firstRowY: number;
}

/** Opens a search by its link, or from the empty page, and waits until all carriers have answered. */
export async function opened(
  browser: Browser,
  { url }: DemoServer,
  how: { readonly options: BrowserContextOptions; readonly isLink: boolean },
): Promise<Opened> {
  const { page, seen, close } = await openPage(browser, how.options);
  await page.goto(url + (how.isLink ? SEARCH : '/'));
  if (!how.isLink) {
    await page.waitForSelector('main[data-ready]', { state: 'attached' });
    await search(page);
  }
  await page.waitForSelector(ROW);
  await page.waitForSelector(DONE);
  const firstRowY = await page.evaluate<number>(
    `document.querySelector('.journey').getBoundingClientRect().top + scrollY`,
  );
  const figures = { ...(await seen()), firstRowY };
  await close();
  return figures;
}

/** Milliseconds from the request of a page to the first row on it, the median of some tries, each with an empty cache. */
export async function firstRowMs(
  browser: Browser,
  { url }: DemoServer,
  how: { readonly network: NetworkName; readonly hasScript: boolean; readonly tries: number },
): Promise<{ readonly row: number; readonly largest: number }> {
  const rows: number[] = [];
  const largest: number[] = [];
  for (let round = 0; round < how.tries; round++) {
    const options = { ...devices.phone, javaScriptEnabled: how.hasScript };
    const { page, seen, close } = await openPage(browser, options, how.network);
    const start = performance.now();
    // Without script the form sends `plain=1`.
    const loaded = page.goto(url + SEARCH + (how.hasScript ? '' : '&plain=1'), {
      waitUntil: 'commit',
    });
    await Promise.all([loaded, page.waitForSelector(ROW)]);
    const laidOut = performance.now() - start;
    await page.waitForLoadState('load');
    // Without its style a page has rows that are not painted yet.
    const painted = await firstPaintMs(page);
    rows.push(Math.max(laidOut, painted));
    if (how.hasScript) {
      await page.waitForSelector(DONE);
      largest.push((await seen()).largestMs);
    }
    await close();
  }
  return { row: median(rows), largest: median(largest) };
}

/** Resolves with the milliseconds until something was painted. */
async function firstPaintMs(page: Page): Promise<number> {
  for (;;) {
    const ms = await page.evaluate<number>(
      `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0`,
    );
    if (ms > 0) return ms;
  }
}

/** Bytes of a page as they were sent, by kind; `later`: scripts that the page does not name, which come when it is used. */
export async function bytesOf(
  browser: Browser,
  { url }: DemoServer,
  path: string,
): Promise<Readonly<Record<string, number>>> {
  const { page, close } = await openPage(browser, devices.desktop);
  await page.goto(url + path, { waitUntil: 'load' });
  await page.waitForSelector('main:is([data-state=done], [data-state=live])');
  const files = await page.evaluate<readonly (readonly [string, number])[]>(
    `{
      const named = new Set([...document.scripts].map(({ src }) => src));
      const kindOf = ({ entryType, name }) =>
        entryType === 'navigation' ? 'html' : /\\.js$/.test(name) && !named.has(name) ? 'later' : /\\w+$/.exec(new URL(name).pathname)?.[0];
      performance.getEntries().filter((entry) => 'encodedBodySize' in entry)
        .map((entry) => [kindOf(entry) ?? '', entry.encodedBodySize]);
    }`,
  );
  await close();
  const sums: Record<string, number> = { html: 0, css: 0, js: 0, later: 0, woff2: 0, svg: 0 };
  for (const [kind, bytes] of files) {
    if (kind in sums) sums[kind] = (sums[kind] ?? 0) + bytes;
  }
  return sums;
}

/** Leads a page to a state. */
type Scene = (page: Page, server: { readonly url: string; readonly plans: Plans }) => Promise<void>;

const link =
  (path: string): Scene =>
  async (page, { url }) => {
    await page.goto(url + path);
    await page.waitForSelector(`${DONE}, [aria-invalid=true]`);
  };

/** States of the page that are looked at for faults of accessibility. */
const scenes: Readonly<Record<string, Scene>> = {
  home: async (page, { url }) => {
    await page.goto(url);
    await page.waitForSelector('main[data-ready]');
  },
  results: link(SEARCH),
  'an open journey': async (page, server) => {
    await link(SEARCH)(page, server);
    await page.locator(`${ROW} summary`).first().click();
  },
  'one carrier hangs': async (page, { url, plans }) => {
    await plans({ fault: { kind: 'hang' } }, ['renfe']);
    await page.goto(url + SEARCH);
    await page.waitForSelector(ROW);
  },
  partial: async (page, server) => {
    await server.plans({ fault: { kind: 'hang' } }, ['renfe']);
    await link(SEARCH)(page, server);
  },
  'no carrier goes there': link('/?origin=Madrid&destination=London'),
  'unknown place': link('/?origin=Madird&destination=Barcelona'),
};

/** Counts elements with a violation in each state, by screen and scheme. */
export async function violationsByState(
  browser: Browser,
  server: DemoServer,
  plans: Plans,
): Promise<readonly (readonly string[])[]> {
  const looks = [
    { name: '1280, light', options: { ...devices.desktop, colorScheme: 'light' } },
    { name: '390, dark', options: { ...devices.phone, colorScheme: 'dark' } },
    { name: '320, light', options: { ...devices.narrow, colorScheme: 'light' } },
  ] as const;
  const rows = [['violations of axe', ...looks.map(({ name }) => name)]];
  for (const [name, lead] of Object.entries(scenes)) {
    const counts: string[] = [];
    for (const { options } of looks) {
      await plans({ fault: null });
      const { page, close } = await openPage(browser, options);
      await lead(page, { url: server.url, plans });
      const found = await violationsOf(page);
      counts.push(String(found.flatMap(({ nodes }) => nodes).length));
      await close();
    }
    rows.push([name, ...counts]);
  }
  return rows;
}
