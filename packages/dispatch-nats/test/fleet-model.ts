import { createInProcessDispatcher, type Dispatcher, defineTasks } from '@ticketing/dispatch';
import { createManualClock, type ManualClock, turns } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect } from 'vitest';
import {
  createNatsDispatcher,
  type NatsDispatcher,
  type NatsHost,
  serveNatsTasks,
} from '../src/index.ts';
import { createMemoryNats, type MemoryConnection, type MemoryNats } from './memory-nats.ts';
import { watchWarnings } from './warnings.ts';

const BEAT_MS = 250;
const MAX_QUEUE = 20;
const FLEET = 'model';

/** A step of a run; numbers choose among the candidates. */
export type Step =
  | { readonly kind: 'join' }
  | { readonly kind: 'drain' | 'close-host'; readonly at: number }
  | { readonly kind: 'stall' | 'resume' | 'cut' | 'reconnect' | 'ldm'; readonly at: number }
  | {
      readonly kind: 'call';
      readonly at: number;
      readonly retries: number;
      readonly key: string | undefined;
      readonly timeoutMs: number | undefined;
    }
  | { readonly kind: 'abort' | 'finish' | 'fail'; readonly at: number }
  | { readonly kind: 'rogue'; readonly at: number; readonly data: Uint8Array }
  | { readonly kind: 'replay'; readonly at: number }
  | { readonly kind: 'time'; readonly ms: number };

const at = fc.nat(20);

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('join' as const) }) },
    fc.record({ kind: fc.constantFrom('drain' as const, 'close-host' as const), at }),
    fc.record({
      kind: fc.constantFrom('stall', 'resume', 'cut', 'reconnect', 'ldm' as const),
      at,
    }) as fc.Arbitrary<Step>,
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('call' as const),
        at,
        retries: fc.constantFrom(0, 0, 1, 2),
        key: fc.constantFrom(undefined, undefined, 'a', 'b'),
        timeoutMs: fc.constantFrom(undefined, 300, 2000),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constantFrom('abort', 'finish', 'finish', 'fail' as const),
        at,
      }) as fc.Arbitrary<Step>,
    },
    fc.record({ kind: fc.constant('rogue' as const), at, data: fc.uint8Array({ maxLength: 64 }) }),
    fc.record({ kind: fc.constant('replay' as const), at }),
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('time' as const),
        ms: fc.constantFrom(1, 50, 250, 1000, 3000),
      }),
    },
  ),
  { maxLength: 40 },
);

interface Call {
  readonly id: number;
  readonly retries: number;
  readonly aborter: AbortController;
  outcome: { readonly value: unknown } | { readonly error: unknown } | undefined;
  settled: number;
}

/** A run of a task in a host. */
interface Run {
  readonly call: number;
  finish(): void;
  fail(): void;
  isOver: boolean;
}

interface Member {
  readonly connection: MemoryConnection;
  readonly close: () => Promise<unknown>;
}

type Tasks = { work: (id: number, context: { signal: AbortSignal }) => Promise<number> };

/** Runs the steps on hosts and dispatchers in memory, and asserts the invariants. */
export async function runModel(all: readonly Step[]): Promise<void> {
  using warnings = watchWarnings();
  const world = new World();
  try {
    await world.start();
    for (const step of all) {
      await world.take(step);
      world.check();
    }
    await world.heal();
    world.checkEnd();
  } finally {
    await world.close();
  }
  world.checkNothingLeft();
  expect(warnings.seen).toEqual([]);
}

class World {
  readonly clock: ManualClock = createManualClock();
  readonly #nats: MemoryNats;
  readonly #rogue: MemoryConnection;
  readonly #dispatchers: (Member & { readonly dispatcher: NatsDispatcher<Tasks> })[] = [];
  readonly #hosts: (Member & { readonly host: NatsHost; readonly local: Dispatcher<Tasks> })[] = [];
  readonly #calls: Call[] = [];
  readonly #runs: Run[] = [];
  readonly #seen: { readonly subject: string; readonly data: Uint8Array }[] = [];
  #seed = 1;

  constructor() {
    this.#nats = createMemoryNats({ clock: this.clock, random: this.#random });
    this.#rogue = this.#nats.connect();
    this.#nats.seen = (subject, data) => {
      if (/^tt\.model\.[sd]\./.test(subject)) this.#seen.push({ subject, data });
      if (this.#seen.length > 200) this.#seen.shift();
    };
  }

  readonly #random = (): number => {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed / 2_147_483_647;
  };

  async start(): Promise<void> {
    for (let count = 0; count < 2; count += 1) {
      const connection = this.#nats.connect();
      const dispatcher = createNatsDispatcher<Tasks>({
        nats: connection,
        fleet: FLEET,
        name: `d${count}`,
        beatMs: BEAT_MS,
        maxQueue: MAX_QUEUE,
        startTimeoutMs: 1000,
        restart: { maxFailures: 1000 },
        clock: this.clock,
        random: this.#random,
      });
      this.#dispatchers.push({ connection, dispatcher, close: () => dispatcher.close() });
    }
    this.#join();
    this.#join();
    await this.pass(500);
  }

  #join(): void {
    const connection = this.#nats.connect();
    const local = createInProcessDispatcher<Tasks>(
      defineTasks({
        work: (id: number, { signal }) =>
          new Promise<number>((resolve, reject) => {
            const run: Run = {
              call: id,
              isOver: false,
              finish: () => end(() => resolve(id)),
              fail: () => end(() => reject(new RangeError(`failed ${id}`))),
            };
            const end = (settle: () => void) => {
              run.isOver = true;
              settle();
            };
            signal.addEventListener('abort', () => end(() => reject(signal.reason)));
            this.#runs.push(run);
          }),
      }),
      { clock: this.clock, window: 2, maxQueue: 4 },
    );
    const host = serveNatsTasks<Tasks>({
      nats: connection,
      fleet: FLEET,
      dispatcher: local,
      tasks: ['work'],
      hostId: 'h',
      capacity: 3,
      clock: this.clock,
      random: this.#random,
    });
    const close = async () => {
      await host.close();
      await local.close();
    };
    this.#hosts.push({ connection, host, local, close });
  }

  /** Lets time pass in steps in which messages arrive. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 50) {
      this.clock.advance(Math.min(50, left));
      await turns(4);
    }
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'join':
        if (this.#hosts.length < 6) this.#join();
        break;
      case 'drain':
        // May wait for a connection that is cut off.
        void this.#pick(this.#hosts, step.at)
          ?.host.drain({ timeoutMs: 1000 })
          .catch(() => {});
        break;
      case 'close-host':
        void this.#pick(this.#hosts, step.at)?.close();
        break;
      case 'call':
        this.#call(step);
        break;
      case 'abort':
        this.#pick(this.#open(), step.at)?.aborter.abort(new Error('not wanted'));
        break;
      case 'finish':
        this.#pick(this.#running(), step.at)?.finish();
        break;
      case 'fail':
        this.#pick(this.#running(), step.at)?.fail();
        break;
      case 'rogue': {
        const subject = this.#pick(this.#seen, step.at)?.subject;
        if (subject !== undefined) this.#rogue.publish(subject, step.data);
        break;
      }
      case 'replay': {
        const seen = this.#pick(this.#seen, step.at);
        if (seen !== undefined) this.#rogue.publish(seen.subject, seen.data);
        break;
      }
      case 'time':
        await this.pass(step.ms);
        break;
      default:
        this.#fault(step.kind, this.#pick([...this.#hosts, ...this.#dispatchers], step.at));
    }
    await turns(4);
  }

  #fault(kind: 'stall' | 'resume' | 'cut' | 'reconnect' | 'ldm', member: Member | undefined): void {
    if (member === undefined) return;
    const { connection } = member;
    if (kind === 'cut') connection.disconnect();
    else if (kind === 'ldm') connection.tell('ldm');
    else connection[kind]();
  }

  #call({ at: place, retries, key, timeoutMs }: Extract<Step, { kind: 'call' }>): void {
    const call: Call = {
      id: this.#calls.length,
      retries,
      aborter: new AbortController(),
      outcome: undefined,
      settled: 0,
    };
    this.#calls.push(call);
    const { dispatcher } = this.#pick(this.#dispatchers, place) as {
      dispatcher: NatsDispatcher<Tasks>;
    };
    const settle = (outcome: NonNullable<Call['outcome']>) => {
      call.settled += 1;
      call.outcome = outcome;
    };
    dispatcher
      .run('work', call.id, {
        signal: call.aborter.signal,
        ...(retries > 0 && { idempotent: true, retries }),
        ...(key !== undefined && { key }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      })
      .then(
        (value) => settle({ value }),
        (error) => settle({ error }),
      );
  }

  #pick<T>(list: readonly T[], place: number): T | undefined {
    return list.length === 0 ? undefined : list[place % list.length];
  }

  #open(): Call[] {
    return this.#calls.filter(({ outcome }) => outcome === undefined);
  }

  #running(): Run[] {
    return this.#runs.filter(({ isOver }) => !isOver);
  }

  /** Asserts the invariants after each step. */
  check(): void {
    expect(this.#nats.thrown).toEqual([]);
    for (const call of this.#calls) {
      expect(call.settled).toBeLessThanOrEqual(1);
      const runs = this.#runs.filter((run) => run.call === call.id).length;
      // Never more often than permitted.
      expect([call.id, runs <= 1 + call.retries]).toEqual([call.id, true]);
      if (call.outcome === undefined) continue;
      if ('value' in call.outcome) {
        expect(call.outcome.value).toBe(call.id);
        expect(runs).toBeGreaterThan(0);
      } else if (call.outcome.error instanceof RangeError) {
        expect(call.outcome.error.message).toBe(`failed ${call.id}`);
      }
    }
    for (const { dispatcher } of this.#dispatchers) {
      const { queued, running, asked, completed, failed, aborted, rejected } = dispatcher.stats();
      expect(queued).toBeLessThanOrEqual(MAX_QUEUE);
      expect(asked).toBe(queued + running + completed + failed + aborted + rejected);
    }
    for (const { host } of this.#hosts) {
      expect(host.stats().sessions.length).toBeLessThanOrEqual(256);
      expect(host.stats().running).toBeGreaterThanOrEqual(0);
    }
  }

  /** Ends all faults, and lets everything finish. */
  async heal(): Promise<void> {
    for (const { connection } of [...this.#hosts, ...this.#dispatchers]) {
      connection.resume();
      connection.reconnect();
    }
    this.#join();
    for (let round = 0; round < 60 && this.#open().length > 0; round += 1) {
      await this.pass(500);
      for (const run of this.#running()) run.finish();
      await turns(4);
      this.check();
    }
  }

  checkEnd(): void {
    expect(this.#open().map(({ id }) => id)).toEqual([]);
  }

  async close(): Promise<void> {
    const closed = Promise.all([...this.#dispatchers, ...this.#hosts].map(({ close }) => close()));
    let isClosed = false;
    void closed.then(() => {
      isClosed = true;
    });
    for (let round = 0; round < 200 && !isClosed; round += 1) await this.pass(50);
    expect(isClosed).toBe(true);
  }

  checkNothingLeft(): void {
    expect(this.#nats.thrown).toEqual([]);
    expect({ timers: this.clock.pending, subscriptions: this.#nats.subscriptions }).toEqual({
      timers: 0,
      subscriptions: 0,
    });
    expect(this.#running()).toEqual([]);
  }
}
