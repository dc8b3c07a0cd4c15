import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import {
  eventually,
  getFrom,
  MADRID_BARCELONA,
  requestsAt,
  setPlan,
  startDemo,
} from '../../demo.ts';
import { describeInBrowser, sharedBrowser, violationsOf } from './browser.ts';

// Only a guard against a hang: a browser on a busy machine is slow.
vi.setConfig({ testTimeout: 240_000 });

const SOURCES = { DEMO_MAIN: fileURLToPath(new URL('../../../src/main.ts', import.meta.url)) };
const PAGE = `/?${MADRID_BARCELONA.split('?')[1]}`;
const LOOKS = [
  { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  { viewport: { width: 320, height: 640 }, colorScheme: 'dark' },
] as const;

const done = (page: Page) => page.waitForSelector('main[data-state=done]');
const widthOf = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth');

describeInBrowser('the guards of carriers', () => {
  const browser = sharedBrowser();

  test('a carrier that asked for a pause is counted down to in place, and asked when its time has come', async () => {
    const { url, carriersUrl } = await startDemo(['--latency', '0'], SOURCES);
    const page = await browser.open(LOOKS[0]);
    // Time that passes in the page alone: the test needs no minutes, and a busy machine has them.
    await page.clock.install();
    const fault = { kind: 'rate-limited', share: 1, retryAfterSeconds: 3600 };
    await setPlan(carriersUrl, 'renfe', { fault });
    await page.goto(url + PAGE);
    await done(page);
    const again = page.locator('.notice [data-again]');
    const count = again.locator('.again');
    expect(await page.textContent('.notice p')).toContain('Renfe was asked too often.');
    await page.waitForSelector('.notice [data-again][aria-disabled=true]');
    expect(await count.textContent()).toMatch(/^in \d\d min$/);
    expect(await again.locator('.sr').textContent()).toMatch(/^at \d\d:\d\d:\d\d$/);
    const box = await again.boundingBox();
    await page.evaluate(`
      window.shifts = 0;
      new PerformanceObserver((list) => { shifts += list.getEntries().length; })
        .observe({ type: 'layout-shift' });
    `);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/search')) asked.push(request.url());
    });
    await again.click({ force: true });
    await page.clock.fastForward(58 * 60_000);
    await eventually(async () => expect(await count.textContent()).toMatch(/^in (?:2 min|\d+ s)$/));
    expect(await again.boundingBox()).toEqual(box);
    expect(asked).toEqual([]);
    expect((await requestsAt(carriersUrl))['renfe']?.arrived).toBe(1);
    await page.clock.fastForward(2 * 60_000);
    await page.waitForSelector('.notice [data-again]:not([aria-disabled])');
    expect(await count.textContent()).toBe('now');
    expect(await again.boundingBox()).toEqual(box);
    expect(await page.evaluate('shifts')).toBe(0);
    await again.click();
    await eventually(() => expect(asked).toHaveLength(1));
    expect(asked[0]).toContain('carriers=renfe');
  });

  test('paused carriers have no violation in both schemes and as narrow as a phone', async () => {
    const { url, carriersUrl } = await startDemo(['--latency', '0'], SOURCES);
    const fault = { kind: 'rate-limited', share: 1, retryAfterSeconds: 3600 };
    await setPlan(carriersUrl, 'renfe', { fault });
    for (const look of LOOKS) {
      const page = await browser.open(look);
      await page.goto(url + PAGE);
      await done(page);
      await page.waitForSelector('.notice [data-again][aria-disabled=true]');
      await page.click('.asked > summary');
      expect(await violationsOf(page)).toEqual([]);
      expect(await widthOf(page)).toBe(look.viewport.width);
    }
  });

  test('the operator’s page shows a circuit that opens and closes, in its table, its picture and its events', async () => {
    const { url, carriersUrl } = await startDemo(['--latency', '0'], SOURCES);
    await setPlan(carriersUrl, 'avlo', { fault: { kind: 'malformed-price', share: 1 } });
    for (let search = 0; search < 10; search++) await getFrom(url + MADRID_BARCELONA);
    const row = (page: Page) => page.locator('#carriers tr[data-key=avlo]');
    for (const look of LOOKS) {
      const page = await browser.open(look);
      await page.goto(`${url}/operator`);
      await page.waitForSelector('main[data-state=live]');
      await eventually(async () =>
        expect(await row(page).textContent()).toMatch(/open, [\d.]+ m?s|half-open/),
      );
      expect(await page.textContent('main')).toContain('Circuit of Avlo opened');
      expect(await violationsOf(page)).toEqual([]);
      expect(await widthOf(page)).toBe(look.viewport.width);
    }
    const page = await browser.open(LOOKS[0]);
    await page.goto(`${url}/operator`);
    await page.waitForSelector('main[data-state=live]');
    await page.click('[data-part="carrier avlo"]');
    await page.waitForSelector('#node[open]');
    expect(await page.textContent('#node')).toContain('Refused by circuit, by rate');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await setPlan(carriersUrl, 'avlo', { fault: null });
    await eventually(async () => {
      const { body } = await getFrom(url + MADRID_BARCELONA);
      expect(body.carriers.at(-1)).toMatchObject({ carrier: 'avlo', state: 'ok' });
    });
    await eventually(async () => {
      await getFrom(url + MADRID_BARCELONA);
      expect(await row(page).textContent()).toContain('closed');
    });
    await eventually(async () =>
      expect(await page.textContent('main')).toContain('Circuit of Avlo closed'),
    );
  });
});
