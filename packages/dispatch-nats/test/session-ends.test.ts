import { createInProcessDispatcher, DispatchError, defineTasks } from '@ticketing/dispatch';
import type { WireMessage } from '@ticketing/dispatch/transport';
import { decodeFromWorker, postToWorker, type ToWorker } from '@ticketing/dispatch/transport';
import { createManualClock, type ManualClock, turns } from '@ticketing/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Admission } from '../src/host/admission.ts';
import { HostSession } from '../src/host/host-session.ts';
import {
  createNatsDispatcher,
  type NatsDispatcherOptions,
  type ServeNatsTasksOptions,
  serveNatsTasks,
} from '../src/index.ts';
import type { NatsLink } from '../src/link/nats-link.ts';
import { SessionChannel } from '../src/link/session-channel.ts';
import { HEAD_BYTES, MessageMemory, MessageReader } from '../src/link/session-message.ts';
import { Turns } from '../src/link/turns.ts';
import { createMemoryNats, type MemoryNats } from './memory-nats.ts';

/** Link that keeps the published messages. */
function fakeLink(pieceBytes = 1000) {
  const published: Uint8Array[] = [];
  const atLast: Uint8Array[] = [];
  const link = {
    ...{ pieceBytes, memory: new MessageMemory() },
    turns: new Turns(async () => {}),
    publish: (_: string, bytes: Uint8Array) => void published.push(Uint8Array.from(bytes)),
    publishAtLast: (_: string, bytes: Uint8Array) => void atLast.push(bytes),
  } as unknown as NatsLink;
  /** The frames of whole messages. */
  const frames = (): unknown[] => {
    const reader = new MessageReader(1 << 20);
    return published.flatMap((bytes) => {
      const head = reader.head(bytes);
      if (head === undefined || bytes.byteLength === HEAD_BYTES) return [];
      const message = reader.add(bytes, head);
      return message === undefined ? [] : (decodeFromWorker(message) ?? []);
    });
  };
  return { link, published, atLast, frames };
}

describe('SessionChannel', () => {
  const open = (maxBytes: number) => {
    const { link, published } = fakeLink(100_000);
    const options = { link, subject: 's', maxBytes, name: 'host a' };
    const events = { message() {}, ping() {}, ended() {}, broken() {} };
    return { channel: new SessionChannel(options, events), published };
  };
  /** A message of so many bytes, the length of its text included. */
  const message = (bytes: number): WireMessage => ['x'.repeat(bytes - 4)];

  it('sends a message of `maxMessageBytes`, and refuses one with a byte more', () => {
    const { channel, published } = open(5000);
    channel.send(message(5000));
    expect(published).toHaveLength(1);
    let error: unknown;
    try {
      channel.send(message(5001));
    } catch (thrown) {
      error = thrown;
    }
    expect(DispatchError.is(error) && error.code).toBe('ERR_TOO_LARGE');
    expect(error).toMatchObject({
      message: 'A value is too large to send: 5001 bytes exceed `maxMessageBytes` (5000)',
      data: { name: 'host a', limit: 5000 },
    });
    expect([published.length, channel.sent]).toEqual([1, 1]);
  });
});

it('lanes wait for the server once a megabyte is unconfirmed', async () => {
  const steps: string[] = [];
  let confirm = (): void => {};
  const flush = (): Promise<void> => {
    steps.push('flush');
    return new Promise((resolve) => {
      confirm = resolve;
    });
  };
  const turnsOf = new Turns(flush);
  const sizes = { a: [600_000, 600_000, 10], b: [500_000] };
  for (const [name, left] of Object.entries(sizes)) {
    turnsOf.add({
      sendPiece() {
        const bytes = left.shift() ?? 0;
        if (bytes > 0) steps.push(name);
        return bytes;
      },
    });
  }
  await turns(2);
  expect(steps).toEqual(['a', 'a', 'flush']);
  confirm();
  await turns(2);
  expect(steps).toEqual(['a', 'a', 'flush', 'a', 'b']);
});

describe('HostSession', () => {
  function open() {
    const { link, frames } = fakeLink();
    const opening = {
      ...{
        protocol: 1,
        v8: 1,
        dispatcher: 'web.aaaaaaaa',
        session: 1,
        hosts: 1,
        module: undefined,
      },
      ...{ beatMs: 250, missedBeats: 3, idleMs: 5000, maxMessageBytes: 1 << 20 },
    };
    const clock = createManualClock();
    const admission = new Admission(new Map(), 8, { clock, began() {} });
    const ends: string[] = [];
    const session = new HostSession(
      opening,
      { subject: 's', credit: 4 },
      {
        ...{ link, name: 'host a', maxMessageBytes: 1 << 20, isLoss: () => false, now: () => 0 },
        module: defineTasks({ sum: () => 6 }),
        admission,
        silent() {},
        ended: (_, lost) => ends.push(lost ? 'lost' : 'ended'),
      },
    );
    const { link: way, published } = fakeLink(100_000);
    const dispatcher = new SessionChannel(
      { link: way, subject: 's', maxBytes: 1 << 20, name: 'web' },
      { message() {}, ping() {}, ended() {}, broken() {} },
    );
    /** Delivers what the dispatcher has sent; `change` may alter the bytes. */
    const deliver = (change: (bytes: Uint8Array) => void = () => {}): void => {
      for (const bytes of published.splice(0)) {
        change(bytes);
        session.receive(bytes);
      }
    };
    const call = (seq: number, input: unknown = 1): void => {
      const run: ToWorker = {
        ...{ kind: 'run', seq, id: seq, task: 'sum', input, attempt: 1, deadline: undefined },
        ...{ metadata: undefined, transfer: undefined, announce: false },
      };
      postToWorker([run], (sent) => dispatcher.send(sent as WireMessage), dispatcher.writing);
    };
    // The dispatcher speaks first.
    dispatcher.ping('reply', 0);
    deliver();
    return { session, admission, frames, ends, call, deliver };
  }
  const kinds = (frames: readonly unknown[]) =>
    frames.map((frame) => (frame as { kind: string }).kind);

  it('reports room to the dispatcher at once, and a pause with the next message', async () => {
    const { session, admission, frames } = open();
    await turns(3);
    const before = frames().length;
    admission.pause(session);
    expect(session.calls.isBusy).toBe(true);
    session.tellCredit(9);
    expect(frames().slice(before)).toEqual([
      { kind: 'busy', seq: 0 },
      { kind: 'room', window: 9 },
    ]);
  });

  it('answers a call, and ends for a number that does not rise', async () => {
    const { session, admission, frames, ends, call, deliver } = open();
    call(1);
    deliver();
    expect([session.calls.running, admission.running]).toEqual([1, 1]);
    await turns(5);
    expect(kinds(frames())).toContain('done');
    expect([session.calls.running, admission.running, ends]).toEqual([0, 0, []]);
    call(1);
    deliver();
    expect(ends).toEqual(['lost']);
  });

  it('ends for a number that is none', () => {
    const { ends, call, deliver } = open();
    call(1.5);
    deliver();
    expect(ends).toEqual(['lost']);
  });

  it('answers a call that it cannot read, and counts it until then', async () => {
    const { session, admission, frames, ends, call, deliver } = open();
    call(1, new Map([[1, new Uint8Array(64)]]));
    deliver((bytes) => bytes.fill(0xff, bytes.byteLength - 40));
    await turns(5);
    expect(kinds(frames())).toContain('failed');
    expect([session.calls.running, admission.running, ends]).toEqual([0, 0, []]);
  });

  it('asks for a successor once, at once', async () => {
    const { session, frames } = open();
    await turns(3);
    const before = frames().length;
    expect(session.takesCalls).toBe(true);
    session.leave();
    session.leave();
    expect(kinds(frames().slice(before))).toEqual(['recycle']);
    expect(session.takesCalls).toBe(false);
  });

  it('refuses calls once, at once, and has none only when the dispatcher has heard of it', async () => {
    const { session, admission, frames } = open();
    await turns(3);
    const before = frames().length;
    expect(session.hasNoCalls).toBe(false);
    session.refuseCalls();
    session.refuseCalls();
    expect(kinds(frames().slice(before))).toEqual(['busy']);
    expect([session.takesCalls, session.hasNoCalls]).toEqual([false, false]);
    const heard = new Uint8Array(HEAD_BYTES);
    heard.set([1, 0]);
    heard[7] = 2;
    heard[11] = 100;
    session.receive(heard);
    expect(session.hasNoCalls).toBe(true);
    admission.count(session);
    expect(session.hasNoCalls).toBe(false);
  });
});

describe('over NATS in memory', () => {
  type Tasks = { where: () => string };
  let clock: ManualClock;
  let nats: MemoryNats;
  let closing: (() => Promise<unknown>)[];
  beforeEach(() => {
    clock = createManualClock();
    nats = createMemoryNats({ clock });
    closing = [];
  });
  afterEach(async () => {
    let isClosed = false;
    const closed = Promise.all(closing.map((close) => close())).then(() => {
      isClosed = true;
    });
    while (!isClosed) await pass(10);
    await closed;
  });
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 5) {
      clock.advance(5);
      await turns(3);
    }
  }
  async function serve(name: string, options: Partial<ServeNatsTasksOptions<Tasks>> = {}) {
    const local = createInProcessDispatcher<Tasks>(defineTasks({ where: () => name }), { clock });
    const host = serveNatsTasks<Tasks>({
      ...{ nats: nats.connect(), fleet: 'f', dispatcher: local, tasks: ['where'], hostId: name },
      ...{ clock, ...options },
    });
    closing.push(() => Promise.all([host.close(), local.close()]));
    await host.ready();
    return host;
  }
  async function dispatch(hosts: number, options: Partial<NatsDispatcherOptions> = {}) {
    const dispatcher = createNatsDispatcher<Tasks>({
      ...{ nats: nats.connect(), fleet: 'f', clock, beatMs: 60_000, ...options },
    });
    closing.push(() => dispatcher.close());
    const ready = () => dispatcher.stats().workers.filter(({ state }) => state === 'ready').length;
    while (ready() < hosts) await pass(5);
    return dispatcher;
  }
  const none = { 'no-responders': 0, silence: 0, disconnect: 0, gap: 0, malformed: 0, ended: 0 };

  it('a session that ends as it should is no loss', async () => {
    const host = await serve('a');
    const dispatcher = await dispatch(1);
    const reloading = dispatcher.reload();
    await pass(100);
    await reloading;
    expect(dispatcher.fleet().lost).toEqual(none);
    expect(host.stats()).toMatchObject({ opened: 2, lost: 0 });
  });

  it('a host that is closed reports it: dispatchers forget it at once', async () => {
    const host = await serve('a');
    const dispatcher = await dispatch(1);
    expect(dispatcher.fleet().hosts).toHaveLength(1);
    const at = clock.now();
    const closed = host.close();
    await turns(10);
    expect([dispatcher.fleet().hosts, clock.now()]).toEqual([[], at]);
    await pass(10);
    await closed;
  });

  it('a host of another zone gets no call before the first beat, where one of the own has room', async () => {
    await serve('near', { zone: 'near' });
    await serve('far', { zone: 'far' });
    const dispatcher = await dispatch(2, { hosts: { zone: 'near' } });
    expect(clock.now()).toBeLessThan(60_000 / 4);
    const answers = await Promise.all(Array.from({ length: 40 }, () => dispatcher.run('where')));
    expect(new Set(answers)).toEqual(new Set(['near']));
  });
});
