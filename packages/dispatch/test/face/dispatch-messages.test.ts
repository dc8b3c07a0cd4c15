import { subscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';
import {
  createInProcessDispatcher,
  type DispatchMessages,
  defineTasks,
  type RetryMessage,
} from '@ticketing/dispatch';
import { documentedFields, type FieldsOf, fieldNames, recordFields } from '@ticketing/test-kit';
import { expect, expectTypeOf, test } from 'vitest';
import { publishInspector } from '../../src/process/channel-messages.ts';
import { checkPoolsAfterEach, createPool, settled, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

const worker = { name: true, workerId: true, pid: true } as const;

const fields: FieldsOf<DispatchMessages> = {
  'tracing:ticketing:dispatch:run': {
    name: true,
    task: true,
    id: true,
    metadata: true,
    result: true,
    error: true,
    outcome: true,
    attempt: true,
    workerId: true,
    waitMs: true,
    runMs: true,
  },
  'tracing:ticketing:dispatch:task': {
    task: true,
    id: true,
    attempt: true,
    workerId: true,
    metadata: true,
    result: true,
    error: true,
  },
  'ticketing:dispatch:retry': {
    run: true,
    attempt: true,
    workerId: true,
    waitMs: true,
    heldMs: true,
  },
  'ticketing:dispatch:overloaded': {
    name: true,
    task: true,
    expectedWaitMs: true,
    retryAfterMs: true,
  },
  'ticketing:dispatch:worker-ready': worker,
  'ticketing:dispatch:worker-exit': { ...worker, exitCode: true, signal: true },
  'ticketing:dispatch:circuit-open': { name: true, error: true },
  'ticketing:dispatch:inspector-open': { workerId: true, slot: true, pid: true, url: true },
};

test('the reference has the fields of each message, and no others', async () => {
  const page = new URL('../../../../docs/reference/dispatch.md', import.meta.url);
  expect(documentedFields(await readFile(page, 'utf8'))).toEqual(fieldNames(fields));
});

test('messages that are published have the fields of their types, and no others', async () => {
  const recorded = recordFields(Object.keys(fields));
  await runTasks();
  await loseWorkers();
  await refuseCall();
  publishInspector({ workerId: 1, slot: 0, pid: 9001, url: 'ws://127.0.0.1:9229/id' });
  recorded.end();
  expect(recorded.names()).toEqual(fieldNames(fields));
});

/** Runs a task that answers and a task that throws, in this process. */
async function runTasks(): Promise<void> {
  const tasks = defineTasks({
    echo: (input: number) => input,
    fail: () => Promise.reject(new Error('thrown')),
  });
  await using dispatcher = createInProcessDispatcher(tasks);
  await dispatcher.run('echo', 1);
  await expect(dispatcher.run('fail')).rejects.toThrow('thrown');
}

/** Loses a worker of a call that is retried, then a worker that opens the circuit. */
async function loseWorkers(): Promise<void> {
  const { run, ready, transport, clock } = createPool({ restart: { maxFailures: 1 } });
  await ready();
  run('again', { idempotent: true, retries: 1 });
  await turn();
  transport.at(0).start(1);
  transport.at(0).exit({ signal: 'SIGKILL' });
  clock.advance(200);
  transport.at(1).startFailed(new Error('broken'));
  await turn();
}

/** Has a call refused that would wait too long. */
async function refuseCall(): Promise<void> {
  const { run, ready, transport } = createPool({ window: 1, maxWaitMs: 50 });
  await ready();
  run('first');
  await turn();
  transport.at(0).answer(1, 'answer', 100);
  run('runs');
  run('waits');
  expect((await settled(run('refused'))).error).toMatchObject({ code: 'ERR_OVERLOADED' });
}

test('a subscriber types its messages by the map of channels', () => {
  const lost: number[] = [];
  const note = (message: unknown): void => {
    const { run, attempt } = message as DispatchMessages['ticketing:dispatch:retry'];
    expectTypeOf(run.outcome).toEqualTypeOf<
      'completed' | 'failed' | 'aborted' | 'rejected' | undefined
    >();
    lost.push(attempt);
  };
  expectTypeOf<DispatchMessages['ticketing:dispatch:retry']>().toEqualTypeOf<RetryMessage>();
  expectTypeOf(subscribe).toBeCallableWith('ticketing:dispatch:retry', note);
  expect(lost).toEqual([]);
});
