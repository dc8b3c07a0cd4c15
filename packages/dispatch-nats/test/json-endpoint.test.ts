import { Svcm } from '@nats-io/services';
import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import {
  createInProcessDispatcher,
  DispatchError,
  defineTasks,
  type RunOptions,
  rawJson,
  systemClock,
} from '@ticketing/dispatch';
import { engineProgram, startNatsServer, until } from '@ticketing/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NatsJsonEndpoint, type NatsJsonOptions, serveJson } from '../src/json/index.ts';

/** Data of the dispatcher's errors. */
const data = { name: 'local' };

const tasks = {
  double: (n: number) => n * 2,
  nothing: () => undefined,
  echo: (input: unknown) => input,
  metadata: (_: unknown, { metadata }: { metadata: unknown }) => metadata,
  raw: () => rawJson({ ready: true }),
  huge: () => 'x'.repeat(1_100_000),
  cyclic: () => {
    const value: Record<string, unknown> = {};
    value['self'] = value;
    return value;
  },
  fail: () => {
    throw Object.assign(new RangeError('out of\r\nrange'), { code: 'ERR_RANGE', secret: 's3cret' });
  },
  hang: (_: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    }),
};

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
}

describe.skipIf(engineProgram('nats') === undefined)('serveJson() on a NATS server', () => {
  let server: Awaited<ReturnType<typeof startNatsServer>>;
  let host: NatsConnection;
  let client: NatsConnection;
  const local = createInProcessDispatcher(defineTasks(tasks));

  beforeAll(async () => {
    server = await startNatsServer();
    host = await connect({ servers: server.url, noEcho: true });
    client = await connect({ servers: server.url });
  });
  afterAll(async () => {
    await Promise.all([client.close(), host.close(), local.close()]);
    await server.close();
  });

  const run = (task: string, input: unknown, options: RunOptions) =>
    (local.run as (...all: unknown[]) => Promise<unknown>)(task, input, options);
  let number = 0;
  async function serve(options: Partial<NatsJsonOptions> = {}) {
    number += 1;
    const fleet = `f${number}`;
    const endpoint = serveJson({
      fleet,
      host: { id: `host.${number}`, zone: 'a', revision: '1.2.3' },
      tasks: Object.keys(tasks),
      run,
      capacity: 64,
      maxMessageBytes: 100_000,
      clock: systemClock,
      ...options,
    });
    endpoint.connected(host);
    await host.flush();
    return { fleet, endpoint, ask: asker(fleet) };
  }
  const asker =
    (fleet: string) =>
    async (
      task: string,
      payload: string | Uint8Array = '',
      head: Record<string, string> = {},
    ): Promise<Answer> => {
      const sent = headers();
      for (const [name, value] of Object.entries(head)) sent.set(name, value);
      const answer = await client.request(`tt.${fleet}.t.${task}`, payload, {
        timeout: 30_000,
        headers: sent,
      });
      const text = answer.string();
      return {
        status: Number(answer.headers?.get('Nats-Service-Error-Code') || 200),
        text: answer.headers?.get('Nats-Service-Error') ?? '',
        body: text.startsWith('{') || text.length < 1000 ? JSON.parse(text) : text,
      };
    };
  const idle = (endpoint: NatsJsonEndpoint) => expect(endpoint.stats().running).toBe(0);

  it('answers a JSON request with the JSON of the result', async () => {
    const { endpoint, ask } = await serve();
    expect(await ask('double', '21')).toEqual({ status: 200, text: '', body: 42 });
    expect(await ask('echo', '{"a":[1,"é",null]}')).toMatchObject({ body: { a: [1, 'é', null] } });
    expect(await ask('nothing')).toMatchObject({ status: 200, body: null });
    expect(await ask('raw')).toMatchObject({ status: 200, body: { ready: true } });
    expect(endpoint.stats()).toEqual({
      running: 0,
      completed: 4,
      failed: 0,
      busy: 0,
      ignored: 0,
      denied: [],
    });
    await endpoint.close();
  });

  it('passes the call, the attempt and the trace on as metadata', async () => {
    const { endpoint, ask } = await serve();
    const head = { traceparent: '00-1-2-01', 'Ticketing-Call': 'c-7', 'Ticketing-Attempt': '2' };
    const { body } = await ask('metadata', '', { ...head, 'X-Other': 'no' });
    expect(body).toEqual({ traceparent: '00-1-2-01', call: 'c-7', attempt: '2' });
    await endpoint.close();
  });

  it('answers each failure with one clear error', async () => {
    const { endpoint, ask } = await serve();
    const errors = await Promise.all([
      ask('double', '{'),
      ask('double', new Uint8Array([0x22, 0xff, 0x22])),
      ask('double', `"${'x'.repeat(100_000)}"`),
      ask('double', '1', { 'Ticketing-Deadline-Ms': 'soon' }),
      ask('double', '1', { 'Ticketing-Deadline-Ms': '0' }),
      ask('double', '1', { 'Ticketing-Attempt': '0' }),
      ask('hang', '1', { 'Ticketing-Deadline-Ms': '20' }),
      ask('fail'),
      ask('huge'),
      ask('cyclic'),
    ]);
    expect(
      errors.map(({ status, text }) => `${status} ${text.replace(/(; |: Converting).*/, '')}`),
    ).toEqual([
      '400 Cannot read the request: it must be JSON in UTF-8',
      '400 Cannot read the request: it must be JSON in UTF-8',
      '413 Request is too large: 100002 bytes exceed `maxMessageBytes` (100000)',
      '400 Cannot run: `Ticketing-Deadline-Ms` must be an integer of 0 to 2147483647, got soon',
      '408 Deadline of the call is past',
      '400 Cannot run: `Ticketing-Attempt` must be an integer of 1 to 1000, got 0',
      expect.stringMatching(/^408 .*timeoutMs/),
      '500 out of range',
      expect.stringMatching(
        /^413 Result of task `huge` is too large: 1100002 bytes exceed `max_payload` of the server/,
      ),
      '500 Result of task `cyclic` is not JSON',
    ]);
    expect(errors[7]?.body).toEqual({
      error: { name: 'RangeError', message: 'out of range', code: 'ERR_RANGE' },
    });
    expect(endpoint.stats()).toMatchObject({ completed: 0, failed: 10, running: 0 });
    await endpoint.close();
  });

  it.each([
    [
      'of the dispatcher that has a status',
      new DispatchError('ERR_QUEUE_FULL', 'Queue is full', { data }),
      503,
    ],
    [
      'of the dispatcher that has none',
      new DispatchError('ERR_WORKER_LOST', 'Worker is lost', { data }),
      500,
    ],
    [
      'of a task, whose code is its own',
      Object.assign(new Error('late'), { code: 'ERR_TIMEOUT' }),
      500,
    ],
  ])('answers an error %s with that of its kind', async (_, error, status) => {
    const { endpoint, ask } = await serve({ run: () => Promise.reject(error) });
    expect(await ask('echo')).toEqual({
      status,
      text: error.message,
      body: { error: { name: error.name, message: error.message, code: error.code } },
    });
    await endpoint.close();
  });

  it('answers an unknown task with 404 if its module lacks it, and by no responders if no host serves it', async () => {
    const { endpoint, ask } = await serve({ tasks: ['absent'] });
    expect(await ask('absent')).toMatchObject({
      status: 404,
      text: expect.stringMatching(/absent/),
    });
    await expect(ask('double', '1')).rejects.toThrow(/no responders/);
    await endpoint.close();
  });

  it('answers with 503 above its capacity', async () => {
    const { endpoint, ask } = await serve({ capacity: 1 });
    const first = ask('hang', '', { 'Ticketing-Deadline-Ms': '30000' });
    await until(() => endpoint.stats().running === 1);
    expect(await ask('double', '1')).toMatchObject({
      status: 503,
      text: 'Host cannot run `double`: `capacity` (1) requests run; try again',
    });
    const closing = endpoint.close();
    expect(await first).toMatchObject({ status: 503, text: 'Cannot finish: the host is closing' });
    await closing;
    expect(endpoint.stats()).toMatchObject({ busy: 2, running: 0 });
  });

  it('runs nothing for a message without a reply subject', async () => {
    const { endpoint, fleet } = await serve();
    client.publish(`tt.${fleet}.t.double`, '1');
    await until(() => endpoint.stats().ignored === 1);
    expect(endpoint.stats().completed).toBe(0);
    await endpoint.close();
  });

  it('finishes what runs when it drains, and takes nothing more', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Requests that reach the host before its subscription has ended are served, too.
    const runs = (_: string, input: unknown) => (input === 1 ? held.then(() => 'late') : 'soon');
    const { endpoint, ask } = await serve({ run: async (task, input) => runs(task, input) });
    const first = ask('echo', '1');
    await until(() => endpoint.stats().running === 1);
    const drained = endpoint.drain();
    await until(async () =>
      ask('echo').then(
        () => false,
        (error) => /no responders/.test(String(error)),
      ),
    );
    release();
    expect(await first).toMatchObject({ body: 'late' });
    await drained;
    idle(endpoint);
  });

  it('aborts what runs when the connection is lost, and reports to the callers when it is back', async () => {
    const aborted: unknown[] = [];
    const { endpoint, ask } = await serve({
      run: (_task, _input, { signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => {
            aborted.push(signal.reason);
            reject(signal.reason);
          });
        }),
    });
    const answer = ask('hang');
    await until(() => endpoint.stats().running === 1);
    endpoint.disconnected();
    expect(aborted).toHaveLength(1);
    await until(() => endpoint.stats().running === 0);
    endpoint.connected(host);
    expect(await answer).toMatchObject({
      status: 503,
      text: 'Cannot finish: the host has lost its connection to NATS',
    });
    await endpoint.close();
  });

  it('shares the requests of a fleet among its hosts, and keeps fleets apart', async () => {
    const { endpoint, fleet, ask } = await serve({ run: async () => 'first' });
    const second = serveJson({
      fleet,
      host: { id: 'second' },
      tasks: ['echo'],
      run: async () => 'second',
      capacity: 8,
      maxMessageBytes: 1000,
      clock: systemClock,
    });
    second.connected(host);
    const other = await serve({ run: async () => 'other' });
    const got = new Set<unknown>();
    await until(async () => got.add((await ask('echo')).body).size === 2);
    expect([...got].sort()).toEqual(['first', 'second']);
    expect(await other.ask('echo')).toMatchObject({ body: 'other' });
    await Promise.all([endpoint.close(), second.close(), other.endpoint.close()]);
  });

  it('answers PING, INFO and STATS as the services client of NATS does', async () => {
    const oracle = await new Svcm(asOldCore(host)).add({
      name: 'oracle',
      version: '1.2.3',
      description: 'Tasks of the fleet oracle',
      metadata: { fleet: 'oracle' },
      queue: 'hosts',
    });
    oracle.addEndpoint('double', {
      subject: 'tt.oracle.t.double',
      handler: (_error, message) => void message.respond('2'),
    });
    const { endpoint, fleet, ask } = await serve({ tasks: ['double'] });
    await ask('double', '1');
    await asker('oracle')('double', '1');
    const name = `ticketing-${fleet}`;
    const id = `host-${number}`;
    const services = new Svcm(asOldCore(client)).client();
    for (const [asked, found] of [
      [[], expect.arrayContaining(['oracle', name])],
      [[name], [name]],
      [[name, id], [name]],
    ] as const) {
      const names: string[] = [];
      for await (const each of await services.ping(...asked)) names.push(each.name);
      expect(names).toEqual(found);
    }
    for (const verb of ['PING', 'INFO', 'STATS']) {
      const [theirs, own] = await Promise.all(
        [`$SRV.${verb}.oracle`, `$SRV.${verb}.${name}`].map(async (subject) =>
          (await client.request(subject)).json<Record<string, unknown>>(),
        ),
      );
      expect(shapeOf(own)).toEqual(shapeOf(theirs));
      expect(own).toMatchObject({ type: theirs?.['type'], name, id, version: '1.2.3' });
      if (verb === 'STATS') {
        expect(own).toMatchObject({ endpoints: [{ num_requests: 1, num_errors: 0 }] });
      }
      const { headers: none } = await client.request(`$SRV.${verb}.${name}.${id}`);
      expect(none).toBeUndefined();
    }
    await expect(client.request(`$SRV.PING.${name}.nobody`)).rejects.toThrow(/no responders/);
    await oracle.stop();
    await endpoint.close();
    await host.flush();
    await expect(client.request(`$SRV.PING.${name}`)).rejects.toThrow(/no responders/);
  });
});

/** The services client has a core of its own, an older one; it works with a connection of the newer, whose types differ. */
function asOldCore(nats: NatsConnection): ConstructorParameters<typeof Svcm>[0] {
  return nats as unknown as ConstructorParameters<typeof Svcm>[0];
}

/** Names and types of what an answer has. Metadata is free. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'metadata')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, shapeOf(each)]),
  );
}
