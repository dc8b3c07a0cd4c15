import { createInProcessDispatcher, DispatchError, defineTasks } from '@ticketing/dispatch';
import { createManualClock, turns } from '@ticketing/test-kit';
import { expect } from 'vitest';
import { createNatsDispatcher, serveNatsTasks } from '../src/index.ts';
import { createMemoryNats } from './memory-nats.ts';
import { watchWarnings } from './warnings.ts';

/** A generator of the same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed % 2_147_483_647 || 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const HEAD_BYTES = 12;
const INTERESTING = [0, 1, 2, 4, 7, 0x7f, 0x80, 0xff];

/** Returns a message that is broken somewhere: forged, cut off, grown, with another head or none. */
function mutate(data: Uint8Array, random: () => number): Uint8Array {
  const below = (n: number) => Math.floor(random() * n);
  const bytes = Uint8Array.from(data);
  switch (below(8)) {
    case 0:
      return bytes.subarray(0, below(bytes.length + 1));
    case 1:
      return Buffer.concat([bytes, Buffer.alloc(1 + below(64), below(256))]);
    case 2: {
      // A size that claims gigabytes.
      const at = HEAD_BYTES + below(4);
      if (bytes.length > HEAD_BYTES + 4) bytes.fill(0xff, at, HEAD_BYTES + 4);
      return bytes;
    }
    case 3:
      bytes[below(HEAD_BYTES)] = below(256);
      return bytes;
    case 4:
      return Uint8Array.from({ length: below(96) }, () => below(256));
    case 5: {
      // Text of frames: another digit, bracket or comma.
      const at = HEAD_BYTES + 4 + below(Math.max(1, bytes.length - HEAD_BYTES - 4));
      if (at < bytes.length) bytes[at] = '[]{},":0123456789-null'.charCodeAt(below(21));
      return bytes;
    }
    default:
      for (let count = 1 + below(4); count > 0; count -= 1) {
        bytes[below(bytes.length)] = INTERESTING[below(INTERESTING.length)] as number;
      }
      return bytes;
  }
}

export interface FuzzReport {
  readonly injected: number;
  /** Sessions that the injected messages ended. */
  readonly ended: number;
}

/**
 * Puts broken messages into a session between a host and a dispatcher, each way, where the next good one would be; another
 * dispatcher's session with the same host goes on. Asserts after each that nothing but this session has ended.
 */
export async function fuzzSessions(count: number, seed: number): Promise<FuzzReport> {
  const random = seeded(seed);
  const clock = createManualClock();
  const nats = createMemoryNats({ clock });
  const options = { fleet: 'fuzz', clock, random: seeded(seed + 1) };
  const tasks = {
    echo: (value: unknown) => value,
    async *numbers(count: number) {
      for (let number = 1; number <= count; number += 1) yield number;
    },
  };
  const local = createInProcessDispatcher(defineTasks(tasks), { clock });
  const connections = Array.from({ length: 4 }, () => nats.connect());
  const [ofHost, ofVictim, ofOther, ofRogue] = connections as [
    (typeof connections)[0],
    (typeof connections)[0],
    (typeof connections)[0],
    (typeof connections)[0],
  ];
  const host = serveNatsTasks({
    ...options,
    nats: ofHost,
    dispatcher: local,
    tasks: ['echo', 'numbers'],
  });
  const open = (connection: typeof ofVictim, name: string) =>
    createNatsDispatcher<typeof tasks>({
      ...options,
      nats: connection,
      name,
      restart: { maxFailures: 10_000, backoffMs: [1, 1] },
    });
  const victim = open(ofVictim, 'victim');
  const other = open(ofOther, 'other');
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 10) {
      clock.advance(10);
      await turns(3);
    }
  };
  /** Lets time pass until the promise settles. */
  async function settle<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const done = () => {
      isSettled = true;
    };
    promise.then(done, done);
    // By then a host that was forged to leave has announced itself again.
    for (let round = 0; round < 1500 && !isSettled; round += 1) await pass(10);
    if (!isSettled) throw new Error('Cannot continue: a call was forgotten');
    return promise;
  }
  /** The last message of each direction of the victim's session. */
  const last = new Map<'s' | 'd', { subject: string; data: Uint8Array }>();
  nats.seen = (subject, data) => {
    const kind = subject.split('.')[2];
    if (
      (kind === 's' || kind === 'd') &&
      subject.includes('.victim.') &&
      data.byteLength >= HEAD_BYTES
    ) {
      last.set(kind, { subject, data });
    }
  };
  await settle(Promise.all([victim.ready(), other.ready(), host.ready()]));
  const value = { list: [1, 'two', new Map([[3, Buffer.from('four')]])], text: 'x'.repeat(40) };
  await settle(victim.run('echo', value));
  const before = other.fleet().lost;
  using warnings = watchWarnings();
  let ended = 0;
  let forged = 0;
  let cutOff = 0;
  const heap = process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  let largest = 0;
  /** Reads a stream that may end in its middle, so that the latest message of either side may be one of items or of credit. */
  const readSome = async () => {
    const items = victim.stream('numbers', 20, { window: 4 });
    try {
      for await (const _ of items) await turns(1);
    } catch (error) {
      if (!DispatchError.is(error)) cutOff += 1;
    }
  };
  /** Asks the victim. A host that was forged to leave is none until it announces itself again: calls are refused until then. */
  const echo = async (value: number): Promise<unknown> => {
    for (let refused = 0; ; refused += 1) {
      try {
        return await settle(victim.run('echo', value, { idempotent: true, retries: 3 }));
      } catch (error) {
        const isRefusal = DispatchError.is(error) && error.code === 'ERR_CIRCUIT_OPEN';
        if (!isRefusal || refused === 20) throw error;
        if (refused === 0) forged += 1;
        await pass(1000);
      }
    }
  };
  for (let injected = 0; injected < count; injected += 1) {
    const stream = injected % 4 === 0 ? readSome() : undefined;
    if (stream !== undefined) await turns(Math.floor(random() * 12));
    const lostBefore = lostOf(victim) + host.stats().lost;
    const seen = last.get(random() < 0.5 ? 's' : 'd');
    if (seen !== undefined) {
      const data = random() < 0.1 ? seen.data : next(seen.data);
      ofRogue.publish(seen.subject, random() < 0.1 ? data : mutate(data, random));
    }
    await turns(2);
    const answer = await echo(injected);
    if (stream !== undefined) await settle(stream);
    // Who may publish into a session can also forge what is no different from a peer's own message: rare by chance.
    if (answer !== injected) forged += 1;
    if (lostOf(victim) + host.stats().lost > lostBefore) ended += 1;
    if (injected % 100 !== 0) continue;
    expect(await settle(other.run('echo', value))).toEqual(value);
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    largest = Math.max(largest, heapUsed + arrayBuffers - heap);
  }
  expect([...nats.thrown, ...warnings.seen]).toEqual([]);
  expect(forged + cutOff).toBeLessThanOrEqual(count / 1000);
  expect(other.fleet().lost).toEqual(before);
  expect(host.state).toBe('serving');
  expect(largest).toBeLessThan(256 * 1024 * 1024);
  await settle(Promise.all([victim.close(), other.close(), host.close(), local.close()]));
  expect({ timers: clock.pending, subscriptions: nats.subscriptions }).toEqual({
    timers: 0,
    subscriptions: 0,
  });
  return { injected: count, ended };
}

/** Returns a message with the number that follows its own. */
function next(data: Uint8Array): Uint8Array {
  const bytes = Buffer.from(data);
  bytes.writeUInt32BE((bytes.readUInt32BE(4) + 1) >>> 0, 4);
  return bytes;
}

function lostOf(dispatcher: { fleet(): { lost: Readonly<Record<string, number>> } }): number {
  return Object.values(dispatcher.fleet().lost).reduce((sum, each) => sum + each, 0);
}
