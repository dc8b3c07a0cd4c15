import {
  type Clock,
  createInProcessDispatcher,
  type DispatchError,
  defineTasks,
  type TaskContext,
} from '@ticketing/dispatch';
import { createManualClock, type ManualClock, turns } from '@ticketing/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNatsDispatcher, type NatsDispatcher, serveNatsTasks } from '../src/index.ts';
import { NatsLink } from '../src/link/nats-link.ts';
import { createMemoryNats, type MemoryConnection, type MemoryNats } from './memory-nats.ts';
import { watchWarnings } from './warnings.ts';

type Tasks = { hold: (id: number, context: TaskContext) => Promise<number> };

const BEAT_MS = 250;
const STEP_MS = 5;
/** Flags of a message that ends its session. */
const END = 4;
const closing: (() => Promise<unknown>)[] = [];
let warnings: ReturnType<typeof watchWarnings>;
let clock: ManualClock;
let nats: MemoryNats;
beforeEach(() => {
  clock = createManualClock();
  nats = createMemoryNats({ clock });
  warnings = watchWarnings();
});
afterEach(async () => {
  await closeAll();
  warnings[Symbol.dispose]();
  expect(warnings.seen).toEqual([]);
});

async function closeAll(): Promise<void> {
  let isClosed = false;
  const closed = Promise.all(closing.splice(0).map((close) => close())).then(() => {
    isClosed = true;
  });
  while (!isClosed) await pass(10);
  await closed;
}

/** Lets time pass in steps in which messages arrive. */
async function pass(
  ms: number,
  stepMs = STEP_MS,
  others: readonly ManualClock[] = [],
): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    for (const each of [clock, ...others]) each.advance(Math.min(stepMs, left));
    await turns(4);
  }
}

interface Served {
  readonly connection: MemoryConnection;
  readonly begun: number[];
  readonly aborted: number[];
  sessions(): number;
}

/** A host whose tasks go on until they are aborted. */
async function serve(hostClock: Clock = clock): Promise<Served> {
  const [begun, aborted]: [number[], number[]] = [[], []];
  const hold: Tasks['hold'] = (id, { signal }) => {
    begun.push(id);
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        aborted.push(id);
        reject(signal.reason);
      });
    });
  };
  const local = createInProcessDispatcher<Tasks>(defineTasks({ hold }), { clock: hostClock });
  const connection = nats.connect();
  const host = serveNatsTasks<Tasks>({
    ...{ nats: connection, fleet: 'losses', dispatcher: local, tasks: ['hold'] },
    clock: hostClock,
  });
  closing.push(
    () => host.close(),
    () => local.close(),
  );
  await host.ready();
  return { connection, begun, aborted, sessions: () => host.stats().sessions.length };
}

async function dispatch(connection = nats.connect()): Promise<NatsDispatcher<Tasks>> {
  const dispatcher = createNatsDispatcher<Tasks>({
    ...{ nats: connection, fleet: 'losses', beatMs: BEAT_MS, startTimeoutMs: 60_000, clock },
  });
  closing.push(() => dispatcher.close());
  let isReady = false;
  void dispatcher.ready().then(() => {
    isReady = true;
  });
  while (!isReady) await pass(10);
  return dispatcher;
}

/** A call that is to be lost. */
function call(dispatcher: NatsDispatcher<Tasks>, id: number) {
  const told = { at: Number.NaN, code: '' };
  dispatcher.run('hold', id).catch((error: DispatchError) => {
    Object.assign(told, { at: clock.now(), code: error.code });
  });
  return told;
}

/** The sign by which a dispatcher lost its only host. */
function signOf(dispatcher: NatsDispatcher<Tasks>): string | undefined {
  return Object.entries(dispatcher.fleet().lost).find(([, count]) => count > 0)?.[0];
}

describe('silence', () => {
  it('is told within 825 ms with beats of 250 ms, whatever the moment of the last message and that of the fault', async () => {
    for (let phaseMs = 0; phaseMs <= BEAT_MS; phaseMs += 25) {
      const host = await serve();
      const dispatcher = await dispatch();
      const told = call(dispatcher, 1);
      await pass(2 * BEAT_MS + phaseMs);
      const stalledAt = clock.now();
      host.connection.stall();
      await pass(4 * BEAT_MS);
      expect([phaseMs, told.code]).toEqual([phaseMs, 'ERR_WORKER_LOST']);
      expect(told.at - stalledAt).toBeLessThanOrEqual(825);
      // Nor too early: three beats are missed.
      expect(told.at - stalledAt).toBeGreaterThan(2 * BEAT_MS);
      expect(signOf(dispatcher)).toBe('silence');
      host.connection.resume();
      await closeAll();
    }
  });

  it('is no silence while the own process slept: what came meanwhile is read', async () => {
    const hostClock = createManualClock();
    await serve(hostClock);
    const dispatcher = await dispatch();
    await pass(2 * BEAT_MS, STEP_MS, [hostClock]);
    clock.stall(5 * BEAT_MS);
    await pass(4 * BEAT_MS, STEP_MS, [hostClock]);
    expect(signOf(dispatcher)).toBeUndefined();
  });
});

describe('a host that slept', () => {
  /** Stops a host, lets its dispatcher send calls, and resumes the host. */
  async function stopFor(ms: number, wakes: 'reads first' | 'ticks first') {
    const hostClock = createManualClock();
    const host = await serve(hostClock);
    const dispatcher = await dispatch();
    await pass(3 * BEAT_MS, STEP_MS, [hostClock]);
    expect(host.sessions()).toBe(1);
    host.connection.stall();
    // What ends the session comes later than all calls, or not at all.
    nats.passage = (subject, data) =>
      subject.startsWith('tt.losses.s.') && data[1] === END ? 'drop' : 'pass';
    const calls: ReturnType<typeof call>[] = [];
    for (let left = ms; left > 0; left -= 50) {
      calls.push(call(dispatcher, calls.length));
      await pass(50);
      hostClock.stall(50);
    }
    const lost = () => calls.flatMap(({ code }, id) => (code === 'ERR_WORKER_LOST' ? [id] : []));
    const toldLost = lost();
    if (wakes === 'ticks first') hostClock.advance(1);
    host.connection.resume();
    await pass(10, 1, [hostClock]);
    return { host, dispatcher, toldLost, lost, hostClock };
  }

  for (const wakes of ['reads first', 'ticks first'] as const) {
    it(`begins nothing that its dispatcher has given up (${wakes})`, async () => {
      const { host, toldLost, hostClock } = await stopFor(5000, wakes);
      expect(toldLost.length).toBeGreaterThan(10);
      // A new session begins with the calls that were never sent.
      await pass(1000, STEP_MS, [hostClock]);
      expect(host.begun.filter((id) => toldLost.includes(id))).toEqual([]);
      expect(host.begun.length).toBeGreaterThan(0);
    });
  }

  it('goes on if it slept for less', async () => {
    const { host, dispatcher, lost } = await stopFor(400, 'reads first');
    expect(lost()).toEqual([]);
    expect(host.begun).toHaveLength(8);
    expect(signOf(dispatcher)).toBeUndefined();
  });

  it('never begins what is told lost, however long it slept', async () => {
    for (let ms = 600; ms <= 1000; ms += 50) {
      const { host, toldLost, lost } = await stopFor(ms, 'reads first');
      expect([ms, host.begun.filter((id) => toldLost.includes(id))]).toEqual([ms, []]);
      expect(lost().length === 0 || host.begun.every((id) => !lost().includes(id))).toBe(true);
      await closeAll();
    }
  });
});

describe('a host that moves to another server of NATS', () => {
  it('tells its dispatchers that their sessions are over once it is connected again', async () => {
    const host = await serve();
    const dispatcher = await dispatch();
    const told = call(dispatcher, 1);
    await pass(BEAT_MS);
    host.connection.disconnect();
    await turns();
    host.connection.reconnect();
    await turns(10);
    // No time has passed.
    expect(told).toEqual({ at: clock.now(), code: 'ERR_WORKER_LOST' });
    expect(host.aborted).toEqual([1]);
    expect(signOf(dispatcher)).toBe('ended');
    await pass(100);
    call(dispatcher, 2);
    await pass(10);
    expect(host.begun).toEqual([1, 2]);
  });

  it('answers dispatchers that speak to a session that the host has ended, once in a while', async () => {
    const host = await serve();
    const dispatcher = await dispatch();
    const told = call(dispatcher, 1);
    await pass(BEAT_MS);
    let farewells = 0;
    nats.passage = (subject) => {
      if (!subject.startsWith('tt.losses.d.')) return 'pass';
      farewells += 1;
      // The first one is lost.
      return farewells === 1 ? 'drop' : 'pass';
    };
    host.connection.disconnect();
    await turns();
    host.connection.reconnect();
    await turns(10);
    expect(told.code).toBe('');
    await pass(BEAT_MS);
    expect(told.code).toBe('ERR_WORKER_LOST');
    expect(signOf(dispatcher)).toBe('ended');
  });

  it('answers neither farewells nor what is no session', async () => {
    const host = await serve();
    const id = nats.subscriptions;
    expect(id).toBeGreaterThan(0);
    const stranger = nats.connect();
    const answers: string[] = [];
    stranger.subscribe('tt.losses.d.>', { callback: (_, { subject }) => answers.push(subject) });
    let hostId = '';
    stranger.subscribe('tt.losses.here', {
      callback: (_, { data }) => {
        hostId = (JSON.parse(String(Buffer.from(data))) as { id: string }).id;
      },
    });
    stranger.publish('tt.losses.who');
    while (hostId === '') await pass(10);
    const end = Buffer.from([1, END, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    const message = Buffer.from([1, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
    const to = `tt.losses.s.${hostId}`;
    stranger.publish(`${to}.caller.aaaaaaaa.1`, end);
    for (const key of ['caller.aaaaaaaa.x', 'caller.1', 'caller.aaaaaaaa.1.1', '1']) {
      stranger.publish(`${to}.${key}`, message);
    }
    for (let count = 0; count < 50; count += 1)
      stranger.publish(`${to}.caller.aaaaaaaa.7`, message);
    await turns(10);
    expect(answers).toEqual(['tt.losses.d.caller.aaaaaaaa.7']);
    expect(host.sessions()).toBe(0);
    await stranger.close();
  });
});

it('what a listener throws is a warning, and messages go on to arrive', async () => {
  const connection = nats.connect();
  const link = new NatsLink(
    { nats: connection, name: 'throws', clock, random: Math.random },
    { connected() {}, disconnected() {} },
  );
  const heard: string[] = [];
  link.subscribe('tt.losses.>', ({ subject }) => {
    heard.push(subject);
    throw new RangeError(`cannot read ${subject}`);
  });
  const other = nats.connect();
  for (const name of ['one', 'two']) other.publish(`tt.losses.${name}`);
  await turns();
  expect(heard).toEqual(['tt.losses.one', 'tt.losses.two']);
  expect(nats.thrown).toEqual([]);
  const told = warnings.seen.splice(0).map(({ message }) => message);
  expect(told).toEqual(['cannot read tt.losses.one', 'cannot read tt.losses.two']);
  await link.close();
  for (const each of [connection, other]) await each.close();
});

it('a dispatcher that moves to another server ends its calls on hosts once it is connected again', async () => {
  const host = await serve();
  const connection = nats.connect();
  const dispatcher = await dispatch(connection);
  const told = call(dispatcher, 1);
  await pass(BEAT_MS);
  connection.disconnect();
  await turns();
  expect(told.code).toBe('ERR_WORKER_LOST');
  connection.reconnect();
  await turns(10);
  expect(host.aborted).toEqual([1]);
});
