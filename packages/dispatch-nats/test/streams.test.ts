import {
  createInProcessDispatcher,
  type Dispatcher,
  defineTasks,
  systemClock,
  type TaskContext,
} from '@ticketing/dispatch';
import { withFallback } from '@ticketing/dispatch-wrappers';
import { turns, until } from '@ticketing/test-kit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createNatsDispatcher,
  type NatsDispatcher,
  type NatsDispatcherOptions,
  type NatsHost,
  type ServeNatsTasksOptions,
  serveNatsTasks,
} from '../src/index.ts';
import { createMemoryNats, type MemoryConnection, type MemoryNats } from './memory-nats.ts';

/** Items that the generators have made, in this process. */
let made = 0;
let notes: string[];
let nats: MemoryNats;
let closing: (() => Promise<unknown>)[];
beforeEach(() => {
  made = 0;
  notes = [];
  nats = createMemoryNats({ clock: systemClock });
  closing = [];
});
afterEach(async () => {
  for (const close of closing) await close();
  expect(nats.thrown).toEqual([]);
});

/** A text of 100 letters, of two bytes or more each. */
const textOf = (index: number): string => `${index} `.padEnd(100, 'ü€');

const tasks = {
  async *numbers({ count = 1e9, bytes = 0, mark = 'numbers' }, { attempt, signal }: TaskContext) {
    notes.push(`${mark} begun ${attempt}`);
    signal.addEventListener('abort', () => notes.push(`${mark} aborted`));
    try {
      for (let number = 1; number <= count; number += 1) {
        made = number;
        yield bytes === 0 ? number : Buffer.alloc(bytes, number);
      }
    } finally {
      notes.push(`${mark} ended`);
    }
  },
  double: (n: number) => 2 * n,
  echo: (text: string) => text,
  async *texts(count: number) {
    for (let index = 0; index < count; index += 1) yield textOf(index);
  },
};
type Tasks = typeof tasks;

interface Far {
  readonly host: NatsHost;
  readonly local: Dispatcher<Tasks>;
  readonly dispatcher: NatsDispatcher<Tasks>;
  readonly ofHost: MemoryConnection;
  readonly ofDispatcher: MemoryConnection;
}

/** A host and a dispatcher, each with a connection of its own. */
async function setUp(
  serving: Partial<ServeNatsTasksOptions<Tasks>> = {},
  options: Partial<NatsDispatcherOptions> = {},
): Promise<Far> {
  const [ofHost, ofDispatcher] = [nats.connect(), nats.connect()];
  const local = serving.dispatcher ?? createInProcessDispatcher(defineTasks(tasks));
  const host = serveNatsTasks<Tasks>({
    ...{
      nats: ofHost,
      fleet: 'items',
      dispatcher: local,
      tasks: ['numbers', 'double', 'echo', 'texts'],
    },
    ...serving,
  });
  await host.ready();
  const dispatcher = createNatsDispatcher<Tasks>({
    // A busy machine may be silent for seconds.
    ...{ nats: ofDispatcher, fleet: 'items', missedBeats: 40 },
    ...options,
  });
  await dispatcher.ready();
  closing.push(
    () => dispatcher.close(),
    () => host.close(),
    () => local.close(),
  );
  return { host, local, dispatcher, ofHost, ofDispatcher };
}

/** A message of a host, of frames. */
function messageOf(seq: number, cells: string): Uint8Array {
  const bytes = Buffer.alloc(16 + cells.length);
  bytes.set([1, 1]);
  bytes.writeUInt32BE(seq, 4);
  bytes.writeUInt32BE(cells.length, 12);
  bytes.write(cells, 16);
  return bytes;
}

/** Reads on until the stream ends. */
async function rest(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

it('a slow reader has no item made for it, on either side, beyond its window', async () => {
  const { dispatcher, host, local } = await setUp();
  let taken = 0;
  for await (const item of dispatcher.stream('numbers', {}, { window: 2 })) {
    taken += 1;
    expect(item).toBe(taken);
    await turns(20);
    expect(made).toBeLessThanOrEqual(taken + 2);
    if (taken === 30) break;
  }
  await until(() => notes.includes('numbers ended'), 'the end of the generator');
  expect(notes).toEqual(['numbers begun 1', 'numbers aborted', 'numbers ended']);
  expect(dispatcher.stats()).toMatchObject({ aborted: 1, lost: 0, running: 0 });
  await until(() => host.stats().running === 0);
  expect(host.stats()).toMatchObject({ asked: 1, aborted: 1 });
  expect(local.stats()).toMatchObject({ aborted: 1, running: 0 });
});

it('streams that wait for their readers take no room on a host', async () => {
  const { dispatcher, host } = await setUp({ capacity: 2 });
  const streams = Array.from({ length: 5 }, (_, index) =>
    dispatcher.stream('numbers', { count: 40, mark: String(index) }, { window: 2 }),
  );
  for (const items of streams) expect(await items.next()).toMatchObject({ value: 1 });
  expect(host.stats()).toMatchObject({ capacity: 2, running: 5 });
  const calls = Array.from({ length: 20 }, (_, index) => dispatcher.run('double', index));
  expect(await Promise.all(calls)).toEqual(calls.map((_, index) => 2 * index));
  const all = streams.map(async (items) => {
    let count = 1;
    for await (const _ of items) count += 1;
    return count;
  });
  expect(await Promise.all(all)).toEqual([40, 40, 40, 40, 40]);
  await until(() => host.stats().running === 0);
  expect(await dispatcher.run('double', 4)).toBe(8);
  expect(host.stats()).toMatchObject({ asked: 26, completed: 26 });
});

it('a host that drains lets a stream end', async () => {
  const { dispatcher, host } = await setUp();
  const items = dispatcher.stream('numbers', { count: 9 }, { window: 2 });
  expect(await items.next()).toMatchObject({ value: 1 });
  const drained = host.drain();
  const got: unknown[] = [];
  for await (const item of items) got.push(item);
  expect(got).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  expect(await drained).toEqual({ completed: 1, aborted: 0 });
});

it('a host that ends in the middle of a stream rejects it once, and nothing runs again', async () => {
  const { dispatcher, host } = await setUp();
  const other = await setUp({ hostId: 'other' });
  const given = { idempotent: true, retries: 3, window: 2 };
  const items = dispatcher.stream('numbers', {}, given);
  expect(await items.next()).toMatchObject({ value: 1 });
  const [holder] = [host, other.host].filter((each) => each.stats().running > 0);
  // Both have the same tasks: the one that runs it ends.
  await holder?.close();
  await expect(rest(items)).rejects.toMatchObject({ code: 'ERR_WORKER_LOST' });
  expect(await items.next()).toEqual({ done: true, value: undefined });
  await until(() => notes.includes('numbers ended'), 'the end of the generator');
  expect(await dispatcher.run('double', 1)).toBe(2);
  expect(notes.filter((note) => note.includes('begun'))).toEqual(['numbers begun 1']);
});

it('a connection that breaks in the middle of a stream ends both sides of it', async () => {
  const { dispatcher, ofDispatcher, host } = await setUp({}, { beatMs: 20, missedBeats: 100 });
  const items = dispatcher.stream('numbers', {}, { window: 4 });
  expect(await items.next()).toMatchObject({ value: 1 });
  ofDispatcher.disconnect();
  await expect(rest(items)).rejects.toMatchObject({ code: 'ERR_WORKER_LOST' });
  expect(await items.next()).toEqual({ done: true, value: undefined });
  ofDispatcher.reconnect();
  // The host learns that its reader is gone as soon as there is a connection.
  await until(() => notes.includes('numbers ended'), 'the end of the generator');
  expect(await dispatcher.run('double', 1)).toBe(2);
  expect(host.stats()).toMatchObject({ running: 0, asked: 2 });
});

it('an item above `maxMessageBytes` fails the stream after those before it, and no other call', async () => {
  const { dispatcher } = await setUp({ maxMessageBytes: 100_000 });
  const sizes = async (bytes: number): Promise<number[]> => {
    const got: number[] = [];
    const items = dispatcher.stream('numbers', { count: 3, bytes }, { window: 2 });
    for await (const item of items) got.push((item as Uint8Array).byteLength);
    return got;
  };
  expect(await sizes(90_000)).toEqual([90_000, 90_000, 90_000]);
  await expect(sizes(110_000)).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' });
  expect(notes.slice(-3)).toEqual(['numbers begun 1', 'numbers aborted', 'numbers ended']);
  expect(dispatcher.fleet().lost).toMatchObject({ malformed: 0, ended: 0 });
  expect(await dispatcher.run('double', 3)).toBe(6);
});

it('small values that are together above `maxMessageBytes` go in several messages', async () => {
  const { dispatcher, host } = await setUp({ maxMessageBytes: 1024 });
  const texts = Array.from({ length: 60 }, (_, index) => textOf(index));
  expect(await Promise.all(texts.map((text) => dispatcher.run('echo', text)))).toEqual(texts);
  const got: unknown[] = [];
  for await (const item of dispatcher.stream('texts', 60, { window: 60 })) got.push(item);
  expect(got).toEqual(texts);
  await expect(dispatcher.run('echo', 'x'.repeat(1024))).rejects.toMatchObject({
    code: 'ERR_TOO_LARGE',
  });
  expect(host.stats()).toMatchObject({ asked: 61, completed: 61, lost: 0 });
});

it('a host whose dispatcher cannot pass calls on streams too', async () => {
  const [far, near] = [defineTasks(tasks), defineTasks(tasks)].map((each) =>
    createInProcessDispatcher(each),
  ) as [Dispatcher<Tasks>, Dispatcher<Tasks>];
  const wrapped = withFallback(far, near, { maxInFlight: 1 });
  const { dispatcher, host } = await setUp({ dispatcher: wrapped });
  let taken = 0;
  for await (const item of dispatcher.stream('numbers', { count: 50 }, { window: 2 })) {
    taken += 1;
    expect(item).toBe(taken);
    await turns(20);
    // Two more wait in the host.
    expect(made).toBeLessThanOrEqual(taken + 4);
  }
  expect(taken).toBe(50);
  for await (const item of dispatcher.stream('numbers', {})) if (item === 3) break;
  await until(() => host.stats().aborted === 1, 'the end of the second stream');
  expect(notes.slice(-1)).toEqual(['numbers ended']);
  expect(host.stats()).toMatchObject({ asked: 2, completed: 1 });
});

it('a host that sends more items than there is room for loses the session', async () => {
  const { dispatcher, host } = await setUp();
  const items = dispatcher.stream('numbers', {}, { window: 4 });
  expect(await items.next()).toMatchObject({ value: 1 });
  const [session] = host.stats().sessions;
  const subject = `tt.items.d.${session?.dispatcher}.${session?.session}`;
  const rogue = nats.connect();
  closing.push(() => rogue.close());
  // A forged next message of the host: five items, with room for four at most.
  let forged = false;
  nats.seen = (given, data) => {
    if (given !== subject || forged) return;
    forged = true;
    const seq = Buffer.from(data).readUInt32BE(4) + 1;
    rogue.publish(subject, messageOf(seq, `[0${',16,1,0,9'.repeat(5)}]`));
  };
  const all = rest(items);
  await expect(all).rejects.toMatchObject({ code: 'ERR_WORKER_LOST' });
  expect(forged).toBe(true);
  expect(dispatcher.fleet().lost.malformed).toBe(1);
});

it('a host of an older version refuses a stream by one clear error, and runs other calls', async () => {
  const { passage } = nats;
  const older = (subject: string, data: Uint8Array): void => {
    if (!subject.includes('.d.') || data[0] !== 0x7b) return;
    const text = Buffer.from(data).toString();
    const without = text.replace(',"streams":true', '');
    Buffer.from(data.buffer, data.byteOffset, data.byteLength).write(without.padEnd(text.length));
  };
  nats.passage = (subject, data) => {
    older(subject, data);
    return passage(subject, data);
  };
  const { dispatcher, host } = await setUp({ hostId: 'old' });
  const items = dispatcher.stream('numbers', { count: 2 });
  const call = dispatcher.run('double', 2);
  await expect(items.next()).rejects.toMatchObject({
    code: 'ERR_UNKNOWN_TASK',
    message: `Cannot stream task \`numbers\`: host ${host.id} has an older version of @ticketing/dispatch-nats, without streams; update it`,
  });
  expect(await call).toBe(4);
  expect(notes).toEqual([]);
  expect(dispatcher.stats()).toMatchObject({ failed: 1, completed: 1, lost: 0 });
});
