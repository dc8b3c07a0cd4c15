import { expect, test, vi } from 'vitest';
import { createProcessStats } from '../src/processes/process-stats.ts';

test('createProcessStats() gives the last memory while it cannot be read', () => {
  const delay = { p50Ms: 0, p99Ms: 0, maxMs: 0 };
  const processStats = createProcessStats(() => ({ utilisation: 0, delay }));
  const { memoryBytes } = processStats();
  expect(memoryBytes).toBeGreaterThan(1e6);
  const rss = vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
    throw new Error('EMFILE: too many open files, uv_resident_set_memory');
  });
  expect(processStats().memoryBytes).toBe(memoryBytes);
  rss.mockRestore();
});
