import { expect, test, vi } from 'vitest';
import { eventually, requestsAt, setPlan, sharedServerBy } from '../../demo.ts';
import { describeInBrowser, sharedBrowser, violationsOf } from './browser.ts';

// Only a guard against a hang: a browser on a busy machine is slow.
vi.setConfig({ testTimeout: 240_000 });

/** Layout shifts that nobody caused by input. */
const SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shifts.push(value);
  }).observe({ type: 'layout-shift', buffered: true });
`;

describeInBrowser('the age of prices on the traveller’s page', () => {
  let ahead = 0;
  const server = sharedServerBy(
    () => Date.now() + ahead,
    ...['--latency', '5', '--keep', '60:600', '--carriers', 'renfe,ouigo,avlo'],
  );
  const browser = sharedBrowser();
  const date = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
  const path = `/?origin=Atocha&destination=Barcelona&date=${date}`;
  const arrived = async () =>
    Object.values(await requestsAt(server().carriersUrl)).reduce(
      (sum, one) => sum + one.arrived,
      0,
    );

  test.each(['light', 'dark'] as const)(
    'old prices say so, and are renewed by a click: %s',
    async (colorScheme) => {
      const page = await browser.open({ colorScheme });
      await page.addInitScript(SHIFTS);
      await page.goto(server().url + path);
      await page.waitForSelector('main[data-state=done]');
      expect(await page.textContent('#notice')).toBe('');
      ahead += 130_000;
      // The carrier does not answer: what is kept is all that there is.
      await setPlan(server().carriersUrl, 'ouigo', { fault: { kind: 'error', share: 1 } });
      await fetch(`${server().url}/search${path.slice(1)}`);
      await eventually(async () => {
        const { carriers } = (await (
          await fetch(`${server().url}/search${path.slice(1)}`)
        ).json()) as {
          carriers: { error?: object }[];
        };
        expect(carriers.filter(({ error }) => error)).toHaveLength(1);
      });
      await page.goto(server().url + path);
      await page.waitForSelector('#notice .notice');
      await page.waitForSelector('main[data-state=done]');
      const notice = (await page.textContent('#notice .notice'))?.replace(/\s+/g, ' ').trim();
      expect(notice).toBe('Prices as of 2 minutes ago. Ouigo did not answer since. Refresh');
      expect(await page.evaluate('shifts.reduce((sum, one) => sum + one, 0)')).toBeLessThan(0.01);
      await page.click('#count');
      expect(await page.textContent('#carriers [data-carrier=ouigo]')).toContain(
        'Its answer is of 2 minutes ago, and it did not answer since.',
      );
      expect(await violationsOf(page)).toEqual([]);
      await page.click('#count');

      await setPlan(server().carriersUrl, 'ouigo', { fault: null });
      const before = await arrived();
      await page.click('[data-fresh]');
      await eventually(async () => {
        expect(await page.locator('#notice .notice').count()).toBe(0);
        expect(await page.getAttribute('main', 'data-state')).toBe('done');
      });
      expect(await arrived()).toBeGreaterThan(before);
      expect(new URL(page.url()).searchParams.has('fresh')).toBe(false);
      await page.context().close();
    },
  );

  test('without script the link asks every carrier now', async () => {
    const page = await browser.open({ javaScriptEnabled: false });
    ahead += 130_000;
    const plain = `${server().url}${path}&plain=1`;
    await page.goto(plain);
    const link = page.locator('.block:last-child [data-fresh]');
    expect(await link.getAttribute('href')).toContain('fresh=1');
    const before = await arrived();
    await link.click();
    await page.waitForLoadState();
    expect(await arrived()).toBeGreaterThan(before);
    expect(await page.locator('.block:last-child [data-fresh]').count()).toBe(0);
    const hrefs = await page
      .locator('.block:last-child a[href*="date="]')
      .evaluateAll((links) => links.map((one) => one.getAttribute('href') ?? ''));
    expect(hrefs.length).toBeGreaterThan(3);
    expect(hrefs.filter((href) => href.includes('fresh'))).toEqual([]);
    await page.context().close();
  });
});
