import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { startDemo } from '../../demo.ts';
import { describeInBrowser, sharedBrowser, violationsOf } from './browser.ts';

// Only a guard against a hang: a browser on a busy machine is slow.
vi.setConfig({ testTimeout: 240_000 });

/** Only the sources have the page: whoever works on the others looks at it. */
const SOURCES = { DEMO_MAIN: fileURLToPath(new URL('../../../src/main.ts', import.meta.url)) };

describeInBrowser('the page of components', () => {
  const browser = sharedBrowser();

  test('/styleguide shows both schemes without a violation, as wide as a phone and with forced colours', async () => {
    const { url } = await startDemo([], SOURCES);
    const phone = { viewport: { width: 320, height: 640 }, colorScheme: 'dark' as const };
    for (const options of [
      { viewport: { width: 1280, height: 900 } },
      phone,
      // The typeface is optional: where it is late, a page has one of the system, which may be wider.
      { ...phone, isLate: true },
      { viewport: { width: 1280, height: 900 }, forcedColors: 'active' as const },
    ]) {
      const page = await browser.open(options);
      if ('isLate' in options) await page.route('**/*.woff2', (route) => route.abort());
      await page.goto(`${url}/styleguide`);
      const forced = 'forcedColors' in options;
      expect(await violationsOf(page, { forced })).toEqual([]);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width).toBe(options.viewport.width);
      if (forced) continue;
      const grounds = await page.evaluate(
        `[...document.querySelectorAll('.scheme')].map((one) => getComputedStyle(one).backgroundColor)`,
      );
      expect(grounds).toEqual(['rgb(245, 246, 248)', 'rgb(12, 14, 19)']);
    }
  });

  test('the typeface is there before the text is drawn, and is the one that ships', async () => {
    const { url } = await startDemo([], SOURCES);
    const page = await browser.open();
    await page.goto(`${url}/styleguide`);
    // The head asks for it, before a style sheet names it; what is optional may be late on a busy machine.
    expect(
      await page.evaluate('document.fonts.load("500 16px Geist").then(({ length }) => length)'),
    ).toBe(1);
    expect(await page.evaluate('document.fonts.check("500 16px Geist")')).toBe(true);
    const loaded = await page.evaluate<[name: string, by: string][]>(
      'performance.getEntriesByType("resource").map((one) => [one.name, one.initiatorType]).filter(([name]) => name.endsWith(".woff2"))',
    );
    expect(loaded.map(([name, by]) => [name.slice(name.lastIndexOf('/') + 1), by])).toEqual([
      ['geist-latin.woff2', 'link'],
    ]);
  });
});
