import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test, vi } from 'vitest';
import { ACCEPTS } from '../../../src/flags/flag-specs.ts';
import { eventually, getFrom, setPlan, sharedProcess, startDemo } from '../../demo.ts';
import { describeInBrowser, sharedBrowser, violationsOf } from './browser.ts';

// Only a guard against a hang: a browser on a busy machine is slow.
vi.setConfig({ testTimeout: 240_000 });

const LIVE = 'main[data-state=live]';
/** As `npm run demo` starts it: from sources, whose script and style are bundled when a page is asked for. */
const SOURCES = { DEMO_MAIN: fileURLToPath(new URL('../../../src/main.ts', import.meta.url)) };

const live = (page: Page) => page.waitForSelector(LIVE);
const row = (page: Page, table: string, key: string) =>
  page.locator(`#${table} tr[data-key="${key}"]`);
async function cellOf(
  page: Page,
  { table, key, column }: { readonly table: string; readonly key: string; readonly column: string },
): Promise<string | undefined> {
  const titles = await page.locator(`#${table} thead th`).allTextContents();
  const cells = await row(page, table, key).locator('th, td').allTextContents();
  return cells[titles.indexOf(column)];
}
const pidOf = async (page: Page, id: string): Promise<string> =>
  /pid \d+/.exec((await row(page, 'processes', id).textContent()) ?? '')?.[0] ?? '';
/** When the view was made that the page shows, in epoch ms. */
const shownAt = async (page: Page): Promise<number> =>
  Number(await page.getAttribute('main', 'data-at'));

async function openControls(page: Page): Promise<void> {
  await page.click('[data-opens=controls]');
  await page.waitForSelector('#controls[open]');
}

/** Resolves after two more views. */
async function twoViews(page: Page): Promise<void> {
  const before = await shownAt(page);
  await eventually(async () => expect(await shownAt(page)).toBeGreaterThan(before + 1500));
}

/** Resolves when what has been drawn has been painted. */
const painted = (page: Page) =>
  page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))',
  );

/** Has a page get other views than those of its server: a connection brings one view and ends. */
async function bring(
  page: Page,
  viewOf: (times: number) => object,
  history?: object,
): Promise<void> {
  let times = 0;
  await page.route('**/operator/events', (route) => {
    times += 1;
    const first = history && `event: history\ndata: ${JSON.stringify(history)}\n\n`;
    const view = `event: view\ndata: ${JSON.stringify(viewOf(times))}\n\n`;
    return route.fulfill({
      contentType: 'text/event-stream',
      body: `retry: 200\n${first ?? ''}${view}`,
    });
  });
}

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

/** Names what makes the page scroll sideways. */
const TOO_WIDE = `document.documentElement.scrollWidth <= innerWidth ? [] : [
  document.documentElement.scrollWidth,
  ...[...document.querySelectorAll('body *')]
    .filter((one) => one.getBoundingClientRect().right > innerWidth)
    .map((one) => one.outerHTML.slice(0, 120)),
]`;

/** Names what ends beyond the window, where nothing scrolls to it: a card does not make the page scroll. */
const BEYOND = `[...document.querySelectorAll('body *')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth && !one.closest('dialog, .scroll'))
  .map((one) => one.outerHTML.slice(0, 120))`;

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

  /** Resolves when no process stops any more. */
  async function allReady(): Promise<void> {
    await eventually(async () => {
      const { body } = await getFrom(`${server().url}/stats`);
      const states = body.processes.map(({ state }: { state: string }) => state);
      expect(states).toEqual(['ready', 'ready', 'ready']);
    });
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
    await openControls(page);
    await page.selectOption('#load [name=path]', { index: 0 });
    await page.fill('#load [name=seconds]', '30');
    await page.click('#load button');
    await page.waitForSelector('#controls .said:text-is("20 requests per second are sent")');
    await eventually(async () => {
      expect(Number(await page.textContent('[data-figure="Requests/s"]'))).toBeGreaterThan(5);
      expect(await page.textContent('[data-figure="Answer, p99"]')).toMatch(/ m?s$/);
      expect(await page.textContent('[data-figure="Calls saved"]')).toMatch(/^\d+ %$/);
      expect(await row(page, 'carriers', 'renfe').textContent()).toMatch(/[\d.]+, [\d.]+ m?s/);
    });
    await eventually(async () =>
      expect(await page.textContent('#load-state')).toMatch(/^600 sent, 600 × HTTP 200$/),
    );
    await page.keyboard.press('Escape');
    await page.waitForSelector('#controls:not([open])', { state: 'attached' });
    await page.locator('#charts').scrollIntoViewIfNeeded();
    await eventually(async () => expect(await page.locator('svg.plot').count()).toBe(6));
    expect(await page.locator('svg.plot[aria-hidden=true]').count()).toBe(6);
    // Its legend has the latest values as text.
    const legend = await page.locator('[data-chart="Task workers"] .legend').textContent();
    expect(legend).toMatch(/^running \d+queued \d+$/);
  });

  test('charts are full from the first moment, of what the server has kept', async () => {
    await eventually(async () => {
      const { body } = await getFrom(`${server().url}/operator/history`);
      expect(body.at.length).toBeGreaterThan(4);
    });
    const page = await open();
    const points = await page.waitForSelector('[data-chart="Requests per second"] .line');
    const drawn = (await points.getAttribute('d')) ?? '';
    expect(drawn.match(/[ML]/g)?.length).toBeGreaterThan(4);
  });

  test('two minutes are 120 points; a connection that ends is announced, and the next one replaces the points', async () => {
    const { body: view } = await getFrom(`${server().url}/operator/state`);
    const seconds = Array.from({ length: 120 }, (_, second) => second);
    const history = {
      at: seconds.map((second) => view.at - (119 - second) * 1000),
      lines: { answered: seconds, errors: seconds.map(() => 0) },
    };
    const event = { no: 7, mark: 5, at: view.at - 60_000, kind: 'hangs', severity: 'bad' };
    const events = [{ ...event, process: '', text: 'Renfe hangs' }];
    const page = await browser.open();
    await bring(page, (times) => ({ ...view, events, at: view.at + times }), history);
    await page.goto(`${server().url}/operator`);
    await page.waitForSelector('main[data-state=reconnecting]');
    expect(await page.textContent('#connection')).toBe('◌ Connecting again');
    await eventually(async () => expect(await shownAt(page)).toBeGreaterThan(view.at + 2));
    const line = page.locator('[data-chart="Requests per second"] .line').first();
    expect((await line.getAttribute('d'))?.match(/[ML]/g)).toHaveLength(120);
    // The same number on the axis and in the list.
    expect(await page.locator('[data-chart="Requests per second"] .event text').textContent()).toBe(
      '5',
    );
    expect(await page.locator('#events .no').allTextContents()).toEqual(['5']);
    // Under the pointer, all charts tell how it was then.
    const plot = page.locator('[data-chart="Requests per second"] .plot');
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.4, (box?.y ?? 0) + 40);
    await page.waitForSelector('[data-chart="Time to answer"] .pointed', { state: 'attached' });
    const then = page.locator('[data-chart="Requests per second"] b').first();
    expect(Number(await then.textContent())).toBeLessThan(80);
    await page.mouse.move(0, 0);
    await eventually(async () => expect(await then.textContent()).toBe('119'));
  });

  test('a fault is put in force, shown on the carrier, written down, marked, and taken back', async () => {
    // High enough that the charts are in sight, and drawn.
    const page = await open({ viewport: { width: 1280, height: 1400 } });
    await openControls(page);
    await page.click('[data-preset="Renfe hangs"]');
    await page.waitForSelector('#controls .said:text-is("Set: Renfe hangs")');
    await page.waitForSelector('[data-preset="Renfe hangs"]:text-is("Reset")');
    await page.waitForSelector('#carriers tr[data-key=renfe] b:text-is("hangs")');
    const entry = page.locator('#events li[data-kind=fault-set]').first();
    await entry.waitFor();
    const mark = await entry.locator('.no').textContent();
    await page.waitForSelector(
      `[data-chart="Requests per second"] .event.bad text:text-is("${mark}")`,
      { state: 'attached' },
    );
    await page.click('[data-preset="Renfe hangs"]');
    await page.waitForSelector('#controls .said:text-is("Reset: Renfe hangs")');
    await page.selectOption('#plan [name=carrier]', 'ouigo');
    await page.selectOption('#plan [name=kind]', 'error');
    await page.fill('#plan [name=percent]', '50');
    await page.click('#plan button');
    await page.waitForSelector('#controls .said:text-is("The setting of ouigo is in force")');
    await page.waitForSelector('#carriers tr[data-key=ouigo] b:text-is("fails, 50 %")');
    // It is what a preset does.
    await page.waitForSelector('[data-preset="Half of Ouigo fails"]:text-is("Reset")');
    await page.click('[data-preset="All well"]');
    await page.waitForSelector('#carriers tr[data-key=ouigo] .by:text-is("5 ms")');
    await page.fill('#plan [name=percent]', '100');
    await page.fill('#plan [name=ms]', '60001', { force: true });
    // The browser refuses what is out of range; the server would, too.
    await page.click('#plan button');
    expect(await page.locator('#plan [name=ms]:invalid').count()).toBe(1);
  });

  test('paused, and in a tab that is hidden, nothing is drawn; then the latest is', async () => {
    const [page, clock] = [await open(), await open()];
    await page.click('#pause');
    await page.waitForSelector('main[data-state=paused] #pause[aria-pressed=true]');
    expect(await page.textContent('#connection')).toMatch(/Paused at \d\d:\d\d:\d\d$/);
    const paused = await shownAt(page);
    await twoViews(clock);
    expect(await shownAt(page)).toBe(paused);
    // A question is asked nevertheless.
    await page.click('[data-kill="server-1"]');
    await page.waitForSelector('.ask [data-keep]:focus');
    await page.keyboard.press('Escape');
    await page.click('#pause');
    await live(page);
    expect(await shownAt(page)).toBeGreaterThan(paused);
    await page.evaluate(
      "Object.defineProperty(document, 'hidden', { value: true, configurable: true })",
    );
    const hidden = await shownAt(page);
    await twoViews(clock);
    expect(await shownAt(page)).toBeLessThanOrEqual(hidden + 1500);
    const before = await shownAt(page);
    await page.evaluate(
      "delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))",
    );
    expect(await shownAt(page)).toBeGreaterThan(before);
  });

  test('killing asks first: by keyboard, the question and the focus stay while figures change', async () => {
    const page = await open();
    const id = 'server-0/task-0';
    await row(page, 'processes', id).waitFor();
    const focused = () => page.evaluate('Object.keys(document.activeElement.dataset).join()');
    await page.focus(`[data-kill="${id}"]`);
    await twoViews(page);
    expect(await focused()).toBe('kill');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.ask [data-keep]:focus');
    expect(await page.textContent('.asked')).toMatch(
      /^Kill server-0\/task-0\? Its \d+ calls? (is|are) retried; a new worker starts in its slot\. Kill Keep$/,
    );
    await twoViews(page);
    expect(await focused()).toBe('keep');
    await page.keyboard.press('Escape');
    await page.waitForSelector('.asked', { state: 'detached' });
    expect(await page.evaluate('document.activeElement.dataset.kill')).toBe(id);
    const before = await pidOf(page, id);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Tab');
    expect(await focused()).toBe('confirm');
    await page.keyboard.press('Enter');
    await page.waitForSelector(`#said:text-is("${id} was killed")`);
    expect(await page.locator('.asked').count()).toBe(0);
    await eventually(async () => {
      expect(await pidOf(page, id)).toMatch(/^pid \d+$/);
      expect(await pidOf(page, id)).not.toBe(before);
      const killed = await page.locator('#events [data-kind=killed]').allTextContents();
      expect(killed).toContainEqual(expect.stringContaining(`${id} killed`));
    });
  });

  test('the question goes with its process, and the focus stays in the table', async () => {
    const page = await open();
    const { body: view } = await getFrom(`${server().url}/operator/state`);
    await page.click('[data-kill="server-1/task-0"]');
    await page.waitForSelector('.ask [data-keep]:focus');
    const processes = view.processes.filter(({ id }: { id: string }) => id !== 'server-1/task-0');
    await bring(page, (times) => ({ ...view, processes, at: view.at + times }));
    // The server ends the connection.
    await getFrom(`${server().url}/operator/reload`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server().url },
      body: '{}',
    });
    await page.waitForSelector('.asked', { state: 'detached' });
    expect(await page.evaluate('document.activeElement.className')).toBe('scroll');
    await allReady();
  });

  test('all workers are replaced: the page connects again, and shows the successors', async () => {
    const page = await open();
    await row(page, 'processes', 'server-1').waitFor();
    const before = [await pidOf(page, 'server-0'), await pidOf(page, 'server-1')];
    await openControls(page);
    await page.click('#reload');
    await page.waitForSelector('#reload-keep:focus');
    await page.keyboard.press('Escape');
    // Escape answers the question; the drawer stays.
    await page.waitForSelector('#controls[open] #reload:focus');
    await page.keyboard.press('Enter');
    await page.click('#reload-do');
    await eventually(async () => {
      const now = [await pidOf(page, 'server-0'), await pidOf(page, 'server-1')];
      expect(now.filter((pid) => before.includes(pid))).toEqual([]);
      expect(await page.locator(LIVE).count()).toBe(1);
    });
    await page.locator('#events [data-kind=reload-ended]').first().waitFor({ state: 'attached' });
    await allReady();
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

  const SCHEMES = ['light', 'dark'] as const;
  const WIDTHS = [1600, 1280, 390, 320] as const;
  test.each(SCHEMES.flatMap((colorScheme) => WIDTHS.map((width) => [colorScheme, width] as const)))(
    '%s, %i px: nothing scrolls sideways, no violation, with a fault, a question and the controls',
    async (colorScheme, width) => {
      const page = await open({ colorScheme, viewport: { width, height: 900 } });
      await setPlan(server().carriersUrl, 'renfe', { fault: { kind: 'hang' } });
      await page.waitForSelector('#carriers tr[data-key=renfe] b');
      await page.click('[data-kill="server-1/task-0"]');
      await page.waitForSelector('.ask');
      await page.locator('#charts').scrollIntoViewIfNeeded();
      await page.waitForSelector('svg.plot');
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.evaluate(TOO_WIDE)).toEqual([]);
      await openControls(page);
      await page.click('#reload');
      expect(await violationsOf(page)).toEqual([]);
    },
  );

  test('in colours of the system, no violation', async () => {
    const page = await open({ forcedColors: 'active', reducedMotion: 'reduce' });
    await page.waitForSelector('svg.plot');
    expect(await violationsOf(page, { forced: true })).toEqual([]);
  });

  test('320 px, without its typeface, while it connects again: nothing ends beyond the window, however large the figures are', async () => {
    const page = await browser.open({ viewport: { width: 320, height: 700 } });
    // Whoever has a slow line reads the page in the next typeface.
    await page.route('**/*.woff2', (route) => route.fulfill({ status: 404, body: '' }));
    const { body: view } = await getFrom(`${server().url}/operator/state`);
    const large = { inFlight: 12_345, requests: 12_345_678, refused: 123_456, waiting: 12_345 };
    const late = { loopP50Ms: 12_345, loopP99Ms: 123_456, memoryBytes: 99e9, ageMs: 9e9 };
    const processes = view.processes.map((each: object) => ({ ...each, ...large, ...late }));
    await bring(page, (times) => ({ ...view, processes, at: view.at + times }));
    await page.goto(`${server().url}/operator`);
    await page.waitForSelector('#picture [data-state=healthy]');
    await page.waitForSelector('main[data-state=reconnecting]');
    expect(await page.evaluate(BEYOND)).toEqual([]);
  });

  test.each([1280, 390])('%i px: nothing moves when figures come and change', async (width) => {
    const page = await browser.open({ viewport: { width, height: 900 } });
    await page.addInitScript(`
      window.moved = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) window.moved += value;
      }).observe({ type: 'layout-shift', buffered: true });
    `);
    const { body: view } = await getFrom(`${server().url}/operator/state`);
    const told = { subject: 'carrier', state: 'hangs', severity: 'bad', since: view.at };
    const more = { name: 'server-1/task-0', says: 'hangs', detail: '37 calls open for 12 s' };
    const health = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ ...told, id, ...more }));
    const rates = {
      perSecond: { http: 12345.6 },
      recent: {},
      p50: { http: 1 },
      p99: { http: 99_999 },
    };
    const events = Array.from({ length: 50 }, (_, no) => ({
      ...{ no, mark: no + 1, at: view.at - no * 1000, kind: 'hangs', severity: 'bad', process: '' },
      text: 'server-1/task-0 does not answer',
    }));
    await bring(page, (times) => ({
      ...(times < 3 ? view : { ...view, health, rates, events }),
      at: view.at + times,
    }));
    await page.goto(`${server().url}/operator`);
    await page.waitForSelector('[data-health=bad]');
    await painted(page);
    expect(await page.evaluate('window.moved')).toBeLessThan(0.01);
  });

  test('nothing is loaded from elsewhere; script, style and page stay within 60 kB, the typeface apart', async () => {
    const page = await browser.open();
    const origins = new Set<string>();
    const sizes: Promise<number>[] = [];
    page.on('response', (response) => {
      origins.add(new URL(response.url()).origin);
      if (response.url().endsWith('.woff2')) return;
      sizes.push(response.headerValue('content-length').then(Number, () => 0));
    });
    await page.goto(`${server().url}/operator`);
    await live(page);
    expect([...origins]).toEqual([server().url]);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size);
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(60_000);
  });

  test('without script, the page links the figures', async () => {
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
      await page.waitForSelector('svg.plot');
      await row(page, 'processes', victim).waitFor();
      const routers = accept === 'socket' || accept === 'passthru' ? 2 : 0;
      // The other one may start later.
      const workersOfRouter = page.locator('#router tbody tr');
      await eventually(async () => expect(await workersOfRouter.count()).toBe(routers));
      if (routers > 0) {
        // A worker that gets no processor claims too late: what was refused is said, too.
        const { body } = await getFrom(`${demo.url}/operator/state`);
        expect(body.router.accepted).toBeGreaterThan(0);
        await eventually(async () => {
          const told = / (\d+) refused/.exec((await page.textContent('#router-note')) ?? '');
          expect(Number(told?.[1])).toBeGreaterThanOrEqual(body.router.refused);
        });
      }
      await openControls(page);
      await page.click('[data-preset="Renfe hangs"]');
      await page.waitForSelector('#carriers tr[data-key=renfe] b:text-is("hangs")');

      // Of the last seconds alone: on a machine that is busy for as long, the page has missed it.
      await eventually(async () => {
        const [search] = await Promise.all([
          page.context().waitForEvent('page'),
          page.click('text=Search in another window'),
        ]);
        await search.waitForSelector('.journey');
        await search.waitForSelector('.notice:has-text("Renfe did not answer in time.")');
        await search.close();
        await expect
          .poll(() => cellOf(page, { table: 'carriers', key: 'renfe', column: 'No answer' }), {
            timeout: 10_000,
          })
          .toMatch(/[1-9]/);
      });

      const before = await pidOf(page, victim);
      await page.click('#controls >> text=Close');
      await page.click(`[data-kill="${victim}"]`);
      await page.click(`[data-confirm="${victim}"]`);
      await eventually(async () => {
        expect(await page.locator('#events [data-kind=killed]').allTextContents()).toContainEqual(
          expect.stringContaining(`${victim} killed`),
        );
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
