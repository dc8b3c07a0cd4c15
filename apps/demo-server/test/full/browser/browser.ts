import { existsSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';

const PATHS = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome'];
const executablePath = PATHS.find((path) => path !== undefined && existsSync(path));
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

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const GLIDES_END = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getTiming().iterations !== Infinity)
  .map(({ finished }) => finished))`;

/** What axe finds on the page as it is. `forced`: the system chooses the colours, so contrast is not the page's. */
export async function violationsOf(
  page: Page,
  { forced = false }: { readonly forced?: boolean } = {},
): Promise<unknown[]> {
  // Rows that still glide to their places lie over others.
  await page.evaluate(GLIDES_END);
  const axe = new AxeBuilder({ page }).withTags(TAGS);
  const { violations } = await (forced ? axe.disableRules('color-contrast') : axe).analyze();
  return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
}
