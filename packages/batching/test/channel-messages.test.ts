import { readFile } from 'node:fs/promises';
import { documentedFields, type FieldsOf, fieldNames, recordFields } from '@ticketing/test-kit';
import { expect, expectTypeOf, test } from 'vitest';
import {
  type BatchingMessages,
  createBatcher,
  createCoalescer,
  type HitMessage,
} from '../src/index.ts';
import { createStreamCoalescer } from '../src/streams/index.ts';
import { settleJobs, stateOf } from './held-loads.ts';
import { createMachine } from './shared-machine.ts';

const fields: FieldsOf<BatchingMessages> = {
  'tracing:ticketing:batching:load': {
    name: true,
    key: true,
    loadId: true,
    cause: true,
    inCaller: true,
    waiters: true,
    error: true,
  },
  'ticketing:batching:load': { name: true, key: true, ms: true, error: true },
  'ticketing:batching:join': { name: true, key: true, loadId: true, waiters: true },
  'ticketing:batching:hit': { name: true, key: true, kind: true },
  'ticketing:batching:overflow': { name: true, key: true, code: true },
  'tracing:ticketing:batching:batch': {
    name: true,
    keys: true,
    batchId: true,
    inCaller: true,
    failed: true,
    error: true,
  },
  'ticketing:batching:batch': { name: true, keys: true, ms: true, failed: true },
  'tracing:ticketing:batching:stream': {
    name: true,
    key: true,
    streamId: true,
    cause: true,
    inCaller: true,
    items: true,
    error: true,
  },
  'ticketing:batching:stream': { name: true, key: true, ms: true, items: true, error: true },
  'ticketing:batching:stream-join': { name: true, key: true, streamId: true, readers: true },
  'ticketing:batching:stream-overflow': { name: true, key: true, code: true },
  'tracing:ticketing:batching:shared': {
    name: true,
    key: true,
    outcome: true,
    load: true,
    error: true,
  },
  'ticketing:batching:shared-lead': { name: true, load: true, isRenewal: true, call: true },
  'ticketing:batching:shared-join': { name: true, load: true, call: true },
  'ticketing:batching:coordinator': { name: true, state: true, error: true },
};

test('the page of channels has the fields of each message, and no others', async () => {
  const page = new URL('../../../docs/batching-channels.md', import.meta.url);
  expect(documentedFields(await readFile(page, 'utf8'))).toEqual(fieldNames(fields));
});

test('messages that are published have the fields of their types, and no others', async () => {
  const recorded = recordFields(Object.keys(fields));
  await loadKeys();
  await loadBatches();
  await followStreams();
  await shareLoads();
  recorded.end();
  expect(recorded.names()).toEqual(fieldNames(fields));
});

async function loadKeys(): Promise<void> {
  const load = async (key: string) => {
    if (key === 'broken') throw new Error('broken');
    return key;
  };
  const coalescer = createCoalescer(load, { ttlMs: 1000, maxKeys: 1 });
  const answers = [coalescer.get('a'), coalescer.get('a'), coalescer.get('b')];
  await Promise.allSettled(answers);
  await coalescer.get('a');
  await expect(coalescer.get('broken')).rejects.toThrow('broken');
}

async function loadBatches(): Promise<void> {
  const batcher = createBatcher(async (keys: readonly string[]) => {
    if (keys.includes('broken')) throw new Error('broken');
    return keys;
  });
  await batcher.load('a');
  await expect(batcher.load('broken')).rejects.toThrow('broken');
}

async function followStreams(): Promise<void> {
  const open = async function* (key: string) {
    yield key;
    if (key === 'broken') throw new Error('broken');
  };
  const streams = createStreamCoalescer(open, { maxKeys: 1 });
  const readers = ['broken', 'broken', 'b'].map((key) => streams.follow(key));
  const reads = await Promise.allSettled(readers.map(readToEnd));
  expect(reads.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
}

async function readToEnd(items: AsyncIterable<string>): Promise<void> {
  for await (const item of items) expect(item).toBe('broken');
}

async function shareLoads(): Promise<void> {
  const machine = createMachine();
  const [leader, waiter] = [machine.createProcess(), machine.createProcess()];
  const led = leader.users.get('a');
  await settleJobs();
  const waited = waiter.users.get('a');
  await settleJobs();
  leader.calls[0]?.reject(new Error('broken'));
  await expect(led).rejects.toThrow('broken');
  await expect(waited).rejects.toThrow('broken');
  leader.store.state = 'broken';
  for (const key of ['b', 'c', 'd']) await stateOf(leader.users.get(key));
  expect(leader.coordinator.state).toBe('down');
  for (const call of leader.calls) call.resolve('own');
}

test('a subscriber types its messages by the map of channels', () => {
  expectTypeOf<BatchingMessages['ticketing:batching:hit']>().toEqualTypeOf<HitMessage>();
  expectTypeOf<HitMessage['kind']>().toEqualTypeOf<'value' | 'error'>();
});
