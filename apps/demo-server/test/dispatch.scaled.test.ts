import { isFullScale } from '@ticketing/test-kit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ASKED, type Demo, setPlan, sharedServerBy, statsOf } from './demo.ts';
import { inProcessServer, SEARCH, timeless } from './dispatching-servers.ts';
import { testedDispatches } from './fleet.ts';

/**
 * Proves that a way to dispatch gives what `--dispatch in-process` gives.
 */
function testDispatch(inProcess: () => Demo, ...flags: string[]): void {
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

const inProcess = inProcessServer();
testDispatch(inProcess, '--dispatch', 'fork', '--offload', 'whole');
if (isFullScale()) {
  for (const name of testedDispatches) {
    testDispatch(inProcess, '--dispatch', name, '--offload', 'normalise');
    // In this process there is nothing to offload.
    if (name === 'in-process' || name === 'fork') continue;
    testDispatch(inProcess, '--dispatch', name, '--offload', 'whole');
  }
}
