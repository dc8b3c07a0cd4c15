import { once } from 'node:events';
import { createManualClock } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { addressOf, ask, start } from './cluster-fixture.ts';
import type { Tasks } from './fixtures/server.ts';

const disturbances = {
  'that is stopped': async (_: string, pid: number) => process.kill(pid, 'SIGSTOP'),
  'in a loop': async (url: string) => {
    ask(`${url}/spin?ms=60000`).catch(() => {});
  },
};

/** Tests the end of a worker that is silent for longer than its heartbeat. */
export function testHeartbeat(name: keyof typeof disturbances): void {
  test(`a worker ${name} is replaced by the heartbeat`, async () => {
    const supervisor = start({ heartbeatMs: 300 });
    await supervisor.ready();
    const { pid = Number.NaN } = supervisor.workers[0] ?? {};
    const exit = once(supervisor.events, 'worker-exit');
    const ready = once(supervisor.events, 'worker-ready');
    await disturbances[name](await addressOf(supervisor), pid);
    expect(await exit).toMatchObject([{ pid, signal: 'SIGKILL' }]);
    await ready;
    expect(supervisor.stats().dispatcher).toMatchObject({
      recycled: 1,
      lost: 0,
      circuit: 'closed',
    });
  });
}

/** Tests a pause of a worker, by the source of its connections. */
export function testPausedWorker(how: 'round-robin' | 'external'): void {
  test(`a server process that is stopped for 3.5 s lives, though a task of it is over its time (${how}) [paused-process]`, async () => {
    const clock = createManualClock();
    const supervisor = start({
      clock,
      dispatch: { abortGraceMs: 20 },
      ...(how === 'external' ? { connections: 'external' } : {}),
    });
    await supervisor.ready();
    const dispatcher = supervisor.dispatcher<Tasks>();
    const { pid = Number.NaN } = supervisor.workers[0] ?? {};
    const request = how === 'external' ? undefined : ask(`${await addressOf(supervisor)}/draining`);
    let begun = (): void => {};
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const late = dispatcher
      .run('wait', undefined, { runTimeoutMs: 100, onProgress: () => begun() })
      .catch((error) => error);
    await hasBegun;
    process.kill(pid, 'SIGSTOP');
    clock.advance(100);
    expect(await late).toMatchObject({ code: 'ERR_RUN_TIMEOUT' });
    clock.advance(3400);
    expect(supervisor.stats().dispatcher).toMatchObject({ killed: 0, recycled: 0 });
    process.kill(pid, 'SIGCONT');
    expect(await dispatcher.run('double', 2)).toBe(4);
    expect(supervisor.workers).toMatchObject([{ workerId: 1, pid, state: 'ready' }]);
    const closed = supervisor.close();
    // Its requests were not cut.
    if (request !== undefined) expect(await request).toMatchObject({ status: 200, pid });
    await closed;
  });
}
