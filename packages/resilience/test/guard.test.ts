import { expect, test } from 'vitest';
import { createGuard, GuardError } from '../src/index.ts';

test('run() resolves with the answer, and the attempt has a number, a kind and a signal', async () => {
  await using guard = createGuard({ name: 'renfe' });
  const answer = await guard.run(({ number, kind, signal, deadline }) => {
    return [number, kind, signal.aborted, deadline];
  });
  expect(answer).toEqual([1, 'first', false, undefined]);
  expect(guard.stats()).toMatchObject({ calls: { begun: 1, inFlight: 0, succeeded: 1 } });
});

test('run() retries a failure', async () => {
  await using guard = createGuard({ name: 'renfe', retry: { baseMs: 1 } });
  const answer = await guard.run(({ number }) => {
    if (number === 1) throw new Error('no');
    return number;
  });
  expect(answer).toBe(2);
  expect(guard.stats().attempts).toEqual({ first: 1, retry: 1, hedge: 0 });
});

test('run() refuses calls while the circuit is open', async () => {
  await using guard = createGuard({ name: 'renfe', circuit: { minCalls: 2 } });
  const fails = () => guard.run(() => Promise.reject(new Error('down')));
  await expect(fails()).rejects.toThrow('down');
  await expect(fails()).rejects.toThrow('down');
  const error = await fails().catch((reason: unknown) => reason);
  expect(GuardError.is(error)).toBe(true);
  expect(error).toMatchObject({ code: 'ERR_CIRCUIT_OPEN', data: { name: 'renfe' } });
});

test('run() ends at its deadline when the function never settles', async () => {
  await using guard = createGuard({ name: 'renfe' });
  let aborted: unknown;
  const call = guard.run(
    ({ signal }) => {
      signal.addEventListener('abort', () => (aborted = signal.reason));
      return new Promise(() => {});
    },
    { deadline: Date.now() + 20 },
  );
  await expect(call).rejects.toMatchObject({ code: 'ERR_TIMEOUT', name: 'TimeoutError' });
  expect(aborted).toMatchObject({ code: 'ERR_TIMEOUT' });
  expect(guard.stats().concurrency).toMatchObject({ inFlight: 0, abandoned: 1 });
});

test('execute() has the shape of other policies', async () => {
  await using guard = createGuard({ name: 'renfe' });
  const controller = new AbortController();
  const call = guard.execute(({ signal, attempt }) => [signal.aborted, attempt], controller.signal);
  expect(await call).toEqual([false, 0]);
});
