import { createApplicantQueue } from '../src/applicant-queue.ts';
import { createInFlightLimit } from '../src/in-flight-limit.ts';

/** A request of a simulated server, over a connection of its own. */
export interface SimulatedRequest {
  readonly atMs: number;
  /** Milliseconds of the event loop before the wait. */
  readonly beforeMs: number;
  /** Milliseconds for which it waits for another server. */
  readonly waitMs: number;
  /** Milliseconds of the event loop after it. */
  readonly afterMs: number;
}

export interface Simulation {
  readonly requests: readonly SimulatedRequest[];
  readonly limit: 'auto' | 'off';
  readonly deadlineMs: number;
  /** Milliseconds that other programs get of the processor for each that the server uses. Default 0. */
  readonly stolen?: number;
}

/** Milliseconds of each answered request from its arrival, and the refused ones. */
export interface Simulated {
  readonly tookMs: readonly number[];
  readonly refused: number;
}

const TICK_MS = 10;
const SAMPLE_TICKS = 10;
/** To read a request. */
const READ_MS = 0.1;
/** After it another program gets the processor. */
const SLICE_MS = 4;
const END_MS = 60_000;

/** Callbacks by their time, in the order of their coming if that is equal. */
function createAgenda() {
  const due: { readonly at: number; readonly call: () => void }[] = [];
  return {
    add(at: number, call: () => void): void {
      let place = due.length;
      while (place > 0 && (due[place - 1]?.at ?? 0) > at) place -= 1;
      due.splice(place, 0, { at, call });
    },
    nextAt: () => due[0]?.at ?? Number.POSITIVE_INFINITY,
    takeUntil: (now: number) => {
      const end = due.findIndex(({ at }) => at > now);
      return due.splice(0, end < 0 ? due.length : end);
    },
  };
}

/**
 * Runs requests on a server with one event loop and an admission, on a clock of its own. A turn has timers, then what was read and one
 * new connection, as in Node.js, then what was put off to the end of the turn.
 */
export function simulate({
  requests,
  limit: setting,
  deadlineMs,
  stolen = 0,
}: Simulation): Simulated {
  let now = 0;
  const timers = createAgenda();
  const arrivals = createAgenda();
  const connections: (() => void)[] = [];
  let immediates: (() => void)[] = [];
  const tookMs: number[] = [];
  let refused = 0;
  let tickDue = TICK_MS;
  let usedMs = 0;
  /** Uses the processor, which others get in between. */
  function use(ms: number): void {
    now += ms;
    usedMs += ms;
    if (usedMs < SLICE_MS) return;
    now += usedMs * stolen;
    usedMs = 0;
  }
  const limit = createInFlightLimit(setting);
  const queue = createApplicantQueue({
    limit,
    deadlineMs,
    isUnderWay: () => false,
    now: () => now,
    lateMs: () => Math.max(0, now - tickDue),
    soon: (callback) => void immediates.push(callback),
    settled: (callback) => callback(),
  });

  let [lateMs, ticks] = [0, 0];
  function tick(): void {
    lateMs += now - tickDue;
    ticks += 1;
    if (ticks === SAMPLE_TICKS) {
      limit.learn({ lateMs: lateMs / ticks, queueMs: 0, upstreamLate: 0, peak: queue.look() });
      [lateMs, ticks] = [0, 0];
    }
    tickDue = now + TICK_MS;
    if (now < END_MS) timers.add(tickDue, tick);
  }

  function arrive({ atMs, beforeMs, waitMs, afterMs }: SimulatedRequest): void {
    queue.connected();
    use(READ_MS);
    const answer = (): void => {
      use(afterMs);
      tookMs.push(now - atMs);
      leave();
    };
    const leave = queue.apply({
      // The kernel does not tell when a connection came.
      arrivedAt: now,
      begin() {
        use(beforeMs);
        arrivals.add(now + waitMs, answer);
      },
      refuse() {
        refused += 1;
      },
    });
  }

  timers.add(tickDue, tick);
  for (const request of requests) {
    arrivals.add(request.atMs, () => void connections.push(() => arrive(request)));
  }
  while (tookMs.length + refused < requests.length && now < END_MS) {
    for (const { call } of timers.takeUntil(now)) call();
    for (const { call } of arrivals.takeUntil(now)) call();
    connections.shift()?.();
    const turn = immediates;
    immediates = [];
    for (const call of turn) call();
    if (immediates.length + connections.length === 0)
      now = Math.max(now, Math.min(timers.nextAt(), arrivals.nextAt()));
  }
  return { tookMs, refused };
}
