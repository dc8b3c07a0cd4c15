import { scaled } from '@ticketing/test-kit';
import { expect, test, vi } from 'vitest';
import type { ClusterOptions, Supervisor } from '../src/index.ts';
import {
  addressOf,
  ask,
  checkClustersAfterEach,
  hideComplaints,
  start,
} from './cluster-fixture.ts';

const entry = new URL('fixtures/listener-server.mjs', import.meta.url);

const serve = (server: string, options: Partial<ClusterOptions> = {}): Supervisor =>
  start({ entry, env: { ...process.env, SERVER: server }, ...options });

checkClustersAfterEach();
hideComplaints();
vi.setConfig({ testTimeout: 120_000 });

const servers = scaled({ fast: ['function'], full: ['function', 'express', 'later'] });

// Kinds of listener that `fixtures/listener-server.mjs` makes.
test.each(servers)(
  'a listener of requests (%s) is served, and survives a reload',
  async (server) => {
    const supervisor = serve(server);
    await supervisor.ready();
    const url = await addressOf(supervisor);
    const { pid } = await ask(url);
    expect(pid).toBe(supervisor.workers[0]?.pid);
    await vi.waitFor(() => expect(supervisor.stats()).toMatchObject({ requests: 1 }), 60_000);
    await supervisor.reload();
    expect((await ask(url)).pid).not.toBe(pid);
  },
);

test('a function that returns nothing gets an error with what it must return', async () => {
  // The first failure is the last.
  const supervisor = serve('nothing', { restart: { maxFailures: 0 } });
  await expect(supervisor.ready()).rejects.toMatchObject({
    code: 'ERR_CIRCUIT_OPEN',
    cause: {
      message:
        'Cannot serve as cluster worker: `server` must make a server, an application with one or a listener `(request, response) => …` of two parameters, got undefined',
    },
  });
});
