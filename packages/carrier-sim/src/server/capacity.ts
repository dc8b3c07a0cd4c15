import {
  between,
  type Rule,
  type Rules,
  required,
  resolveByRules,
  wholeBetween,
} from '@ticketing/kit';

/** Bound of the calls that a carrier serves at a time. */
export interface Capacity {
  /**
   * Calls that are served at once (0-100,000), each until its answer has ended or its client has left. 0: calls that arrive wait in
   * the queue until the plan changes.
   */
  readonly concurrent: number;
  /** Calls that wait for one of those to end (0-100,000), the first first; more are answered 503. */
  readonly queue: number;
  /**
   * Share of its latency (0-100) that a call takes longer for each `concurrent` calls that wait as it begins, as a server whose processes
   * compete takes longer before it refuses. 1: with as many waiting as served it takes twice its latency, and half of the calls are
   * answered. 0: waiting calls cost nothing.
   */
  readonly slowdown: number;
}

const aCapacity: Readonly<Record<keyof Capacity, Rule>> & Rules = {
  concurrent: required(wholeBetween(0, 100_000)),
  queue: wholeBetween(0, 100_000, 0),
  slowdown: between(0, 100, 0),
};

/**
 * Fills and checks the capacity of a plan.
 *
 * @throws TypeError for an unknown field or a value of the wrong type, RangeError for one out of range
 */
export function resolveCapacity(action: string, options: unknown): Capacity | null {
  if (options === null) return null;
  return resolveByRules<Capacity>(action, options, aCapacity, 'plan.capacity');
}

/** Lets in as many calls as a capacity allows. */
export interface Gate {
  /**
   * Returns a promise that resolves when the call may be served, with the factor by which it takes longer than its latency; `undefined`
   * when the queue is full. The promise rejects when the client leaves first.
   *
   * @param gone aborts when the call has ended, which makes room for the next
   */
  enter(gone: AbortSignal): Promise<number> | undefined;
  /** Lets waiting calls in while there is room, for example after a change of the plan. */
  admit(): void;
}

/** Creates a {@link Gate} that follows a capacity which changes; `null`: every call enters at once. */
export function createGate(capacity: () => Capacity | null): Gate {
  const waiting = new Set<() => void>();
  let inside = 0;
  const hasRoom = (): boolean => inside < (capacity()?.concurrent ?? Number.POSITIVE_INFINITY);
  const admit = (): void => {
    for (const letIn of waiting) {
      if (!hasRoom()) return;
      waiting.delete(letIn);
      letIn();
    }
  };
  const begin = (gone: AbortSignal): number => {
    inside += 1;
    const leave = (): void => {
      inside -= 1;
      admit();
    };
    gone.addEventListener('abort', leave, { once: true });
    const { concurrent, slowdown } = capacity() ?? { concurrent: 1, slowdown: 0 };
    return 1 + (slowdown * waiting.size) / concurrent;
  };
  return {
    enter(gone) {
      if (waiting.size === 0 && hasRoom()) return Promise.resolve(begin(gone));
      if (waiting.size >= (capacity()?.queue ?? Number.POSITIVE_INFINITY)) return undefined;
      return new Promise((resolve, reject) => {
        const giveUp = (): void => {
          waiting.delete(letIn);
          reject(gone.reason);
        };
        const letIn = (): void => {
          gone.removeEventListener('abort', giveUp);
          resolve(begin(gone));
        };
        waiting.add(letIn);
        gone.addEventListener('abort', giveUp, { once: true });
      });
    },
    admit,
  };
}
