import { expect, test, vi } from 'vitest';
import { addressOf, ask, start } from './cluster-fixture.ts';

/** Kind of server that `fixtures/server.ts` starts. */
export function testCountedRequests(server: 'http' | 'later' | 'fastify'): void {
  test(`a server (${server}) is ready when it listens, and its requests are counted`, async () => {
    const supervisor = start({ workers: 2, env: { ...process.env, SERVER: server } });
    const ready = vi.fn();
    supervisor.events.on('worker-ready', ready);
    expect(supervisor.state).toBe('starting');
    await supervisor.ready();
    expect(ready).toHaveBeenCalledTimes(2);
    const url = await addressOf(supervisor);
    for (let index = 0; index < 4; index++) expect(await ask(url)).toMatchObject({ status: 200 });
    await vi.waitFor(() => expect(supervisor.stats().requests).toBe(4), 60_000);
    expect(supervisor.stats()).toMatchObject({
      name: 'cluster',
      state: 'ready',
      inFlight: 0,
      workers: [
        { slot: 0, state: 'ready', requests: 2 },
        { slot: 1, state: 'ready', requests: 2 },
      ],
    });
    expect(supervisor.stats().memoryBytes).toBeGreaterThan(1e7);
    await supervisor.close();
    // Requests of ended workers count too.
    expect(supervisor.stats()).toMatchObject({ requests: 4, workers: [] });
  });
}
