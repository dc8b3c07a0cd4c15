import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const SCHEMES = ['light', 'dark'] as const;
const SCREENS = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
];

/** Starts the browser of this machine; `undefined` if it has none. */
export async function startBrowser(): Promise<Browser | undefined> {
  const paths = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome'];
  const executablePath = paths.find((path) => path !== undefined && existsSync(path));
  return executablePath === undefined ? undefined : chromium.launch({ executablePath });
}

/** Returns the faults of pages in both schemes, wide and on a phone: by axe, a page wider than the screen, errors of scripts. */
export async function faultsOf(
  browser: Browser,
  url: string,
  paths: readonly string[],
): Promise<{ readonly looks: number; readonly faults: readonly string[] }> {
  const faults: string[] = [];
  let looks = 0;
  for (const viewport of SCREENS) {
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
    const page = await context.newPage();
    const problems = problemsOf(page, url);
    for (const path of paths) {
      await page.goto(url + path, { waitUntil: 'load' });
      await page.evaluate(axe.source);
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        await page.waitForFunction(
          `document.documentElement.classList.contains('dark') === ${colorScheme === 'dark'}`,
        );
        const found = await page.evaluate<readonly string[]>(
          `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
            violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).slice(0, 3).join(' | ')))`,
        );
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        const wide = width > viewport.width ? [`${width} pixels wide`] : [];
        const where = `${path} (${colorScheme}, ${viewport.width})`;
        faults.push(
          ...[...found, ...wide, ...problems.splice(0)].map((each) => `${where}: ${each}`),
        );
        looks += 1;
      }
    }
    await context.close();
  }
  return { looks, faults };
}

/** Returns the paths of the first results of a search, as a reader sees them. */
export async function searchResults(
  browser: Browser,
  url: string,
  queries: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const page = await browser.newPage();
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.click('.VPNavBarSearch button');
  const results = new Map<string, readonly string[]>();
  for (const query of queries) {
    await page.fill('#localsearch-input', '');
    await page.waitForFunction(`document.querySelector('.VPLocalSearchBox .result') === null`);
    await page.fill('#localsearch-input', query);
    await page.waitForSelector('.VPLocalSearchBox .result');
    results.set(
      query,
      await page.evaluate<string[]>(
        `[...document.querySelectorAll('.VPLocalSearchBox .result')].slice(0, 5).map((each) => each.getAttribute('href'))`,
      ),
    );
  }
  await page.close();
  return results;
}

function problemsOf(page: Page, url: string): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  // A page asks no other host.
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) {
      problems.push(`asks ${request.url()}`);
    }
  });
  return problems;
}
