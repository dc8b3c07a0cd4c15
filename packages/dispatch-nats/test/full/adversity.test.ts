import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from '@nats-io/transport-node';
import { createInProcessDispatcher, DispatchError, defineTasks } from '@ticketing/dispatch';
import {
  createLink,
  type EngineServer,
  engineProgram,
  freePort,
  startNatsServer,
  until,
} from '@ticketing/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createNatsDispatcher,
  type NatsDispatcherOptions,
  serveNatsTasks,
} from '../../src/index.ts';
import type { Tasks } from '../fixtures/adverse-host.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function open(fleet: string, url: string | string[], options: Partial<NatsDispatcherOptions> = {}) {
  const dispatcher = createNatsDispatcher<Tasks>({
    nats: { servers: url },
    fleet,
    // A busy machine may keep its only host silent for seconds.
    startTimeoutMs: 60_000,
    ...options,
  });
  closing.push(() => dispatcher.close());
  return dispatcher;
}

/** A host in a process of its own. */
async function startHost(fleet: string, url: string | string[]): Promise<ChildProcess> {
  const entry = new URL('../fixtures/adverse-host.ts', import.meta.url);
  const child = fork(entry, [JSON.stringify({ fleet, url })], {
    execArgv: ['--conditions=@ticketing/source'],
  });
  closing.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  await once(child, 'message');
  return child;
}

describe.skipIf(engineProgram('nats') === undefined)('adversity', () => {
  let server: EngineServer;
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterAll(() => server.close());

  it('256 dispatchers share a host', async () => {
    const local = createInProcessDispatcher(defineTasks({ echo: (n: number) => n }));
    const host = serveNatsTasks({
      nats: { servers: server.url },
      fleet: 'many',
      dispatcher: local,
      tasks: ['echo'],
    });
    closing.push(
      () => local.close(),
      () => host.close(),
    );
    await host.ready();
    const connections = await Promise.all(
      Array.from({ length: 16 }, () => connect({ servers: server.url, noAsyncTraces: true })),
    );
    closing.push(() => Promise.all(connections.map((each) => each.close())));
    const dispatchers = Array.from({ length: 256 }, (_, index) => {
      const nats = connections[index % 16] as NatsDispatcherOptions['nats'];
      const dispatcher = createNatsDispatcher<{ echo(n: number): number }>({
        nats,
        fleet: 'many',
        name: `d${index}`,
        beatMs: 2000,
        startTimeoutMs: 60_000,
      });
      closing.push(() => dispatcher.close());
      return dispatcher;
    });
    const answers = await Promise.all(dispatchers.map((each, index) => each.run('echo', index)));
    expect(answers).toEqual(Array.from({ length: 256 }, (_, index) => index));
    expect(host.stats().sessions).toHaveLength(256);
  });

  it('a host whose event loop is blocked loses its calls, none runs twice without permission, and it comes back', async () => {
    await startHost('blocked', server.url);
    const dispatcher = open('blocked', server.url);
    await dispatcher.ready();
    const start = performance.now();
    const [blocked, beside, again] = await Promise.allSettled([
      dispatcher.run('block', 3000),
      dispatcher.run('echo', 1),
      dispatcher.run('echo', 2, { idempotent: true, retries: 20 }),
    ]);
    const toldMs = performance.now() - start;
    expect(blocked.status).toBe('rejected');
    for (const each of [blocked, beside]) {
      if (each.status === 'rejected')
        expect((each.reason as DispatchError).code).toBe('ERR_WORKER_LOST');
    }
    expect(again).toEqual({ status: 'fulfilled', value: 2 });
    // The call that may run twice waits for the host.
    expect(toldMs).toBeGreaterThan(700);
    const again20 = { idempotent: true, retries: 20 } as const;
    expect(await dispatcher.run('echo', 3, again20)).toBe(3);
    const journal = (await dispatcher.run('journal', undefined, again20)) as string[];
    expect(journal.filter((each) => each === 'block')).toHaveLength(1);
    expect(journal.filter((each) => each === 'echo 1').length).toBeLessThanOrEqual(1);
  });

  it('a host that was stopped begins none of the calls that were reported lost', async () => {
    const host = await startHost('stopped', server.url);
    const dispatcher = open('stopped', server.url);
    const again = { idempotent: true, retries: 20 } as const;
    await dispatcher.run('echo', -1, again);
    host.kill('SIGSTOP');
    // More than one read: the message that ends the session is behind it.
    const bytes = Buffer.alloc(20_000);
    const lost = new Set<number>();
    const calls = Array.from({ length: 64 }, (_, id) =>
      dispatcher.run('take', { id, bytes }).catch((error: DispatchError) => {
        expect(error.code).toBe('ERR_WORKER_LOST');
        lost.add(id);
      }),
    );
    await until(() => lost.size > 0);
    host.kill('SIGCONT');
    await Promise.all(calls);
    const journal = (await dispatcher.run('journal', undefined, again)) as string[];
    expect(lost.size).toBeGreaterThan(0);
    expect(journal.filter((each) => lost.has(Number(each.split(' ')[1])))).toEqual([]);
  });

  it('a caller that reads slowly loses at most its own session, and goes on', async () => {
    await startHost('slow', server.url);
    const link = await createLink({ to: server.port, bytesPerSecond: 4_000_000 });
    closing.push(() => link.close());
    const slow = open('slow', `127.0.0.1:${link.port}`, { beatMs: 2000 });
    const other = open('slow', server.url, { beatMs: 2000 });
    await Promise.all([slow.ready(), other.ready()]);
    const large = Promise.allSettled(
      Array.from({ length: 8 }, () =>
        slow.run('bytes', 2_000_000, { idempotent: true, retries: 20 }),
      ),
    );
    const times: number[] = [];
    for (let count = 0; count < 50; count += 1) {
      const start = performance.now();
      expect(await other.run('echo', count, { idempotent: true, retries: 20 })).toBe(count);
      times.push(performance.now() - start);
    }
    for (const outcome of await large) {
      if (outcome.status === 'fulfilled') expect(outcome.value.byteLength).toBe(2_000_000);
      else expect(DispatchError.is(outcome.reason)).toBe(true);
    }
    expect(await slow.run('echo', 1, { idempotent: true, retries: 20 })).toBe(1);
    expect(other.fleet().lost).toMatchObject({ gap: 0, malformed: 0 });
  });

  it('two of three servers of a cluster go: clients move to the third, and calls that may run twice are all answered', async () => {
    const routes = await Promise.all([freePort(), freePort(), freePort()]);
    const list = routes.map((port) => `nats://127.0.0.1:${port}`).join(',');
    const servers = await Promise.all(
      routes.map((port) =>
        startNatsServer({
          args: [
            '--cluster_name',
            'three',
            '--cluster',
            `nats://127.0.0.1:${port}`,
            '--routes',
            list,
          ],
        }),
      ),
    );
    closing.push(() => Promise.all(servers.map((each) => each.close())));
    const urls = servers.map(({ url }) => url);
    await startHost('cluster', urls);
    await startHost('cluster', urls);
    const dispatcher = open('cluster', urls, { startTimeoutMs: 20_000 });
    await dispatcher.ready();
    let answered = 0;
    let goesOn = true;
    const options = { idempotent: true, retries: 100 } as const;
    const load = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (goesOn) {
          expect(await dispatcher.run('echo', answered, options)).toBeTypeOf('number');
          answered += 1;
        }
      }),
    );
    for (const gone of servers.slice(0, 2)) {
      const before = answered;
      await until(() => answered > before + 200);
      await gone.stop();
      const after = answered;
      await until(() => answered > after + 200);
    }
    goesOn = false;
    await load;
    expect(dispatcher.stats().failed).toBe(0);
  });
});
