import { expect, test, vi } from 'vitest';
import { sharedProcess } from '../../demo.ts';
import { describeInBrowser, sharedBrowser, violationsOf } from './browser.ts';

// A guard alone: a browser on a busy machine takes its time.
vi.setConfig({ testTimeout: 240_000 });

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

  test('/docs: the first Execute of a search and of a control succeeds, with what the page fills in', async () => {
    const page = await browser.open();
    await page.goto(`${server().url}/docs`);
    await page.waitForSelector('#operations-search-search');
    for (const id of ['#operations-search-search', '#operations-operator-startLoad']) {
      await page.click(`${id} .opblock-summary-control`);
      await page.click(`${id} button.execute`);
      await page.waitForSelector(`${id} .live-responses-table`);
      expect(
        await page.textContent(`${id} .live-responses-table tbody .response-col_status`),
      ).toMatch(/200/);
    }
  });

  test('an unknown path is a page whose form searches, without a violation', async () => {
    const page = await browser.open();
    await page.goto(`${server().url}/serch`);
    expect(await page.textContent('.problem')).toContain('did you mean /search?');
    expect(await violationsOf(page)).toEqual([]);
    await page.fill('#origin', 'Madrid');
    await page.fill('#destination', 'Barcelona');
    await page.click('button.main');
    await page.waitForSelector('main[data-state=done]');
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('a browser that opens /search gets the page of that search', async () => {
    const page = await browser.open();
    await page.goto(`${server().url}/search?origin=Madrid&destination=Barcelona&order=price`);
    await page.waitForSelector('main[data-state=done]');
    expect(await page.locator('.journey').count()).toBeGreaterThan(10);
    expect(new URL(page.url()).search).toBe('?origin=Madrid&destination=Barcelona&order=price');
  });
});
