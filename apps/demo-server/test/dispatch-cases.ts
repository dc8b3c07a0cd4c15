import type { Journey } from '@ticketing/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  ASKED,
  type Demo,
  MADRID_BARCELONA,
  serveDemoBy,
  setPlan,
  sharedServerBy,
  statsOf,
} from './demo.ts';

// Workers have the platform's clock: so have these servers, and no test asks for a day that could begin meanwhile.
export const serveNow = (...argv: string[]) => serveDemoBy(Date.now, ...argv);
const date = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
export const SEARCH = `${MADRID_BARCELONA}&date=${date}`;

/** All but the time at which a carrier's bytes came. */
export function timeless(journeys: readonly Journey[]): readonly Journey[] {
  return JSON.parse(JSON.stringify(journeys), (name, value) =>
    name === 'fetchedAt' ? undefined : value,
  );
}

/** The server that dispatches in this process. */
export const inProcessServer = () => sharedServerBy(Date.now, '--latency', '0');

/**
 * Proves that a way to dispatch gives what `--dispatch in-process` gives.
 */
export function testDispatch(inProcess: () => Demo, ...flags: string[]): void {
  describe(flags.join(' '), () => {
    const shared = sharedServerBy(
      Date.now,
      ...['--latency', '0', '--dispatch-workers', '1', ...flags],
    );
    const statsOfPool = async () => (await statsOf(shared()))[0].dispatch;

    test('the same journeys as in this process, and /stats counts the tasks', async () => {
      const { get } = shared();
      const before = await statsOfPool();
      const { status, body } = await get(SEARCH);
      expect([status, body.complete]).toEqual([200, true]);
      const expected = timeless((await inProcess().get(SEARCH)).body.journeys);
      expect(expected.length).toBeGreaterThanOrEqual(20);
      expect(timeless(body.journeys)).toEqual(expected);
      expect(await statsOfPool()).toMatchObject({
        kind: flags[1],
        state: 'ready',
        asked: before.asked + ASKED.length,
        completed: before.completed + ASKED.length,
        running: 0,
        lost: 0,
      });
    });

    test('a carrier’s failure keeps its code, and others answer', async () => {
      const { get, carriersUrl } = shared();
      await setPlan(carriersUrl, 'renfe', { fault: { kind: 'malformed-price' } });
      onTestFinished(() => setPlan(carriersUrl, 'renfe', { fault: null }));
      const { status, body } = await get(SEARCH);
      expect(status).toBe(200);
      expect(body.carriers).toMatchObject([
        { carrier: 'renfe', state: 'error', error: { code: 'PROTOCOL' } },
        ...ASKED.slice(1).map((carrier) => ({ carrier, state: 'ok' })),
      ]);
    });
  });
}
