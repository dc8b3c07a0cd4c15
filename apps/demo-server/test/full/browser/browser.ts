import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { chromiumPath as executablePath } from '../../../scripts/chromium.ts';

export { violationsOf } from './violations.ts';

if (executablePath === undefined && process.env['BROWSER_TESTS'] === 'required') {
  throw new Error('Cannot test in a browser: install chromium, or set CHROMIUM');
}
if (executablePath === undefined) console.log('no browser: install chromium, or set CHROMIUM');

/** Tests that need a browser; skipped where there is none, unless BROWSER_TESTS=required. */
export const describeInBrowser = describe.skipIf(executablePath === undefined);

/** One browser for all tests of a file. */
export function sharedBrowser(): { open(options?: BrowserContextOptions): Promise<Page> } {
  let browser: Browser;
  beforeAll(async () => {
    if (executablePath !== undefined) browser = await chromium.launch({ executablePath });
  });
  afterAll(async () => {
    await browser?.close();
  });
  return {
    /** A page in a context of its own, which must write no error to its console: the policy for contents would. */
    async open(options = {}) {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      page.setDefaultTimeout(50_000);
      const errors: string[] = [];
      page.on('console', (message) => {
        // A status of 400 or more is no fault of the page, which shows it.
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) {
          errors.push(message.text());
        }
      });
      page.on('pageerror', (error) => errors.push(String(error)));
      onTestFinished(async () => {
        await context.close();
        expect(errors).toEqual([]);
      });
      return page;
    },
  };
}
