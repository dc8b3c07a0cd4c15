import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test, vi } from 'vitest';
import { ACCEPTS } from '../../../src/flags/flag-specs.ts';
import { eventually, getFrom, setPlan, sharedProcess, startDemo } from '../../demo.ts';
import { describeInBrowser, sharedBrowser, violationsOf } from './browser.ts';

// A guard alone: a browser on a busy machine takes its time.
vi.setConfig({ testTimeout: 240_000 });

const LIVE = 'main[data-state=live]';
/** As `npm run demo` starts it: from sources, whose script and style are bundled when a page is asked for. */
const SOURCES = { DEMO_MAIN: fileURLToPath(new URL('../../../src/main.ts', import.meta.url)) };

const live = (page: Page) => page.waitForSelector(LIVE);
const row = (page: Page, table: string, key: string) =>
  page.locator(`#${table} tr[data-key="${key}"]`);
const pidOf = async (page: Page, id: string): Promise<string> =>
  /pid \d+/.exec((await row(page, 'processes', id).textContent()) ?? '')?.[0] ?? '';
const ageTextOf = async (page: Page): Promise<string> =>
  (await row(page, 'processes', 'server-0').locator('td').nth(7).textContent()) ?? '';
const ageOf = async (page: Page): Promise<number> => Number.parseInt(await ageTextOf(page), 10);

/**
 * Waits until a search has ended so, and asks again if not: on a busy machine carriers, some or all of them, may miss the
 * deadline. An answer that is cut off is a fault on any machine.
 */
async function statusAfter(page: Page, expected: RegExp): Promise<void> {
  for (;;) {
    await page.waitForSelector(
      'main:is([data-state=done], [data-state=failed], [data-state=broken])',
    );
    expect(await page.textContent('#results')).not.toContain('The connection broke');
    if (expected.test(((await page.textContent('#count')) ?? '').trim())) return;
    await page.click('[data-again]');
  }
}

describeInBrowser('the operator’s page', () => {
  const server = sharedProcess(
    ...['--accept', 'cluster', '--workers', '2', '--latency', '5', '--dispatch', 'fork'],
  );
  const browser = sharedBrowser();

  beforeEach(async () => {
    for (const carrier of ['renfe', 'ouigo', 'avlo']) {
      await setPlan(server().carriersUrl, carrier, {
        fault: null,
        latency: { kind: 'fixed', ms: 5 },
      });
    }
  });

  async function open(options = {}): Promise<Page> {
    const page = await browser.open(options);
    await page.goto(`${server().url}/operator`);
    await live(page);
    return page;
  }

  /** Has the first server replaced unless its age is told in seconds, for a while yet: later it is told in minutes. */
  async function young(): Promise<void> {
    const page = await open();
    await row(page, 'processes', 'server-0').waitFor();
    const isYoung = async () => (await ageTextOf(page)).endsWith(' s') && (await ageOf(page)) < 30;
    if (!(await isYoung())) await page.click('#reload');
    await eventually(async () => expect(await isYoung()).toBe(true));
  }

  test('every figure of the charts is text in a table, and the charts are drawn', async () => {
    const page = await open();
    await row(page, 'processes', 'server-1/task-0').waitFor();
    expect(await page.locator('#processes th[scope=row]').allTextContents()).toEqual(
      ['primary', 'server-0', 'server-0/task-0', 'server-1', 'server-1/task-0'].map((id) =>
        expect.stringMatching(new RegExp(`^${id} pid \\d+$`)),
      ),
    );
    expect(await page.locator('#pools th[scope=row]').allTextContents()).toEqual([
      ...['primary/serving cluster', 'server-0/tasks fork', 'server-1/tasks fork'],
    ]);
    await page.selectOption('#load [name=path]', { index: 0 });
    await page.click('#load button');
    await eventually(async () => {
      const rate = Number(await page.textContent('[data-figure="Requests per second"]'));
      expect(rate).toBeGreaterThan(5);
      expect(await page.textContent('[data-figure=p99]')).toMatch(/ ms$/);
      expect(await page.textContent('[data-figure="Calls saved"]')).toMatch(/^\d+ %$/);
      expect(await row(page, 'carriers', 'renfe').textContent()).toMatch(/ ms, .* ms/);
      expect(await page.textContent('#load-state')).toMatch(/^300 sent, 300 x 200$/);
    });
    await eventually(async () => expect(await page.locator('canvas').count()).toBe(7));
    const hidden = await page
      .locator('canvas')
      .evaluateAll((all) => all.map((one) => one.closest('[aria-hidden=true]') !== null));
    expect(hidden.every(Boolean)).toBe(true);
  });

  test('a fault is put in force, shown on the carrier, and taken back', async () => {
    const page = await open();
    await page.selectOption('#plan [name=carrier]', 'ouigo');
    await page.selectOption('#plan [name=kind]', 'error');
    await page.fill('#plan [name=percent]', '50');
    await page.click('#plan button');
    await page.waitForSelector('#said:text-is("The plan of ouigo is in force")');
    await page.waitForSelector('#carriers tr[data-key=ouigo] b:text-is("error, 50 % of calls")');
    await page.click('text=All well');
    await page.waitForSelector('#carriers tr[data-key=ouigo]:not([data-mark=fault])');
    await page.fill('#plan [name=percent]', '100');
    await page.fill('#plan [name=ms]', '60001', { force: true });
    // The browser refuses what is out of range; the server would, too.
    await page.click('#plan button');
    expect(await page.locator('#plan [name=ms]:invalid').count()).toBe(1);
  });

  test('paused, and in a tab that is hidden, nothing is drawn; then the latest is', async () => {
    await young();
    const [page, clock] = [await open(), await open()];
    const later = async (): Promise<void> => {
      const before = await ageOf(clock);
      await eventually(async () => expect(await ageOf(clock)).toBeGreaterThan(before + 2));
    };
    await row(page, 'processes', 'server-0').waitFor();
    await page.click('#pause');
    await page.waitForSelector('main[data-state=paused] #pause[aria-pressed=true]');
    const paused = await ageOf(page);
    await later();
    expect(await ageOf(page)).toBe(paused);
    await page.click('#pause');
    await live(page);
    expect(await ageOf(page)).toBeGreaterThan(paused);
    await page.evaluate(
      "Object.defineProperty(document, 'hidden', { value: true, configurable: true })",
    );
    const hidden = await ageOf(page);
    await later();
    expect(await ageOf(page)).toBeLessThanOrEqual(hidden + 1);
    await page.evaluate(
      "delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))",
    );
    expect(await ageOf(page)).toBeGreaterThan(hidden + 1);
  });

  test('focus stays where it is while figures change', async () => {
    await young();
    const page = await open();
    await page.focus('[data-kill="server-1"]');
    const before = await ageOf(page);
    await eventually(async () => expect(await ageOf(page)).toBeGreaterThan(before + 1));
    expect(await page.evaluate('document.activeElement.dataset.kill')).toBe('server-1');
  });

  test('all workers are replaced: the page connects again, and shows the successors', async () => {
    const page = await open();
    await row(page, 'processes', 'server-1').waitFor();
    const before = [await pidOf(page, 'server-0'), await pidOf(page, 'server-1')];
    await page.click('#reload');
    await eventually(async () => {
      const now = [await pidOf(page, 'server-0'), await pidOf(page, 'server-1')];
      expect(now.filter((pid) => before.includes(pid))).toEqual([]);
      expect(await page.locator(LIVE).count()).toBe(1);
    });
    await eventually(async () => {
      const log = await page.textContent('#events');
      for (const pid of before) expect(log).toContain(`Server process ${pid.slice(4)} ended`);
    });
  });

  test('a page elsewhere controls nothing', async () => {
    const { url } = server();
    const post = (headers: Record<string, string>) =>
      getFrom(`${url}/operator/processes/server-0/kill`, { method: 'POST', headers, body: '{}' });
    const type = { 'content-type': 'application/json' };
    expect((await post(type)).body.detail).toMatch(/^Origin must be .*, got none$/);
    expect((await post({ ...type, origin: 'http://evil.test' })).status).toBe(403);
    // By a name that leads to the same server, a page is of another origin.
    const page = await browser.open();
    const other = url.replace('127.0.0.1', 'localhost');
    await page.goto(`${other}/stations`);
    const status = page.evaluate(
      `fetch('${url}/operator/reload', { method: 'POST', mode: 'no-cors', body: '{}' }).then(() => 'sent')`,
    );
    await status.catch(() => {});
    const { body } = await getFrom(`${url}/stats`);
    const ids = body.processes.map(({ id, state }: { id: string; state: string }) => [id, state]);
    expect(ids).toEqual(['primary', 'server-0', 'server-1'].map((id) => [id, 'ready']));
  });

  test.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['light, 320 px', { colorScheme: 'light', viewport: { width: 320, height: 700 } }],
  ] as const)('%s: nothing scrolls sideways, no violation', async (_, options) => {
    const page = await open(options);
    await page.waitForSelector('canvas');
    await page.waitForSelector('#events li');
    await page.click('text=Renfe hangs');
    await page.waitForSelector('#carriers tr[data-mark=fault]');
    expect(await violationsOf(page)).toEqual([]);
    const [inner, scroll] = (await page.evaluate(
      '[window.innerWidth, document.documentElement.scrollWidth]',
    )) as [number, number];
    expect(scroll).toBeLessThanOrEqual(inner);
  });

  test('nothing is loaded from elsewhere; script, style and page stay within 45 kB', async () => {
    const page = await browser.open();
    const origins = new Set<string>();
    const sizes: Promise<number>[] = [];
    page.on('response', (response) => {
      origins.add(new URL(response.url()).origin);
      sizes.push(response.headerValue('content-length').then(Number, () => 0));
    });
    await page.goto(`${server().url}/operator`);
    await live(page);
    expect([...origins]).toEqual([server().url]);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size);
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(45_000);
  });

  test('without script, the page says where the figures are', async () => {
    const page = await browser.open({ javaScriptEnabled: false });
    await page.goto(`${server().url}/operator`);
    expect(await page.textContent('noscript')).toContain('/operator/state');
  });

  test.each(ACCEPTS)(
    'the story, --accept %s: search, a carrier hangs, a partial result, a worker is killed and has a successor',
    async (accept) => {
      // A server that is one process has no worker but those of its tasks.
      const [workers, victim] =
        accept === 'single'
          ? [['--dispatch', 'fork', '--dispatch-workers', '1'], 'server-0/task-0']
          : [['--workers', '2'], 'server-0'];
      const argv = ['--accept', accept, ...workers, '--latency', '5', '--deadline-ms', '6000'];
      // From sources one process starts in time on any machine, and several do not.
      const demo = await startDemo(argv, accept === 'single' ? SOURCES : {});
      const page = await browser.open();
      await page.goto(demo.url);
      await page.waitForSelector('main[data-ready]');
      await page.focus('#origin');
      await page.keyboard.type('madrid puer');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.focus('#destination');
      await page.keyboard.type('barc');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await statusAfter(page, /^\d+ trains of \d carriers$/);

      await page.click('nav >> text=Operator');
      await live(page);
      await eventually(async () => expect(await page.locator('canvas').count()).toBeGreaterThan(5));
      await row(page, 'processes', victim).waitFor();
      const routers = accept === 'socket' || accept === 'passthru' ? 2 : 0;
      // The other one may start later.
      const workersOfRouter = page.locator('#router .scroll tbody tr');
      await eventually(async () => expect(await workersOfRouter.count()).toBe(routers));
      if (routers > 0) {
        expect(await page.textContent('#router-text')).toMatch(/^\d+ accepted, .* 0 refused/);
      }
      await page.click('text=Renfe hangs');
      await page.waitForSelector('#carriers tr[data-key=renfe] b:text-is("hang, every call")');

      const [search] = await Promise.all([
        page.context().waitForEvent('page'),
        page.click('text=Search in another window'),
      ]);
      await search.waitForSelector('.journey');
      await search.waitForSelector('.notice:has-text("Renfe did not answer in time.")');
      await search.close();
      await eventually(async () => {
        const cells = await row(page, 'carriers', 'renfe').locator('td').allTextContents();
        expect(Number(cells[4])).toBeGreaterThan(0);
      });

      const before = await pidOf(page, victim);
      await page.click(`[data-kill="${victim}"]`);
      await eventually(async () => {
        expect(
          await page.locator('#events [data-kind=worker-exit]').allTextContents(),
        ).toContainEqual(expect.stringContaining(`${before.slice(4)} ended (SIGKILL)`));
        const now = await pidOf(page, victim);
        expect(now).toMatch(/^pid \d+$/);
        expect(now).not.toBe(before);
        expect(await row(page, 'processes', victim).getAttribute('data-mark')).toBe('ready');
        expect(await page.locator(LIVE).count()).toBe(1);
      });
      demo.child.kill('SIGTERM');
      expect(await demo.exit()).toBe(0);
    },
  );
});
