import { expect, test, vi } from 'vitest';
import type { ClusterOptions, Supervisor } from '../src/index.ts';
import { addressOf, ask, start } from './cluster-fixture.ts';

const entry = new URL('fixtures/listener-server.mjs', import.meta.url);

export const serve = (server: string, options: Partial<ClusterOptions> = {}): Supervisor =>
  start({ entry, env: { ...process.env, SERVER: server }, ...options });

/** Kind of listener that `fixtures/listener-server.mjs` makes. */
export function testListener(server: 'express' | 'later' | 'function'): void {
  test(`a listener of requests (${server}) is served, and survives a reload`, async () => {
    const supervisor = serve(server);
    await supervisor.ready();
    const url = await addressOf(supervisor);
    const { pid } = await ask(url);
    expect(pid).toBe(supervisor.workers[0]?.pid);
    await vi.waitFor(() => expect(supervisor.stats()).toMatchObject({ requests: 1 }), 60_000);
    await supervisor.reload();
    expect((await ask(url)).pid).not.toBe(pid);
  });
}
