import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { OperatorView } from '../src/figures/view-schema.ts';
import { createJournal } from '../src/operator/journal.ts';
import { createWatch } from '../src/operator/watch.ts';
import { schemaErrors } from './schema-errors.ts';
import { someView } from './story-views.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A watch of a server that answers after `ms`; `looks`: whether each question was for somebody. */
function watched({ ms = 10, isOn = true, failAt = -1 } = {}) {
  const looks: boolean[] = [];
  const watch = createWatch({
    isOn,
    journal: createJournal(),
    async look(isWatched) {
      looks.push(isWatched);
      await new Promise((resolve) => setTimeout(resolve, ms));
      if (looks.length === failAt) throw new Error('no answer');
      return { view: someView(Date.now()), reports: [] };
    },
  });
  onTestFinished(() => watch.close());
  return { watch, looks };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('a sample is kept every two seconds without viewers, and the first viewer has them all', async () => {
  const { watch, looks } = watched();
  await pass(120_500);
  expect(looks.length).toBe(60);
  expect(looks.every((isWatched) => !isWatched)).toBe(true);
  const { at, lines } = watch.history();
  expect([at.length, lines['busy server-0']?.length]).toEqual([60, 60]);
  const view = watch.view();
  await pass(10);
  expect(schemaErrors(OperatorView, await view)).toEqual([]);
  expect(looks.at(-1)).toBe(true);
});

test('all viewers share one question a second; a while after the last of them it is one in two seconds', async () => {
  const { watch, looks } = watched();
  async function follow(times: number): Promise<void> {
    let at = -1;
    for (let time = 0; time < times; time += 1) at = (await watch.next(at))?.at ?? at;
  }
  const viewers = Promise.all([follow(10), follow(10), follow(10)]);
  await pass(9100);
  await viewers;
  expect(looks).toEqual(Array.from({ length: 10 }, () => true));
  const states = Promise.all([watch.view(), watch.view()]);
  await pass(500);
  expect(new Set(await states).size).toBe(1);
  const before = looks.length;
  await pass(20_000);
  expect(looks.length - before).toBeLessThanOrEqual(5 + 8);
  expect(looks.at(-1)).toBe(false);
});

test('a viewer is given no view that was made for the history alone', async () => {
  const { watch, looks } = watched({ ms: 300 });
  await pass(2100);
  // One is being made.
  expect(looks).toEqual([false]);
  const view = watch.next(-1);
  const state = watch.view();
  await pass(700);
  expect(await state).toBe(await view);
  expect(looks.slice(0, 2)).toEqual([false, true]);
});

test('a question that fails, or is slow, is followed by another', async () => {
  const { watch, looks } = watched({ failAt: 2 });
  await pass(10_500);
  expect(looks).toHaveLength(5);
  expect(watch.history().at).toHaveLength(4);
  const slow = watched({ ms: 3000 });
  await pass(21_000);
  expect(slow.looks.length).toBeGreaterThanOrEqual(6);
  expect(slow.looks.length).toBeLessThanOrEqual(7);
  await Promise.all([slow.watch.close(), pass(3000)]);
});

test('--operator off: nothing is asked. A watch that is closed asks nothing more, and holds no viewer', async () => {
  const off = watched({ isOn: false });
  await pass(60_000);
  expect(off.looks).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  const { watch, looks } = watched({ ms: 3000 });
  const waiting = watch.next(-1);
  await pass(1500);
  const closed = watch.close();
  expect(await waiting).toBeUndefined();
  await pass(1500);
  await closed;
  const before = looks.length;
  await pass(10_000);
  expect([looks.length, vi.getTimerCount()]).toEqual([before, 0]);
  expect(await watch.next(-1)).toBeUndefined();
});

test('the server is noted as started once everything has started', async () => {
  let size = 0;
  const watch = createWatch({
    isOn: true,
    journal: createJournal(),
    async look() {
      const [pool] = someView(0).pools;
      return {
        view: someView(Date.now(), { pools: pool ? [{ ...pool, size }] : [] }),
        reports: [],
      };
    },
  });
  onTestFinished(() => watch.close());
  await pass(2500);
  expect((await watch.view()).events).toEqual([]);
  size = 1;
  await pass(2500);
  const { events } = await watch.view();
  expect(events).toEqual([
    {
      ...{ no: 1, at: 0, kind: 'server-started', severity: 'note', process: '' },
      ...{ text: 'Server started', detail: '1 server process, 1 task worker, fork' },
    },
  ]);
});
