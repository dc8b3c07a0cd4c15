/** Time as the package sees it: injected in tests, the platform's by default. */
export interface Clock {
  /** Milliseconds that only grow. */
  now(): number;
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** The platform's clock. Its timers keep the process alive while a call waits for them. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};
