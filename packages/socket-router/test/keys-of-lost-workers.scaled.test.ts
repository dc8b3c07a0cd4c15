import { scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import type { Route } from '../src/index.ts';
import { homeSlot } from '../src/worker/forwarding.ts';
import { askWorker } from './clients.ts';
import { openRouter, slotsIn } from './router-fixture.ts';

function testKeyOfLostWorkers(mode: 'socket' | 'passthru'): void {
  test(`mode ${mode}: a key follows the workers that are there, among its slots; a slot is waited for`, async () => {
    const { port, router, pids } = await openRouter({
      mode,
      own: true,
      count: 3,
      route: ({ target = '' }): Route =>
        target === '/slot' ? { slot: '0' } : { key: 'room', among: ['0', '1'] },
    });
    const slotOf = slotsIn(router);
    const [home, other] = homeSlot('room', ['0', '1']) === '0' ? ['0', '1'] : ['1', '0'];
    expect(slotOf((await askWorker(port)).pid)).toBe(home);
    const before = pids();
    const down = new Promise((resolve) => router.on('worker-down', resolve));
    process.kill(before[Number(home)] as number, 'SIGKILL');
    await down;
    // Its successor may have started meanwhile, with a process of another pid.
    const { pid } = await askWorker(port);
    expect(before.includes(pid) ? slotOf(pid) : home).toBe(before.includes(pid) ? other : home);
    const killed = pids()[0] as number;
    process.kill(killed, 'SIGKILL');
    const successor = await askWorker(port, { path: '/slot' });
    expect([...before, killed]).not.toContain(successor.pid);
    expect(slotsIn(router)(successor.pid)).toBe('0');
  });
}

for (const mode of scaled({ fast: ['socket'] as const, full: ['socket', 'passthru'] as const })) {
  testKeyOfLostWorkers(mode);
}
