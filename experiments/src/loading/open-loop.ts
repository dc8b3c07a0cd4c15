/** A load at a constant rate: whether and when a request is sent does not depend on how others are answered. */
export interface OpenLoopOptions {
  readonly perSecond: number;
  /** Requests under way; one that is due when so many are is not sent, and has failed. */
  readonly maxInFlight: number;
  /**
   * Sends one that was due at `dueMs` since the start; resolves to whether the answer was the right one. A rejection is a
   * failure.
   */
  send(dueMs: number): Promise<boolean>;
  /** Called with each request when its outcome is known. */
  readonly onAnswer?: (answer: Answer) => void;
  readonly clock?: LoopClock;
}

/** Outcome of a request. */
export interface Answer {
  readonly kind: 'answered' | 'failed' | 'not-sent';
  /** Time at which the request was due, in milliseconds since the start. */
  readonly dueMs: number;
  /** Milliseconds from `dueMs` to the answer, so that a wait before the sending counts too. */
  readonly ms: number;
}

/** Time, for a loop. */
export interface LoopClock {
  /** Milliseconds. */
  now(): number;
  /** Calls once, after so many milliseconds; gives what cancels it. */
  after(ms: number, call: () => void): () => void;
}

export interface OpenLoop {
  /** Requests that were due so far, sent or not. */
  due(): number;
  /** Begins no more, and resolves when all that were sent have been answered. */
  stop(): Promise<void>;
}

/** The n-th request (from 0) is due at `n / perSecond` s; timers that are late send all that are due. */
export function openLoop(options: OpenLoopOptions): OpenLoop {
  const { perSecond, maxInFlight, onAnswer = () => {}, clock = platformClock } = options;
  const startedAt = clock.now();
  const underWay = new Set<Promise<void>>();
  let next = 0;
  let cancel = (): void => {};
  const dueOf = (place: number): number => (place * 1000) / perSecond;
  const elapsed = (): number => clock.now() - startedAt;

  async function begin(dueMs: number): Promise<void> {
    const isRight = await options.send(dueMs).catch(() => false);
    onAnswer({ kind: isRight ? 'answered' : 'failed', dueMs, ms: elapsed() - dueMs });
  }

  function tick(): void {
    for (; dueOf(next) <= elapsed(); next++) {
      const dueMs = dueOf(next);
      if (underWay.size >= maxInFlight) {
        onAnswer({ kind: 'not-sent', dueMs, ms: elapsed() - dueMs });
        continue;
      }
      const request = begin(dueMs).finally(() => underWay.delete(request));
      underWay.add(request);
    }
    cancel = clock.after(Math.max(0, dueOf(next) - elapsed()), tick);
  }

  tick();
  return {
    due: () => next,
    async stop() {
      cancel();
      await Promise.all(underWay);
    },
  };
}

const platformClock: LoopClock = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};
