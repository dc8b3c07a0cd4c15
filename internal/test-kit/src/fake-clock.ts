import { afterEach, beforeEach, expect, vi } from 'vitest';

/**
 * Gives each test of a file a clock that it drives, which begins at `now`: epoch ms, by default the time of the machine. A test fails if
 * it leaves a timer or an unhandled rejection. An entry of its own, for it needs vitest.
 */
export function useFakeClock(now?: number): void {
  const rejections: unknown[] = [];
  const remember = (reason: unknown): void => {
    rejections.push(reason);
  };
  beforeEach(() => {
    vi.useFakeTimers(now === undefined ? {} : { now });
    rejections.length = 0;
    process.on('unhandledRejection', remember);
  });
  afterEach(async () => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', remember);
    expect(rejections).toEqual([]);
  });
}
