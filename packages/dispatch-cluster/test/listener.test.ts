import { expect, test, vi } from 'vitest';
import { addressOf, ask, checkClustersAfterEach, start } from './cluster-fixture.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });
// What a worker complains of is not what this run reports.
vi.spyOn(process.stderr, 'write').mockReturnValue(true);

const entry = new URL('fixtures/listener-server.mjs', import.meta.url);
const serve = (server: string) => start({ entry, env: { ...process.env, SERVER: server } });

test.each(['express', 'later', 'function'])(
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

test('a function that makes nothing is told what it must make', async () => {
  await expect(serve('nothing').ready()).rejects.toMatchObject({
    code: 'ERR_CIRCUIT_OPEN',
    cause: {
      message:
        'Cannot serve as cluster worker: `server` must make a server, an application with one or a listener `(request, response) => …` of two parameters, got undefined',
    },
  });
});
