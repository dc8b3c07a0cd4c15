import { isFullScale } from '@ticketing/test-kit';
import { expect, test, vi } from 'vitest';
import {
  demoOnTerminal,
  eventually,
  exchange,
  getFrom,
  MADRID_BARCELONA,
  requestsAt,
  setPlan,
  startDemo,
} from '../demo.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Proves that what would never end does not keep a server that is told to stop. */
function testCutAtStop(accept: string): void {
  const flags = ['--accept', accept, ...(accept === 'single' ? [] : ['--workers', '2'])];

  test(`SIGTERM with half a head and a body that drips open, --accept ${accept}: both are cut, and the exit code is 0`, async () => {
    const demo = await startDemo([...flags, '--deadline-ms', '500']);
    const half = exchange(demo.url, 'GET /healthz HTTP/1.1\r\nHost: localhost');
    const body = 'POST /sink HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n';
    const slow = exchange(demo.url, body, { drips: true });
    // Both have been read when a later connection is answered.
    await getFrom(`${demo.url}/healthz`);
    demo.child.kill('SIGTERM');
    await Promise.all([half, slow]);
    expect(await demo.exit()).toBe(0);
    expect(demo.errors()).not.toContain('Cannot stop');
  });
}

/** Proves that a terminal shows what a server that stops waits for. */
function testStoppingShown(accept: string): void {
  const flags = ['--accept', accept, ...(accept === 'single' ? [] : ['--workers', '2'])];

  // The program that makes pseudo-terminals takes other flags elsewhere.
  test.runIf(process.platform === 'linux')(
    `Ctrl-C on a terminal with a search in flight, --accept ${accept}: it shows the search, answers it, and the exit code is 0`,
    async () => {
      const demo = await demoOnTerminal([...flags, '--deadline-ms', '5000']);
      await setPlan(demo.carriersUrl, 'renfe', { fault: { kind: 'hang' } });
      const asked = getFrom(demo.url + MADRID_BARCELONA);
      await eventually(async () => {
        expect((await requestsAt(demo.carriersUrl))['renfe']?.open).toBe(1);
      });
      demo.type('\u0003');
      expect((await asked).body.complete).toBe(false);
      expect(await demo.exit()).toBe(0);
      expect(demo.written()).toMatch(/\^C\r.*stopping: 1 request in flight\r.*stopped\r\n$/s);
    },
  );
}

testCutAtStop('single');
if (isFullScale()) {
  testCutAtStop('cluster');
  testCutAtStop('socket');
  testCutAtStop('passthru');
  testStoppingShown('single');
  testStoppingShown('cluster');
  testStoppingShown('socket');
  testStoppingShown('passthru');
}
