import { expect, test } from 'vitest';
import { getFrom, startDemo } from '../demo.ts';

test.each([
  ['alone', []],
  ['in a cluster', ['--accept', 'cluster', '--workers', '1']],
])(
  'every process of a demo %s reports its memory and how late its event loop is',
  async (_, flags) => {
    const { url } = await startDemo(flags);
    const { processes } = (await getFrom(`${url}/stats`)).body;
    for (const { process } of processes) {
      expect(process.memoryBytes).toBeGreaterThan(1e6);
      expect(process.eventLoop.p99Ms).toBeGreaterThanOrEqual(process.eventLoop.p50Ms);
    }
  },
);
