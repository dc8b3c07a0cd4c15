import { expect, test, vi } from 'vitest';
import { setPlan, sharedServerBy } from '../../demo.ts';
import { describeInBrowser, sharedBrowser, violationsOf } from './browser.ts';

// Only a guard against a hang: a browser on a busy machine is slow.
vi.setConfig({ testTimeout: 240_000 });

/** Noon of a day whose strip is of two months. */
const NOW = Date.parse('2026-11-20T12:00Z');
const startedAt = performance.now();

/** Only a guard against a hang. */
const PATIENCE = { timeout: 60_000 };

describeInBrowser('other days and the way back on the traveller’s page', () => {
  const server = sharedServerBy(
    () => NOW + Math.floor(performance.now() - startedAt),
    ...['--latency', '5', '--carriers', 'renfe,ouigo,osdm', '--keep', '60:600'],
  );
  const browser = sharedBrowser();
  const text = (value: string | null | undefined) => value?.replace(/\s+/g, ' ').trim();

  test('the strip of days has the prices of the calendar, of both months, and a day leads to its search', async () => {
    const page = await browser.open();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/calendar?')) asked.push(new URL(request.url()).search);
    });
    await page.goto(
      `${server().url}/?origin=Atocha&destination=Barcelona&date=2026-11-29&passengers=1`,
    );
    await page.waitForSelector('main[data-state=done]');
    const counted = (text: RegExp, rows: string): Promise<number> =>
      page.locator(rows).filter({ hasText: text }).count();
    await expect.poll(() => counted(/./, '#days .day b.low'), PATIENCE).toBe(1);
    await expect.poll(() => counted(/\d/, '#days .day b'), PATIENCE).toBe(7);
    expect(asked.map((search) => new URLSearchParams(search).get('month')).sort()).toEqual([
      '2026-11',
      '2026-12',
    ]);
    expect(await violationsOf(page)).toEqual([]);
    const other = page.locator('#days [data-day="2026-12-02"].day');
    const shown = text(await other.locator('b').textContent());
    await other.click();
    await page.waitForSelector('#days [data-day="2026-12-02"][aria-current]');
    await page.waitForSelector('main[data-state=done]');
    // The search of the day has the price that the calendar told.
    expect(text(await other.locator('b').textContent())).toBe(shown);
    expect(asked).toHaveLength(2);
  });

  test('a search that a calendar does not know asks for none', async () => {
    const page = await browser.open();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(
      `${server().url}/?origin=Atocha&destination=Barcelona&date=2026-12-10&class=first`,
    );
    await page.waitForSelector('main[data-state=done][data-ready]');
    expect(asked).not.toContain('/calendar');
  });

  test('a carrier that fails costs the strip its prices, and nothing else', async () => {
    for (const carrier of ['renfe', 'ouigo']) {
      await setPlan(server().carriersUrl, carrier, { fault: { kind: 'error', share: 1 } });
    }
    const page = await browser.open();
    await page.goto(`${server().url}/?origin=Valencia&destination=Sevilla&date=2026-12-10`);
    await page.waitForSelector('main[data-state]');
    await page.waitForSelector('main[data-ready]');
    expect(await page.locator('#days .day').count()).toBe(7);
    for (const carrier of ['renfe', 'ouigo']) {
      await setPlan(server().carriersUrl, carrier, { fault: null });
    }
  });

  test.each(['light', 'dark'] as const)(
    'the form asks for a way back, and the page shows its price, the sum, and the offer for both: %s',
    async (colorScheme) => {
      const page = await browser.open({ colorScheme });
      await page.goto(
        `${server().url}/?origin=uic:8503000&destination=uic:8301700&date=2026-12-01&returnDate=2026-12-03`,
      );
      await page.waitForSelector('#trip .trip-pair');
      const lines = (await page.locator('#trip p').allTextContents()).map(text);
      expect(lines).toEqual([
        expect.stringMatching(/^Back on Thu 3 Dec from .*\d+ \d+ journeys?$/),
        expect.stringMatching(/^Both ways as two tickets from .*\d/),
        expect.stringMatching(
          /^Both ways together with OSDM .*\d.* out \d\d:\d\d, back \d\d:\d\d$/,
        ),
      ]);
      const amounts = lines.slice(1).map((line) => Number(/(\d+\.\d\d)/.exec(line ?? '')?.[1]));
      expect(amounts[1]).toBeLessThan(amounts[0] as number);
      expect(await page.locator('#trip .low').count()).toBe(1);
      expect(await violationsOf(page)).toEqual([]);
      expect(text(await page.textContent('[data-chip=back] summary'))).toBe('Back Thu 3 Dec');
      await page.click('#trip .trip-back');
      await page.waitForURL(/origin=uic%3A8301700&destination=uic%3A8503000&date=2026-12-03/);
      await page.waitForSelector('main[data-state=done]');
      expect(await page.locator('.journey').count()).toBeGreaterThan(3);
      expect(text(await page.textContent('#trip'))).toBe('');
    },
  );
});
