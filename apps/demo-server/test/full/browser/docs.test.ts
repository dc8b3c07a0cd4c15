import { expect, test, vi } from 'vitest';
import { sharedProcess } from '../../demo.ts';
import { describeInBrowser, sharedBrowser, violationsOf } from './browser.ts';

// Only a guard against a hang: a browser on a busy machine is slow.
vi.setConfig({ testTimeout: 240_000 });

const SEARCH = '#operations-search-search';
/** Parts of its page whose colours are ours. */
const PARTS = ['.top', '.information-container', `${SEARCH} .parameters-container`];

describeInBrowser('the page of the API', () => {
  const server = sharedProcess('--deadline-ms', '10000', '--latency', '0');
  const browser = sharedBrowser();

  test('/docs shows every route, tries one, and asks no other host', async () => {
    const page = await browser.open();
    const origins = new Set<string>();
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin);
    });
    await page.goto(`${server().url}/docs`);
    await page.waitForSelector('#operations-search-search');
    expect(await page.locator('.opblock').count()).toBeGreaterThan(10);
    await page.click('#operations-health-isAlive .opblock-summary-control');
    await page.click('#operations-health-isAlive button.execute');
    await page.waitForSelector('#operations-health-isAlive .live-responses-table');
    expect(await page.textContent('#operations-health-isAlive .live-responses-table')).toContain(
      'alive',
    );
    expect(await page.locator('a[href*="validator"], img[src*="validator"]').count()).toBe(0);
    expect([...origins]).toEqual([server().url]);
  });

  test('/docs has the header of all pages, and fits a phone in both schemes', async () => {
    const backgrounds = new Set<string>();
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.open({
        colorScheme,
        viewport: { width: 390, height: 844 },
        isMobile: true,
        hasTouch: true,
      });
      await page.goto(`${server().url}/docs`);
      await page.waitForSelector(SEARCH);
      expect(await page.locator('.nav [aria-current]').getAttribute('href')).toBe('/docs');
      await page.click(`${SEARCH} .opblock-summary-control`);
      await page.click(`${SEARCH} button.execute`);
      await page.waitForSelector(`${SEARCH} .live-responses-table`);
      const [width, screen, background] = await page.evaluate<[number, number, string]>(
        `[document.documentElement.scrollWidth, innerWidth,
          getComputedStyle(document.querySelector('${SEARCH}')).backgroundColor]`,
      );
      expect([width, screen]).toEqual([390, 390]);
      backgrounds.add(background);
      expect(await violationsOf(page, { parts: PARTS, only: ['color-contrast'] })).toEqual([]);
    }
    expect(backgrounds.size).toBe(2);
  });

  test('/docs: the first Execute of a search and of a control succeeds, with what the page fills in', async () => {
    const page = await browser.open();
    await page.goto(`${server().url}/docs`);
    await page.waitForSelector(SEARCH);
    for (const id of ['#operations-search-search', '#operations-operator-startLoad']) {
      await page.click(`${id} .opblock-summary-control`);
      await page.click(`${id} button.execute`);
      await page.waitForSelector(`${id} .live-responses-table`);
      expect(
        await page.textContent(`${id} .live-responses-table tbody .response-col_status`),
      ).toMatch(/200/);
    }
    const filled = await page.evaluate(
      `[...document.querySelectorAll('${SEARCH} tr[data-param-name]')]
        .map((row) => [row.dataset.paramName, row.querySelector('input, select:not(.examples-select-element)').value])
        .filter(([, value]) => value !== '' && value !== 'departure')`,
    );
    expect(filled).toEqual([
      ['origin', 'Madrid'],
      ['destination', 'Barcelona'],
    ]);
    expect(await page.textContent(`${SEARCH} .live-responses-table`)).toContain('"journeys"');
  });

  test('a browser that opens /search gets the page of that search', async () => {
    const page = await browser.open();
    await page.goto(`${server().url}/search?origin=Madrid&destination=Barcelona&order=price`);
    await page.waitForSelector('main[data-state=done]');
    expect(await page.locator('.journey').count()).toBeGreaterThan(10);
    expect(new URL(page.url()).search).toBe('?origin=Madrid&destination=Barcelona&order=price');
  });
});
