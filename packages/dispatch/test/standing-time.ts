import { vi } from 'vitest';

/**
 * Has the platform's clock stand still until the end of the test, but for what tasks spend by `globalThis.spend(ms)`: how
 * long a task takes decides what goes out together, and on a busy machine every task takes long.
 */
export function standingTime(): () => void {
  let time = 1000;
  const now = vi.spyOn(performance, 'now').mockImplementation(() => time);
  const spend = (ms: number): void => {
    time += ms;
  };
  Object.assign(globalThis, { spend });
  return () => {
    now.mockRestore();
    Reflect.deleteProperty(globalThis, 'spend');
  };
}

/** Spends time by a clock that stands. */
export function spend(ms: number): void {
  (globalThis as unknown as { spend(ms: number): void }).spend(ms);
}
