import { expect, test, vi } from 'vitest';
import { sharedProcess } from '../../demo.ts';
import { describeInBrowser, sharedBrowser } from './browser.ts';

// Only a guard against a hang: a browser on a busy machine is slow.
vi.setConfig({ testTimeout: 240_000 });

/** Makes each slice of work a single row, as on a machine that is slow, and records what moves without being asked to. */
const SLOW = `
  const now = performance.now.bind(performance);
  let later = 0;
  performance.now = () => now() + (later += 5);
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (!hadRecentInput) shifts.push([value, ...sources.map(({ node }) => node?.className)].join(' '));
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

describeInBrowser('rows that come one by one', () => {
  const server = sharedProcess('--latency', '100', '--deadline-ms', '30000', '--worms', '0');
  const browser = sharedBrowser();

  test.each([
    { width: 1280, height: 900 },
    { width: 390, height: 844 },
    { width: 360, height: 640 },
  ])('push no row and no link that is seen, at $width', async (viewport) => {
    const page = await browser.open({ viewport });
    await page.addInitScript(SLOW);
    await page.goto(`${server().url}/?origin=Madrid&destination=Barcelona`);
    await page.waitForSelector('main[data-state=done]');
    expect(await page.locator('.journey').count()).toBeGreaterThan(10);
    // A shift is known when the frame is drawn.
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    );
    expect(await page.evaluate('shifts')).toEqual([]);
  });
});
