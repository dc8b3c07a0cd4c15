import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { setPlan, sharedProcess } from '../../demo.ts';
import { describeInBrowser, sharedBrowser } from './browser.ts';

// A guard alone: a browser on a busy machine takes its time.
vi.setConfig({ testTimeout: 240_000 });

const SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push({ value, of: sources.map(({ node }) => node?.id || node?.className || '?') });
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** Work of about 50 ms on a core of 2026 that does nothing else, the measure of a long task. */
const LONG_TASK = `new Promise((resolve) => setTimeout(() => {
  let sum = 1;
  for (let index = 0; index < 7e6; index++) sum = (sum * 31 + index) | 0;
  performance.mark('calibrated ' + sum);
  resolve();
}))`;

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
  /** Microseconds of CPU, whoever else wants the core. */
  readonly tdur?: number;
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

    test('no task takes more CPU than 50 ms of a core: loading, listing, sorting, filtering', async () => {
      const page = await browser.open();
      // Wall time would say how busy the machine is. The loop is in the same trace, so that the speed of the core counts for both.
      const root = page.context().browser() as Browser;
      await root.startTracing(page, { categories: ['toplevel', 'blink.user_timing'] });
      await page.goto(search());
      // In the page: what a test asks of it from outside would be a task of the page, too.
      expect(await page.evaluate(SORT_AND_FILTER)).toBeGreaterThanOrEqual(1000);
      for (let time = 0; time < 4; time++) await page.evaluate(LONG_TASK);
      const { traceEvents } = JSON.parse(String(await root.stopTracing())) as {
        traceEvents: TraceEvent[];
      };
      const listed = traceEvents.find(({ name }) => name === 'listed') as TraceEvent;
      const tasks = traceEvents.filter(
        ({ name, pid, tid }) =>
          name.endsWith('::RunTask') && pid === listed.pid && tid === listed.tid,
      );
      const loops = traceEvents
        .filter(({ name, pid }) => name.startsWith('calibrated') && pid === listed.pid)
        .map(({ ts }) => tasks.find((task) => task.ts <= ts && task.ts + (task.dur ?? 0) >= ts))
        .flatMap((task) => task?.tdur ?? []);
      // A trace may end within the last one.
      expect(loops.length).toBeGreaterThanOrEqual(3);
      const before = tasks.filter(({ ts }) => ts < listed.ts).map(({ tdur }) => tdur ?? 0);
      expect(before.length).toBeGreaterThan(100);
      const [longest, loop] = [Math.max(...before) / 1000, Math.max(...loops) / 1000];
      console.log(`longest task ${longest} ms of CPU, the loop ${loop} ms`);
      // The loop needs no memory. What does is slower beside programs that use the same caches: half as much again.
      expect(longest).toBeLessThan(1.5 * loop);
    });
  },
);
