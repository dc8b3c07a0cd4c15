import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createGuard, GuardError } from '@ticketing/resilience';

const codeOf = (call) =>
  call.then(
    () => 'answered',
    (error) => (GuardError.is(error) ? error.code : error.message),
  );

export default {
  '@ticketing/resilience': {
    async 'a circuit opens, and a rate refuses'() {
      const guard = createGuard({ name: 'down', circuit: { minCalls: 2 } });
      const down = () => codeOf(guard.run(() => Promise.reject(new Error('down'))));
      assert.deepEqual(
        [await down(), await down(), await down()],
        ['down', 'down', 'ERR_CIRCUIT_OPEN'],
      );
      const rate = createGuard({ name: 'rate', rate: { perSecond: 1, burst: 1 } });
      assert.equal(await rate.run(() => 'first'), 'first');
      assert.equal(await codeOf(rate.run(() => 'second')), 'ERR_RATE_LIMITED');
    },
    async 'a call ends at its deadline and at its abort, whatever its function does'() {
      const guard = createGuard({ name: 'hung' });
      let signal;
      const hang = (attempt) => {
        ({ signal } = attempt);
        return new Promise(() => {});
      };
      const deadline = Date.now() + 30;
      assert.equal(await codeOf(guard.run(hang, { deadline })), 'ERR_TIMEOUT');
      assert.equal(signal.aborted, true);
      const controller = new AbortController();
      const call = guard.run(() => new Promise(() => {}), { signal: controller.signal });
      controller.abort(new Error('left'));
      assert.equal(await codeOf(call), 'left');
      assert.equal(guard.stats().concurrency.inFlight, 0);
    },
    async 'retries and attempts that wait run in the context of their caller'() {
      const store = new AsyncLocalStorage();
      const guard = createGuard({
        name: 'waits',
        concurrency: { limit: 1, maxQueued: 5 },
        retry: { baseMs: 1 },
      });
      const seen = await Promise.all(
        ['one', 'two'].map((name) =>
          store.run(name, () =>
            guard.run(({ number }) => {
              if (number === 1 && name === 'one') throw new Error('no');
              return store.getStore();
            }),
          ),
        ),
      );
      assert.deepEqual(seen, ['one', 'two']);
    },
  },
};
