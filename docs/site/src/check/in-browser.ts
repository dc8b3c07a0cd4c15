import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const SCHEMES = ['light', 'dark'] as const;
const PHONE = { width: 390, height: 844 };
const SCREENS = [{ width: 1280, height: 900 }, PHONE];

/** Starts the browser of this machine; `undefined` if it has none. */
export async function startBrowser(): Promise<Browser | undefined> {
  const paths = [
    process.env['CHROMIUM'],
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/google-chrome',
  ];
  const executablePath = paths.find((path) => path !== undefined && existsSync(path));
  return executablePath === undefined ? undefined : chromium.launch({ executablePath });
}

/** Returns the faults of pages in both schemes, wide and on a phone: by axe, a page wider than the screen, errors of scripts. */
export async function faultsOf(
  browser: Browser,
  url: string,
  paths: readonly string[],
): Promise<{ readonly looks: number; readonly faults: readonly string[] }> {
  const faults = await Promise.all(
    SCREENS.map(async (viewport) => {
      const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
      const found: string[] = [];
      for (const path of paths) found.push(...(await faultsOfPage(context, url, path)));
      await context.close();
      return found;
    }),
  );
  return { looks: paths.length * SCREENS.length * SCHEMES.length, faults: faults.flat() };
}

async function faultsOfPage(
  context: BrowserContext,
  url: string,
  path: string,
): Promise<readonly string[]> {
  const page = await context.newPage();
  // A guard alone: a browser on a busy machine takes its time.
  page.setDefaultTimeout(120_000);
  const problems = problemsOf(page, url);
  await page.goto(url + path, { waitUntil: 'load' });
  await page.evaluate(axe.source);
  const faults: string[] = [];
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction(
      `document.documentElement.classList.contains('dark') === ${colorScheme === 'dark'}`,
    );
    const found = await page.evaluate<readonly string[]>(
      `axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'] }).then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).slice(0, 3).join(' | ')))`,
    );
    const where = `${path} (${colorScheme}, ${page.viewportSize()?.width})`;
    faults.push(...[...found, ...problems.splice(0)].map((each) => `${where}: ${each}`));
  }
  await page.close();
  return faults;
}

/** Returns the pages that are wider than a phone, which is looked at without scripts. */
export async function pagesWiderThanPhone(
  browser: Browser,
  url: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false });
  const left = [...paths];
  const wide: string[] = [];
  await Promise.all(
    Array.from({ length: 2 }, async () => {
      const page = await context.newPage();
      for (let path = left.shift(); path !== undefined; path = left.shift()) {
        await page.goto(url + path, { waitUntil: 'load' });
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        if (width > PHONE.width) wide.push(`${path}: ${width} pixels`);
      }
    }),
  );
  await context.close();
  return wide.sort();
}

/** Returns the paths of the first results of a search, as a reader sees them. */
export async function searchResults(
  browser: Browser,
  url: string,
  queries: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
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
