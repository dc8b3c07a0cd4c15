import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { setPlan, sharedProcess } from '../../demo.ts';
import { describeInBrowser, sharedBrowser } from './browser.ts';

// Only a guard against a hang: a browser on a busy machine is slow.
vi.setConfig({ testTimeout: 240_000 });

const SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push({ value, of: sources.map(({ node }) => node?.id || node?.className || '?') });
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** Rows of work between two looks at input: counted, because a task takes as long as the machine is slow. */
const SLICE_ROWS = 40;

/** Marks in the trace how many rows have come, gone or moved, within the task that changed them. */
const MARK_ROWS = `addEventListener('DOMContentLoaded', () => {
  new MutationObserver((records) => {
    const rows = records.reduce((sum, { addedNodes }) => sum + addedNodes.length, 0);
    performance.mark('rows ' + rows);
  }).observe(document.getElementById('journeys'), { childList: true });
})`;

/** Waits for all rows, sorts them, filters them, shows them again, and returns how many there are. */
const SORT_AND_FILTER = `(async () => {
  const list = document.getElementById('journeys');
  const until = async (check) => {
    while (!check()) await new Promise(requestAnimationFrame);
  };
  const isDone = () => document.querySelector('main').dataset.state === 'done';
  const click = (selector) => document.querySelector(selector).click();
  await until(isDone);
  const count = list.childElementCount;
  const first = list.firstElementChild;
  const order = document.getElementById('order');
  order.value = 'departure';
  order.dispatchEvent(new Event('change'));
  await until(() => list.firstElementChild !== first);
  click('#filters [name=carriers][value=ouigo]');
  await until(() => list.childElementCount < count / 2);
  click('#filters [name=carriers][value=ouigo]');
  await until(() => list.childElementCount === count);
  performance.mark('listed');
  return count;
})()`;

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly args: {
    /** Elements whose style was computed. */
    readonly elementCount?: number;
    readonly beginData?: { readonly dirtyObjects?: number };
  };
}

/** Work of one task of a page: the same on every machine, however long it takes there. */
interface Work {
  readonly rows: number;
  readonly styled: number;
  readonly laidOut: number;
}

/** Returns the most work of each kind that one task has. */
function mostWork(tasks: readonly TraceEvent[], events: readonly TraceEvent[]): Work {
  const most = { rows: 0, styled: 0, laidOut: 0 };
  const sorted = events.toSorted((one, other) => one.ts - other.ts);
  let at = 0;
  for (const { ts, dur = 0 } of tasks.toSorted((one, other) => one.ts - other.ts)) {
    const work = { rows: 0, styled: 0, laidOut: 0 };
    for (; at < sorted.length && (sorted[at] as TraceEvent).ts <= ts + dur; at += 1) {
      const { name, args } = sorted[at] as TraceEvent;
      if (name.startsWith('rows ')) work.rows += Number(name.slice(5));
      else if (name === 'Layout') work.laidOut += args.beginData?.dirtyObjects ?? 0;
      else if (name === 'UpdateLayoutTree') work.styled += args.elementCount ?? 0;
    }
    for (const kind of ['rows', 'styled', 'laidOut'] as const) {
      most[kind] = Math.max(most[kind], work[kind]);
    }
  }
  return most;
}

describeInBrowser(
  'the traveller’s page with 1,000 journeys, of carriers that answer one after the other',
  () => {
    const server = sharedProcess('--deadline-ms', '120000', '--request-timeout-ms', '600000');
    const browser = sharedBrowser();
    const search = () => `${server().url}/?origin=Madrid&destination=Barcelona`;
    const done = (page: Page) =>
      page.waitForSelector('main[data-state=done]', { timeout: 200_000 });
    const shiftsOf = async (page: Page) => {
      const shifts = (await page.evaluate('shifts')) as { value: number; of: string[] }[];
      return { sum: shifts.reduce((sum, { value }) => sum + value, 0), shifts };
    };

    beforeAll(async () => {
      for (const [carrier, ms] of [
        ['ouigo', 5],
        ['renfe', 200],
        ['avlo', 1500],
      ] as const) {
        const latency = { kind: 'fixed', ms };
        await setPlan(server().carriersUrl, carrier, { journeys: 350, latency });
      }
    });

    test.each([
      [{ width: 1280, height: 800 }, {}],
      [{ width: 390, height: 844 }, {}],
      [{ width: 1280, height: 800 }, { reducedMotion: 'reduce' }],
    ] as const)('%j %j: the layout shifts by less than 0.01', async (viewport, options) => {
      const page = await browser.open({ viewport, ...options });
      await page.addInitScript(SHIFTS);
      await page.goto(search());
      await done(page);
      expect(await page.locator('.journey').count()).toBeGreaterThanOrEqual(1000);
      const { sum, shifts } = await shiftsOf(page);
      expect(sum, JSON.stringify(shifts)).toBeLessThan(0.01);
    });

    test('rows that an open journey or the focus is in keep both while others come', async () => {
      const page = await browser.open();
      await page.goto(search());
      await page.waitForSelector('[data-carrier=ouigo][data-state=ok]', { state: 'attached' });
      await page.waitForSelector('.journey');
      // By its id: the first row is another one as soon as an earlier journey comes.
      const id = await page.locator('.journey').first().getAttribute('id');
      const row = page.locator(`[id="${id}"]`);
      await row.locator('> details > summary').click();
      await done(page);
      expect(await row.locator('> details').getAttribute('open')).not.toBeNull();
      expect(await page.evaluate("document.activeElement?.closest('.journey')?.id")).toBe(id);
    });

    test('no task works on more than a slice of the rows: loading, listing, sorting, filtering', async () => {
      const page = await browser.open();
      await page.addInitScript(MARK_ROWS);
      const root = page.context().browser() as Browser;
      const categories = ['toplevel', 'blink.user_timing', 'devtools.timeline'];
      await root.startTracing(page, { categories });
      await page.goto(search());
      // In the page: what a test asks of it from outside would be a task of the page, too.
      expect(await page.evaluate(SORT_AND_FILTER)).toBeGreaterThanOrEqual(1000);
      const { traceEvents } = JSON.parse(String(await root.stopTracing())) as {
        traceEvents: TraceEvent[];
      };
      const listed = traceEvents.find(({ name }) => name === 'listed') as TraceEvent;
      const own = traceEvents.filter(({ pid, tid }) => pid === listed.pid && tid === listed.tid);
      const tasks = own.filter(({ name }) => name.endsWith('::RunTask'));
      expect(tasks.length).toBeGreaterThan(100);
      const most = mostWork(tasks, own);
      console.log(most);
      // The last slice of one list and the first one of the next may share a task. The list has 1,000 rows, and a row some 45
      // elements while it is closed.
      expect(most.rows).toBeLessThanOrEqual(2 * SLICE_ROWS);
      expect(most.styled).toBeLessThan(SLICE_ROWS * 100);
      expect(most.laidOut).toBeLessThan(SLICE_ROWS * 100);
    });
  },
);
