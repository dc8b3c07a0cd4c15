import { expect, test, vi } from 'vitest';
import { exchange, getFrom, startDemo } from './demo.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Proves that what would never end does not keep a server that is told to stop. */
export function testCutAtStop(accept: string): void {
  const flags = ['--accept', accept, ...(accept === 'single' ? [] : ['--workers', '2'])];

  test(`SIGTERM with half a head and a body that drips open, --accept ${accept}: both are cut, and the exit code is 0`, async () => {
    const demo = await startDemo([...flags, '--deadline-ms', '500']);
    const half = exchange(demo.url, 'GET /healthz HTTP/1.1\r\nHost: a');
    const body = 'POST /sink HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n';
    const slow = exchange(demo.url, body, { drips: true });
    // Both have been read when a later connection is answered.
    await getFrom(`${demo.url}/healthz`);
    demo.child.kill('SIGTERM');
    await Promise.all([half, slow]);
    expect(await demo.exit()).toBe(0);
    expect(demo.errors()).not.toContain('Cannot stop');
  });
}
