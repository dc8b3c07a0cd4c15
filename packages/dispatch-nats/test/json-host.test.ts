import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
import {
  createLink,
  type EngineServer,
  engineProgram,
  startNatsServer,
  until,
} from '@ticketing/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNatsDispatcher, serveNatsTasks } from '../src/index.ts';
import { serveJson } from '../src/json/index.ts';

const tasks = {
  double: (n: number) => 2 * n,
  async *numbers(count: number) {
    for (let number = 1; number <= count; number += 1) yield number;
  },
  hold: (_: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise<string>((resolve, reject) => {
      releases.push(() => resolve('released'));
      signal.addEventListener('abort', () => reject(signal.reason));
    }),
};
type Tasks = typeof tasks;
const releases: (() => void)[] = [];

describe.skipIf(engineProgram('nats') === undefined)('serveNatsTasks() with json', () => {
  let server: EngineServer;
  let client: NatsConnection;
  beforeAll(async () => {
    server = await startNatsServer();
    client = await connect({ servers: server.url });
  });
  afterAll(async () => {
    await client?.close();
    await server?.close();
  });

  async function serve(fleet: string, servers: string, capacity?: number) {
    const local = createInProcessDispatcher(defineTasks(tasks));
    const host = serveNatsTasks<Tasks>({
      nats: { servers },
      fleet,
      dispatcher: local,
      tasks: ['double', 'hold', 'numbers'],
      json: serveJson,
      ...(capacity !== undefined && { capacity }),
    });
    await host.ready();
    await client.flush();
    const ask = async (task: string, payload = '') => {
      const head = headers();
      head.set('Ticketing-Deadline-Ms', '50000');
      const answer = await client.request(`tt.${fleet}.t.${task}`, payload, {
        timeout: 50_000,
        headers: head,
      });
      const code = answer.headers?.get('Nats-Service-Error-Code') || '200';
      return { code, text: answer.headers?.get('Nats-Service-Error') ?? '', body: answer.string() };
    };
    const close = async () => {
      await host.close();
      await local.close();
    };
    return { host, ask, close };
  }

  /** Asks again until the host has its subscriptions. */
  async function untilServed(
    ask: (task: string, payload: string) => Promise<{ body: string }>,
  ): Promise<void> {
    await until(() =>
      ask('double', '1').then(
        ({ body }) => body === '2',
        () => false,
      ),
    );
  }

  it('refuses a task that gives items, which dispatchers stream', async () => {
    const { ask, close } = await serve('items', server.url);
    await untilServed(ask);
    expect(await ask('numbers', '2')).toMatchObject({
      code: '500',
      text: 'Cannot run task `numbers`: it gives items one by one; use `stream`',
    });
    const dispatcher = createNatsDispatcher<Tasks>({
      nats: { servers: server.url },
      fleet: 'items',
      // A busy machine may be silent for seconds.
      missedBeats: 40,
    });
    const got: number[] = [];
    for await (const item of dispatcher.stream('numbers', 2)) got.push(item);
    expect(got).toEqual([1, 2]);
    await dispatcher.close();
    await close();
  });

  it('bounds JSON requests and calls of dispatchers together', async () => {
    const { host, ask, close } = await serve('both', server.url, 1);
    await untilServed(ask);
    const dispatcher = createNatsDispatcher<Tasks>({
      nats: { servers: server.url },
      fleet: 'both',
      // A busy machine may be silent for seconds.
      missedBeats: 40,
    });
    const held = dispatcher.run('hold', undefined);
    await until(() => host.stats().running === 1);
    expect(await ask('double', '1')).toMatchObject({
      code: '503',
      text: expect.stringMatching(/`capacity` \(1\)/),
    });
    releases.pop()?.();
    expect(await held).toBe('released');
    await until(() => host.stats().running === 0);
    expect(await ask('double', '1')).toMatchObject({ code: '200', body: '2' });
    await dispatcher.close();
    await close();
  });

  it('answers what runs when it drains, and is gone for others', async () => {
    const { host, ask, close } = await serve('drained', server.url);
    await untilServed(ask);
    const held = ask('hold');
    await until(() => host.stats().json?.running === 1);
    const drained = host.drain();
    await until(() =>
      ask('double', '1').then(
        () => false,
        (error) => /no responders/.test(String(error)),
      ),
    );
    releases.pop()?.();
    expect(await held).toMatchObject({ code: '200', body: '"released"' });
    await drained;
    await close();
  });

  it('aborts what runs when its connection breaks, and answers with 503 when it is back', async () => {
    const link = await createLink({ to: server.port });
    const { host, ask, close } = await serve('broken', `127.0.0.1:${link.port}`);
    await untilServed(ask);
    const held = ask('hold');
    await until(() => host.stats().json?.running === 1);
    link.cut();
    await until(() => host.state === 'cut-off');
    expect(host.stats().json).toMatchObject({ running: 0, busy: 1 });
    link.open();
    expect(await held).toMatchObject({
      code: '503',
      text: expect.stringMatching(/lost its connection/),
    });
    await untilServed(ask);
    await close();
    await link.close();
  });
});
