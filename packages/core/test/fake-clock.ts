import { afterEach, beforeEach, expect, vi } from 'vitest';
import { NOW } from './trains.ts';

/** Each test of the file begins at NOW on a clock that it drives, and leaves no timer and no unhandled rejection. */
export function useFakeClock(): void {
  const rejections: unknown[] = [];
  const remember = (reason: unknown): void => {
    rejections.push(reason);
  };
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW });
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
