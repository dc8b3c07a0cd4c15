import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { ask, oneConnection } from '../clients.ts';
import { testCloseAfterGrace, testCloseBeforePort, testCloseWithRequests } from '../close-cases.ts';
import { openRouter } from '../router-fixture.ts';

testCloseWithRequests('passthru');
testCloseAfterGrace('socket');
testCloseBeforePort('passthru');

test.each([
  ['socket', 'a connection each'],
  ['socket', 'one connection'],
  ['passthru', 'a connection each'],
  ['passthru', 'one connection'],
] as const)(
  'mode %s: workers that retire one after the other lose no request of clients with %s',
  async (mode, which) => {
    const { port, router, pids } = await openRouter({ mode, own: true });
    let sent = 0;
    const failures: unknown[] = [];
    let going = true;
    const load = async (): Promise<void> => {
      const agent = which === 'one connection' ? { agent: oneConnection() } : {};
      while (going) {
        const { status } = await ask(port, { path: '/later?ms=5', ...agent }).catch((error) => ({
          status: error,
        }));
        sent += 1;
        if (status !== 200) failures.push(status);
      }
      agent.agent?.destroy();
    };
    const clients = Array.from({ length: 8 }, load);
    for (const pid of pids()) {
      await new Promise<void>((resolve) => {
        router.on('worker-down', (event) => {
          if (event.pid === pid) resolve();
        });
        process.kill(pid, 'SIGUSR2');
      });
      await until(
        () => router.stats().workers.filter(({ state }) => state === 'ready').length === 2,
      );
    }
    going = false;
    await Promise.all(clients);
    expect(sent).toBeGreaterThan(50);
    expect(failures).toEqual([]);
  },
);
