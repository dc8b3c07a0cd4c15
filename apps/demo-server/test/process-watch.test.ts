import { setTimeout as after } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { watchProcess } from '../src/serving/process-watch.ts';
import { eventually } from './demo.ts';

test('watchProcess() tells of a loop that was held for a tenth of a second', async () => {
  const watch = watchProcess();
  try {
    await after(20);
    const end = performance.now() + 100;
    while (performance.now() < end);
    // The window that has it closes within two seconds.
    await eventually(() => expect(watch.stats().eventLoop.maxMs).toBeGreaterThan(80));
  } finally {
    watch.close();
  }
});

test('watchProcess() gives the last memory while it cannot be read', () => {
  const watch = watchProcess();
  try {
    const { memoryBytes } = watch.stats();
    const rss = vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
      throw new Error('EMFILE: too many open files, uv_resident_set_memory');
    });
    expect(watch.stats().memoryBytes).toBe(memoryBytes);
    rss.mockRestore();
  } finally {
    watch.close();
  }
});
