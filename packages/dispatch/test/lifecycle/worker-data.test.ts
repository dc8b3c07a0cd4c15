import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createInProcessDispatcher, defineTasks } from '../../src/index.ts';
import { askWorkerData, WorkerData } from '../../src/process/channel-messages.ts';
import { checkPoolsAfterEach, createPool, errorOf, settled, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

/** `process` in a worker: what it sends is kept. */
class FakeProcess extends EventEmitter {
  readonly sent: unknown[] = [];
  send(message: unknown): boolean {
    this.sent.push(message);
    return true;
  }
}

test('a worker asks once, and takes the answer to its question alone', async () => {
  const data = new WorkerData({ at: new Date(0) });
  const host = new FakeProcess();
  const asked = askWorkerData(host as never);
  expect(host.sent).toHaveLength(1);
  for (const foreign of [undefined, 'text', { watch: 1 }, host.sent[0]]) {
    host.emit('message', foreign);
  }
  const answers: unknown[] = [];
  expect(data.answer({ ticketing: 'another' }, (answer) => answers.push(answer))).toBe(false);
  expect(data.answer(host.sent[0], (answer) => answers.push(answer))).toBe(true);
  for (const answer of answers) host.emit('message', structuredClone(answer));
  expect(await asked).toEqual({ at: new Date(0) });
  expect(host.listenerCount('message')).toBe(0);
});

test('an answer that cannot be read rejects', async () => {
  const host = new FakeProcess();
  const asked = askWorkerData(host as never);
  host.emit('message', { ...(host.sent[0] as object), bytes: Uint8Array.of(1, 2) });
  await expect(asked).rejects.toThrow();
});

test('in-process without clone workerData is handed over as it is', async () => {
  const workerData = { call: () => 42 };
  const tasks = defineTasks({
    same: (_input, context) => context.workerData === workerData,
  });
  const dispatcher = createInProcessDispatcher(tasks, { workerData });
  expect(await dispatcher.run('same', undefined)).toBe(true);
  await dispatcher.close();
});

test('in-process with clone workerData is copied for each worker', async () => {
  const workerData = { list: ['given'] };
  const tasks = defineTasks({
    look: (_input, context) => [context.workerData === workerData, context.workerData],
  });
  const dispatcher = createInProcessDispatcher(tasks, { clone: true, workerData });
  expect(await dispatcher.run('look', undefined)).toEqual([false, { list: ['given'] }]);
  await dispatcher.close();
});

test('the message of workerData that cannot be cloned names the slot', async () => {
  const tasks = defineTasks({ echo: (input: unknown) => input });
  const workerData = { call: () => 1 };
  const dispatcher = createInProcessDispatcher(tasks, { clone: true, workerData });
  await expect(dispatcher.run('echo', 1)).rejects.toThrow(
    'Workers keep failing to start: Cannot send `workerData` to the worker of slot 0: () => 1 could not be cloned',
  );
  await dispatcher.close();
});

test('the transport gets the value, or what the function returns for the slot', async () => {
  const { transport } = createPool({ min: 2, max: 2, workerData: (slot: number) => `of ${slot}` });
  expect(transport.workers.map(({ workerData }) => workerData)).toEqual(['of 0', 'of 1']);
  const other = createPool({ workerData: null });
  expect(other.transport.at(0).workerData).toBeNull();
});

test('a function that throws is a failed start, and its error the cause', async () => {
  const workerData = (): never => {
    throw new Error('no table');
  };
  const { run, transport } = createPool({ workerData, restart: { maxFailures: 0 } });
  const call = run();
  await turn();
  const error = errorOf(await settled(call), 'ERR_CIRCUIT_OPEN');
  expect(error.message).toBe('Workers keep failing to start: no table');
  expect(transport.workers).toEqual([]);
});
