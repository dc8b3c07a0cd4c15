// Builds the site from nothing, follows each of its links, and looks at it in a browser: pages of each kind by axe, in both
// schemes, wide and on a phone, and searches. Prints figures; ends with 1 where anything is wrong. `--built` checks what is there.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { checkLinks } from './broken-links.ts';
import { faultsOf, searchResults, startBrowser } from './in-browser.ts';
import { builtPages, sizeOf } from './pages.ts';
import { serveFolder } from './site-server.ts';

const site = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(site, '.vitepress/dist');

/** Pages of each kind. */
const LOOKS = [
  '/',
  '/guides/',
  '/guides/start.html',
  '/packages/batching.html',
  '/reference/dispatch.html',
  '/api/batching.html',
  '/studies/',
  '/studies/03-socket.html',
  '/measurements/batching.html',
  '/decisions/0044-a-site-of-the-markdown.html',
  '/discoveries/localhost-binds-twice.html',
];
/** Searches, and the page that must be found first. */
const SEARCHES: Readonly<Record<string, string>> = {
  abort: '/guides/abort.html',
  overload: '/guides/overload.html',
  Jest: '/guides/jest.html',
  sticky: '/migrating/socket-io-sticky.html',
};

/** Prints the first of the faults, and lets the program end with 1. */
function report(kind: string, faults: readonly string[]): void {
  if (faults.length === 0) return;
  console.error(`${faults.length} ${kind}:\n  ${faults.slice(0, 400).join('\n  ')}`);
  process.exitCode = 1;
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

const started = performance.now();
if (process.argv[2] !== '--built') {
  for (const each of ['.vitepress/dist', '.vitepress/cache', 'api']) {
    rmSync(join(site, each), { recursive: true, force: true });
  }
  const { status } = spawnSync('pnpm', ['run', 'site:build'], { cwd: site, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
const pages = builtPages(folder);
const { files, bytes } = sizeOf(folder);
console.log(
  `site: ${pages.length} pages, ${files} files, ${(bytes / 1e6).toFixed(1)} MB, built in ${seconds(started)}`,
);

const { checked, broken, external } = checkLinks(pages, (path) => existsSync(join(folder, path)));
console.log(`site: ${checked} links, ${broken.length} broken; ${external.length} to other hosts:`);
for (const link of external) console.log(`  ${link}`);
report('broken links', broken);

const browser = await startBrowser();
if (browser === undefined) {
  console.log('site: not looked at, no browser: install chromium, or set CHROMIUM');
  if (process.env['BROWSER_TESTS'] === 'required') process.exitCode = 1;
} else {
  const server = await serveFolder(folder);
  try {
    await look(browser, server.url);
  } finally {
    await browser.close();
    await server.close();
  }
}
console.log(`site: ${process.exitCode === 1 ? 'checked' : 'all checks pass'}, ${seconds(started)}`);

async function look(browser: Browser, url: string): Promise<void> {
  const looked = performance.now();
  const { looks, faults } = await faultsOf(browser, url, LOOKS);
  console.log(
    `site: ${looks} looks at ${LOOKS.length} pages, ${faults.length} faults, ${seconds(looked)}`,
  );
  report('faults of pages', faults);
  const found = await searchResults(browser, url, Object.keys(SEARCHES));
  const missed = Object.entries(SEARCHES).flatMap(([query, expected]) => {
    const results = found.get(query) ?? [];
    console.log(`site: search for ${query}: ${results[0] ?? 'nothing'}`);
    return results[0]?.split('#')[0] === expected
      ? []
      : [`${query}: ${results.join(', ')}; not ${expected}`];
  });
  report('searches find another page first', missed);
}
