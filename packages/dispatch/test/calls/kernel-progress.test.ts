import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { checkPoolsAfterEach, createPool, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

test('onProgress gets what the task reports in order, in the caller’s async context', async () => {
  const { run, ready, transport } = createPool();
  await ready();
  const storage = new AsyncLocalStorage<string>();
  const got: unknown[] = [];
  const call = storage.run('caller', () =>
    run(0, { onProgress: (data) => got.push([data, storage.getStore()]) }),
  );
  await turn();
  transport.at(0).progress(1, 'a');
  transport.at(0).progress(1, undefined);
  transport.at(0).answer(1);
  transport.at(0).progress(1, 'late');
  await turn();
  expect(got).toEqual([
    ['a', 'caller'],
    [undefined, 'caller'],
  ]);
  expect(call.state).toBe('resolved');
});

test('onProgress that throws rejects the call and aborts the task', async () => {
  const { run, ready, transport, dispatcher } = createPool();
  await ready();
  const error = new Error('bad listener');
  let calls = 0;
  const call = run(0, {
    onProgress: () => {
      calls += 1;
      throw error;
    },
  });
  await turn();
  transport.at(0).start();
  transport
    .at(0)
    .emit({ kind: 'progress', seq: 1, data: 1 }, { kind: 'progress', seq: 1, data: 2 });
  await turn();
  expect(call).toMatchObject({ state: 'rejected', error });
  expect(calls).toBe(1);
  expect(transport.at(0).aborts).toEqual([{ seq: 1, reason: error }]);
  expect(dispatcher.stats()).toMatchObject({ failed: 1, aborted: 0 });
  transport.at(0).answer(1);
});

test('a report in the message of an abort is dropped, though the call has just been sent', async () => {
  const { run, ready, transport } = createPool();
  await ready();
  const controller = new AbortController();
  const got: unknown[] = [];
  const onProgress = (data: unknown): void => {
    got.push(data);
    controller.abort('enough');
  };
  const call = run(0, { signal: controller.signal, onProgress });
  // Between the sending and what follows it.
  process.nextTick(() => {
    transport.at(0).progress(1, 'a');
    transport.at(0).progress(1, 'b');
  });
  await turn();
  expect(got).toEqual(['a']);
  expect(call).toMatchObject({ state: 'rejected', error: 'enough' });
  expect(transport.at(0).aborts).toHaveLength(1);
});
