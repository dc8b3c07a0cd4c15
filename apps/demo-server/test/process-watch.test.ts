import { setTimeout as after } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { watchProcess } from '../src/process-watch.ts';
import { getFrom, startDemo } from './demo.ts';

vi.setConfig({ testTimeout: 30_000 });

test('watchProcess() tells of a loop that was held for a tenth of a second', async () => {
  const watch = watchProcess();
  try {
    await after(20);
    const end = performance.now() + 100;
    while (performance.now() < end);
    // The window that has it closes within two seconds.
    await vi.waitFor(() => expect(watch.stats().eventLoop.maxMs).toBeGreaterThan(80), {
      timeout: 5000,
    });
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

test.each([
  ['alone', []],
  ['in a cluster', ['--accept', 'cluster', '--workers', '1']],
])(
  'every process of a demo %s tells its memory and how late its event loop is',
  async (_, flags) => {
    const { url } = await startDemo(flags);
    const { processes } = (await getFrom(`${url}/stats`)).body;
    for (const { process } of processes) {
      expect(process.memoryBytes).toBeGreaterThan(1e6);
      expect(process.eventLoop.p99Ms).toBeGreaterThanOrEqual(process.eventLoop.p50Ms);
    }
  },
);
