import type { Clock } from './clock.ts';

/** How one caller can leave a promise that others wait for, too. */
export interface LeaveOptions {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
  readonly clock: Clock;
  /** Makes the error of a caller that waited too long. */
  readonly timeoutError: () => Error;
  /** Called once, when the caller leaves before the promise has settled. */
  readonly onLeave: () => void;
}

/** A promise of one caller's own: settles as the shared one, or when the caller leaves. Leaves no listener and no timer. */
export function waitApart<V>(shared: Promise<V>, options: LeaveOptions): Promise<V> {
  const { signal, timeoutMs, clock, timeoutError, onLeave } = options;
  return new Promise((resolve, reject) => {
    let timer: unknown;
    const release = (): void => {
      signal?.removeEventListener('abort', onAbort);
      if (timer !== undefined) clock.clearTimeout(timer);
    };
    const leave = (reason: unknown): void => {
      release();
      onLeave();
      reject(reason);
    };
    const onAbort = (): void => leave(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (timeoutMs !== undefined) timer = clock.setTimeout(() => leave(timeoutError()), timeoutMs);
    shared.then(
      (value) => {
        release();
        resolve(value);
      },
      (error) => {
        release();
        reject(error);
      },
    );
  });
}
