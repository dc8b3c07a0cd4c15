/** Clock of looks at the server. */
export interface LookClock {
  /** Milliseconds that only grow. */
  readonly now: () => number;
  readonly later: (callback: () => void, ms: number) => void;
}

/** Parts of the time that a look may take at most: one of five. */
const REST = 4;
/** Milliseconds after which the next look begins in any case: a look may wait for a process that hangs. */
const MOST_REST_MS = 100;

const platform: LookClock = {
  now: () => performance.now(),
  later: (callback, ms) => void setTimeout(callback, ms),
};

/**
 * Returns a function that makes a value of the moment for whoever asks before it begins. The next one waits for four times as long
 * as the last took, 100 ms at most: however many ask, this takes a fifth of the processor, and no one gets a value from before the question.
 */
export function shareLooks<T>(
  make: () => Promise<T>,
  { now, later }: LookClock = platform,
): () => Promise<T> {
  let next: Promise<T> | undefined;
  let freeAt = Number.NEGATIVE_INFINITY;

  async function look(): Promise<T> {
    const waitMs = freeAt - now();
    // Without a wait too: whoever asks in the same turn shares it.
    await (waitMs > 0 ? new Promise<void>((resolve) => later(resolve, waitMs)) : undefined);
    next = undefined;
    const beganAt = now();
    freeAt = beganAt + MOST_REST_MS;
    try {
      return await make();
    } finally {
      const endedAt = now();
      freeAt = Math.min(freeAt, endedAt + REST * (endedAt - beganAt));
    }
  }

  return () => {
    next ??= look();
    return next;
  };
}
