import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import {
  documentedFields,
  type FieldsOf,
  fieldNames,
  recordFields,
  until,
} from '@ticketing/test-kit';
import { afterEach, expect, expectTypeOf, test, vi } from 'vitest';
import type {
  ConnectionDroppedMessage,
  DispatchClusterMessages,
  WorkerReport,
  WorkerReportMessage,
} from '../src/index.ts';
import { addressOf, ask, checkClustersAfterEach, start } from './cluster-fixture.ts';
import { openPort, pass } from './held-port-fixture.ts';

checkClustersAfterEach();
afterEach(() => void vi.useRealTimers());

const REPORT = 'ticketing:dispatch-cluster:worker-report';

const fields: FieldsOf<DispatchClusterMessages> = {
  [REPORT]: { name: true, workerId: true, requests: true, inFlight: true, connections: true },
  'ticketing:dispatch-cluster:connection-dropped': { name: true, reason: true },
  'ticketing:dispatch-cluster:worker-wedged': { name: true, workerId: true },
};

test('the reference has the fields of each message, and no others', async () => {
  const page = new URL('../../../docs/reference/dispatch-cluster.md', import.meta.url);
  expect(documentedFields(await readFile(page, 'utf8'))).toEqual(fieldNames(fields));
});

test('messages that are published have the fields of their types, and no others', async () => {
  const recorded = recordFields(Object.keys(fields));
  const supervisor = start();
  await supervisor.ready();
  await ask(await addressOf(supervisor));
  await until(() => (recorded.names()[REPORT] ?? []).length > 0);
  vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout', 'hrtime'] });
  await dropConnection();
  await wedgeWorker();
  vi.useRealTimers();
  recorded.end();
  expect(recorded.names()).toEqual(fieldNames(fields));
});

/** Has a port close a connection for which it has no worker, and no room. */
async function dropConnection(): Promise<void> {
  const { port, join, connect } = await openPort({ maxWaiting: 0 });
  await join(1);
  port.drop(1);
  await once(await connect(), 'close');
}

/** Has a port replace a worker that lives and claims nothing. */
async function wedgeWorker(): Promise<void> {
  const { port, join, connect } = await openPort({ claimTimeoutMs: 1000 });
  const worker = await join(1);
  await connect();
  await worker.hears('hand');
  while (port.wedged === 0) {
    await pass(250);
    port.heard(1);
  }
}

test('a subscriber types its messages by the map of channels', () => {
  expectTypeOf<DispatchClusterMessages[typeof REPORT]>().toEqualTypeOf<WorkerReportMessage>();
  expectTypeOf<ConnectionDroppedMessage['reason']>().toEqualTypeOf<'full' | 'late'>();
  expectTypeOf<WorkerReport>().toExtend<Omit<WorkerReportMessage, 'name' | 'workerId'>>();
});
