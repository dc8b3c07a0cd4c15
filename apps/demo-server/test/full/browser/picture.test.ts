import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import type { OperatorView } from '../../../src/figures/view-schema.ts';
import { partsOf } from '../../../src/pages/picture/system/system-model.ts';
import { systemOf } from '../../../src/pages/picture/system/system-of.ts';
import {
  eventually,
  getFrom,
  MADRID_BARCELONA,
  setPlan,
  sharedProcess,
  startDemo,
} from '../../demo.ts';
import { askAsPage } from '../../operator-views.ts';
import { describeInBrowser, sharedBrowser, violationsOf } from './browser.ts';

// Only a guard against a hang: a browser on a busy machine is slow.
vi.setConfig({ testTimeout: 240_000 });

const link = (page: Page, id: string) => page.locator(`svg.map [data-part="${id}"]`);
const stateOf = (page: Page, id: string) => link(page, id).getAttribute('data-state');
const pidIn = async (page: Page) =>
  (await page.locator('#node .facts [data-key=Process] dd').textContent()) ?? '';

async function opened(page: Page, url: string): Promise<Page> {
  await page.goto(`${url}/operator`);
  await page.waitForSelector('main[data-state=live]');
  await page.waitForSelector('svg.map [data-state=healthy]');
  return page;
}

/** Notes every height that the picture has. */
const HEIGHTS = `addEventListener('DOMContentLoaded', () => {
  globalThis.heights = [];
  new ResizeObserver(([entry]) => heights.push(entry.target.offsetHeight))
    .observe(document.querySelector('#picture'));
});`;

describeInBrowser('the picture of the system', () => {
  const browser = sharedBrowser();

  test.each([
    ['single', 'in-process', 'off', 'whole'],
    ['single', 'cluster', 'on', 'whole'],
    ['cluster', 'fork', 'machine', 'normalise'],
    ['socket', 'piscina', 'on', 'search'],
    ['passthru', 'cluster', 'machine', 'whole'],
  ])(
    '--accept %s --dispatch %s --coalesce %s --offload %s: its parts and numbers equal the view',
    async (accept, dispatch, coalesce, offload) => {
      const several = accept === 'single' ? [] : ['--workers', '2'];
      const own =
        dispatch === 'in-process' || (accept !== 'single' && dispatch === 'cluster')
          ? []
          : ['--dispatch-workers', '2'];
      const demo = await startDemo([
        ...['--accept', accept, '--dispatch', dispatch, '--coalesce', coalesce, ...several, ...own],
        ...['--offload', offload, '--latency', '5'],
      ]);
      const page = await opened(await browser.open(), demo.url);
      for (let asked = 0; asked < 3; asked += 1) await getFrom(demo.url + MADRID_BARCELONA);
      await eventually(async () => {
        const { body } = await getFrom(`${demo.url}/operator/state`);
        const parts = partsOf(systemOf(body as OperatorView));
        const drawn = await page
          .locator('svg.map [data-part]')
          .evaluateAll((all) =>
            all.map((one) => [one.getAttribute('data-part'), one.getAttribute('data-state')]),
          );
        expect(drawn).toEqual(parts.map(({ id, state }) => [id, state]));
        const open = parts.find(({ id }) => id === 'clients')?.counts['open'];
        expect(await link(page, 'clients').textContent()).toContain(`${open} open`);
      });
      // Totals stay when nobody asks.
      await link(page, 'carrier renfe').click();
      await eventually(async () => {
        const { body } = await getFrom(`${demo.url}/operator/state`);
        const renfe = partsOf(systemOf(body)).find(({ id }) => id === 'carrier renfe');
        expect(renfe?.counts['answered']).toBeGreaterThanOrEqual(1);
        expect(await page.locator('#node .facts [data-key=Answered] dd').textContent()).toBe(
          String(renfe?.counts['answered']),
        );
      });
      expect(await violationsOf(page)).toEqual([]);
    },
  );

  describe('of two servers that fork', () => {
    const server = sharedProcess(
      ...['--accept', 'cluster', '--workers', '2', '--dispatch', 'fork', '--dispatch-workers', '2'],
      ...['--latency', '5', '--deadline-ms', '1000'],
    );
    const open = async (options = {}) => opened(await browser.open(options), server().url);

    test('a worker is killed from its drawer, after a question: it is seen to start, and has a successor', async () => {
      const page = await open();
      const id = 'worker server-0/task-1';
      await link(page, id).click();
      await page.waitForSelector('#node[open] .facts');
      expect(await page.textContent('#node h2')).toBe('server-0/task-1');
      const before = await pidIn(page);
      expect(before).toMatch(/^pid \d+$/);
      await page.click('#node [data-ask]');
      expect(await page.textContent('#node [role=group]')).toContain('Kill server-0/task-1?');
      await page.keyboard.press('Escape');
      await page.waitForSelector('#node[open] [data-ask]');
      await page.click('#node [data-ask]');
      const seen = page.waitForSelector(
        `svg.map [data-part="${id}"]:is([data-state=dead], [data-state=starting])`,
        { state: 'attached' },
      );
      await page.click('#node [data-confirm]');
      await seen;
      await eventually(async () => {
        expect(await stateOf(page, id)).toBe('healthy');
        expect(await pidIn(page)).toMatch(/^pid \d+$/);
        expect(await pidIn(page)).not.toBe(before);
      });
    });

    test('a carrier hangs: its part, its way and the table show it; it is reset from its drawer', async () => {
      const page = await open();
      await page.click('.as-table summary');
      await setPlan(server().carriersUrl, 'renfe', { fault: { kind: 'hang' } });
      await askAsPage(server(), 'POST', '/operator/load', {
        ...{ path: MADRID_BARCELONA, perSecond: 10, seconds: 20 },
      });
      await page.waitForSelector('svg.map [data-part="carrier renfe"][data-state=hangs]');
      expect(await link(page, 'carrier renfe').getAttribute('aria-label')).toMatch(
        /Renfe, .* hangs$/,
      );
      // On a busy machine others may be too late, too.
      await eventually(async () => {
        const failing = page.locator('svg.map [data-part^=carrier].hangs');
        expect(await page.locator('svg.map .edge.hangs').count()).toBe(await failing.count());
      });
      await page.waitForSelector('.as-table tr[data-key="carrier renfe"][data-state=hangs]');
      expect(await violationsOf(page)).toEqual([]);
      await link(page, 'carrier renfe').click();
      await page.click('#node [data-plan*=null]');
      await page.waitForSelector('#node .said:text("in force")');
      await page.keyboard.press('Escape');
      // Its circuit may be open: it is well once calls have got through.
      await eventually(async () => {
        await getFrom(server().url + MADRID_BARCELONA);
        const hanging = page.locator('svg.map [data-part="carrier renfe"][data-state=hangs]');
        expect(await hanging.count()).toBe(0);
      });
    });

    test('by keyboard: Tab follows the flow, Enter opens a part, Escape leaves it where it was', async () => {
      const page = await open();
      await link(page, 'clients').focus();
      const focused = () => page.evaluate("document.activeElement.getAttribute('data-part')");
      const order = [await focused()];
      for (let at = 0; at < 4; at += 1) {
        await page.keyboard.press('Tab');
        order.push(await focused());
      }
      expect(order).toEqual([
        ...['clients', 'accept', 'server server-0', 'server server-1', 'funnel server-0'],
      ]);
      await page.keyboard.press('Enter');
      await page.waitForSelector('#node[open]');
      expect(await page.textContent('#node h2')).toBe('Coalescing, server-0');
      await page.keyboard.press('Escape');
      await page.waitForSelector('#node:not([open])', { state: 'attached' });
      expect(await focused()).toBe('funnel server-0');
    });

    test.each([
      ['1280 px, dark', { colorScheme: 'dark', viewport: { width: 1280, height: 900 } }],
      ['390 px', { viewport: { width: 390, height: 844 }, hasTouch: true }],
      ['320 px, dark', { colorScheme: 'dark', viewport: { width: 320, height: 700 } }],
      ['forced colours', { forcedColors: 'active', viewport: { width: 1280, height: 900 } }],
    ] as const)('%s: no violation, nothing moves, nothing scrolls sideways', async (_, options) => {
      const page = await browser.open(options);
      await page.addInitScript(HEIGHTS);
      await page.goto(`${server().url}/operator`);
      await page.waitForSelector('main[data-state=live]');
      await page.waitForSelector('#picture [data-state=healthy]');
      // From before there are figures until there are.
      const heights = await page.evaluate<number[]>('heights');
      expect(heights.length).toBeGreaterThan(0);
      expect(Math.max(...heights) - Math.min(...heights)).toBeLessThan(2);
      const forced = 'forcedColors' in options;
      expect(await violationsOf(page, { forced })).toEqual([]);
      await page.locator('[data-part="server server-1"]:visible').click();
      await page.waitForSelector('#node[open] .facts');
      expect(await violationsOf(page, { forced })).toEqual([]);
      const [inner, scroll] = (await page.evaluate(
        '[window.innerWidth, document.documentElement.scrollWidth]',
      )) as [number, number];
      expect(scroll).toBeLessThanOrEqual(inner);
    });
  });
});
