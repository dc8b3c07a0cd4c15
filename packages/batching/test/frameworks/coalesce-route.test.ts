// One table of cases, run in every framework: a coalesced route gives the same guarantees in all of them.
import { Agent } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { createManualClock } from '@ticketing/test-kit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Call, Gate, seen } from '../fastify-client.ts';
import type { HandlerAnswer } from './framework.ts';
import { frameworks } from './frameworks.ts';
import { start } from './service-client.ts';

/** A body over several turns of the event loop. */
async function* pieces() {
  yield Buffer.from('on');
  for (let turns = 0; turns < 3; turns++) await turn();
  yield Buffer.from('e');
}

describe.each(Object.keys(frameworks))('%s', (name) => {
  test('equal requests share one run, its status, headers and bytes, and keep headers of their own', async () => {
    const gate = new Gate();
    const { send, asked, coalescer } = await start(name, {
      own: (headers) => ({ 'x-own': String(headers['x-client']) }),
      handler: async () => {
        await gate.pass();
        return {
          status: 203,
          headers: { 'x-run': String(gate.runs), etag: '"a"' },
          body: { city: 'Málaga', at: 1 },
        };
      },
    });
    const clients = Array.from({ length: 30 }, (_, index) => String(index));
    const calls = clients.map((client) =>
      send('/shared/trains?from=MAD', { headers: { 'x-client': client } }),
    );
    await asked(30);
    gate.open();
    const answers = await Promise.all(calls.map(({ answer }) => answer));
    expect(gate.runs).toBe(1);
    for (const [index, { status, headers, body }] of answers.entries()) {
      expect({ status, body }).toEqual({ status: 203, body: '{"city":"Málaga","at":1}' });
      expect(headers).toMatchObject({ 'x-run': '1', etag: '"a"', 'x-own': String(index) });
      expect(headers['content-type']).toContain('application/json');
      expect(headers['content-type']).toBe(answers[0]?.headers['content-type']);
      expect(headers).not.toHaveProperty('x-coalesced');
    }
    expect(coalescer.stats()).toMatchObject({ asked: 30, loaded: 1, joined: 29, inFlight: 0 });
  });

  test('text is shared as it is, and a later request runs the handler anew', async () => {
    let runs = 0;
    const { send } = await start(name, { handler: async () => ({ body: `run ${++runs}` }) });
    expect((await send('/shared/a').answer).body).toBe('run 1');
    expect((await send('/shared/a').answer).body).toBe('run 2');
  });

  test.each<[string, Record<string, string>, Record<string, string>, string?]>([
    ['the Authorization', { authorization: 'Bearer a' }, { authorization: 'Bearer b' }],
    ['an Authorization and none', {}, { authorization: 'Bearer b' }],
    ['the Cookie', { cookie: 'user=a' }, { cookie: 'user=b' }],
    ['a certificate of a proxy', { 'client-cert': 'a' }, { 'client-cert': 'b' }],
    ['a header of `vary`', { 'x-tenant': 'a' }, { 'x-tenant': 'b' }],
    ['the host', { host: 'a.example.org' }, { host: 'b.example.org' }],
    ['a condition', {}, { 'if-none-match': '"a"' }],
    ['the range', { range: 'bytes=0-1' }, { range: 'bytes=1-2' }],
    ['the query', {}, {}, '/shared/page?a=2'],
    ['the order of the query', {}, {}, '/shared/page?b=2&a=1'],
  ])('what differs in %s is not shared', async (_label, one, other, path) => {
    const gate = new Gate();
    const { send, asked } = await start(name, {
      options: { vary: ['X-Tenant'] },
      handler: async ({ headers, url }) => {
        await gate.pass();
        return { body: { headers, url } };
      },
    });
    const calls = [
      send('/shared/page?a=1&b=2', { headers: one }),
      send(path ?? '/shared/page?a=1&b=2', { headers: other }),
    ];
    await asked(2);
    expect(gate.runs).toBe(2);
    gate.open();
    const [first, second] = await Promise.all(calls.map(async ({ answer }) => (await answer).body));
    expect(first).not.toBe(second);
  });

  test('credentials do not count with `shareCredentials`, and a cookie goes to all', async () => {
    const gate = new Gate();
    const { send, asked } = await start(name, {
      options: { shareCredentials: true },
      own: ({ authorization }) => ({ 'set-cookie': `own=${authorization}` }),
      handler: async () => {
        await gate.pass();
        return { headers: { 'x-open': '1' }, body: 'open to all' };
      },
    });
    const calls = ['a', 'b'].map((authorization) =>
      send('/shared/a', { headers: { authorization, cookie: `user=${authorization}` } }),
    );
    await asked(2);
    gate.open();
    const answers = await Promise.all(calls.map(({ answer }) => answer));
    expect(
      answers.map(({ headers, body }) => [headers['set-cookie'], headers['x-open'], body]),
    ).toEqual([
      [['own=a'], '1', 'open to all'],
      [['own=b'], '1', 'open to all'],
    ]);
    expect(gate.runs).toBe(1);
  });

  test('the key of a route counts, and credentials besides', async () => {
    const gate = new Gate();
    const { send, asked } = await start(name, {
      keyOf: (url) => url.slice(0, '/shared/1'.length),
      handler: async () => ({ body: String(await gate.pass()) }),
    });
    const calls = [
      send('/shared/1?page=1'),
      send('/shared/1?page=2'),
      send('/shared/2'),
      send('/shared/1', { headers: { authorization: 'Bearer a' } }),
    ];
    await asked(4);
    expect(gate.runs).toBe(3);
    gate.open('found');
    for (const { answer } of calls) expect((await answer).body).toBe('found');
  });

  test('HEAD is shared apart from GET, and POST is not shared', async () => {
    const gate = new Gate();
    const { send, asked, coalescer } = await start(name, {
      handler: async () => ({ body: String(await gate.pass()) }),
    });
    const methods = ['GET', 'GET', 'HEAD', 'HEAD'];
    const calls = methods.map((method) => send('/shared/a', { method }));
    await asked(4);
    expect(gate.runs).toBe(2);
    const posts = ['POST', 'POST'].map((method) => send('/shared/a', { method }));
    await seen(() => gate.runs === 4);
    gate.open('twelve bytes');
    const bodies = await Promise.all(
      [...calls, ...posts].map(async ({ answer }) => (await answer).body),
    );
    const all = 'twelve bytes';
    expect(bodies).toEqual([all, all, '', '', all, all]);
    expect(coalescer.stats().asked).toBe(4);
  });

  test('an error of the handler reaches all, of one run', async () => {
    // Frameworks log it, each in its way.
    vi.spyOn(console, 'error').mockImplementation(() => {});
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const gate = new Gate();
    const { send, asked, coalescer } = await start(name, { handler: () => gate.pass() as never });
    const calls = [send('/shared/a'), send('/shared/a'), send('/shared/a')];
    await asked(3);
    gate.fail(Object.assign(new Error('no trains'), { expose: true }));
    const answers = await Promise.all(calls.map(({ answer }) => answer));
    for (const { status, body } of answers) {
      expect({ status, body }).toEqual({ status: 500, body: answers[0]?.body });
    }
    expect(gate.runs).toBe(1);
    expect(coalescer.stats().inFlight).toBe(0);
  });

  test.each([204, 404])('an answer of status %i without a body is shared', async (status) => {
    const gate = new Gate();
    const { send, asked } = await start(name, {
      handler: async () => {
        await gate.pass();
        return { status };
      },
    });
    const calls = [send('/shared/a'), send('/shared/a')];
    await asked(2);
    gate.open();
    const [one, other] = await Promise.all(calls.map(({ answer }) => answer));
    expect([one?.status, other?.status]).toEqual([status, status]);
    expect(other?.body).toBe(one?.body);
    expect(gate.runs).toBe(1);
  });

  test.each<[string, () => HandlerAnswer]>([
    ['a stream', () => ({ body: Readable.from(pieces()) })],
    ['a cookie', () => ({ headers: { 'set-cookie': 'session=1' }, body: 'one' })],
    ['Vary: *', () => ({ headers: { vary: '*' }, body: 'one' })],
  ])('%s is not shared: each request runs the handler', async (_label, answer) => {
    const gate = new Gate();
    let runs = 0;
    const { send, asked } = await start(name, {
      handler: async ({ clients }) => {
        if (++runs === 1) await gate.pass();
        expect(clients().signal.aborted).toBe(false);
        return answer();
      },
    });
    const calls = [send('/shared/a'), send('/shared/a'), send('/shared/a')];
    await asked(3);
    gate.open();
    for (const { answer } of calls) {
      const { status, body } = await answer;
      expect({ status, body }).toEqual({ status: 200, body: 'one' });
    }
    expect(runs).toBe(3);
  });

  test('a stream reaches its client while it goes on, and is not shared', async () => {
    const streams: Readable[] = [];
    const { send, asked } = await start(name, {
      handler: async () => {
        const stream = new Readable({ read() {} });
        stream.push(Buffer.from('begun '));
        streams.push(stream);
        return { body: stream };
      },
    });
    const calls = [send('/shared/a'), send('/shared/a')];
    await asked(2);
    await seen(() => streams.length === 2);
    for (const stream of streams) stream.push(Buffer.from('and ended'));
    for (const stream of streams) stream.push(null);
    for (const { answer } of calls) expect((await answer).body).toBe('begun and ended');
  });

  test('an answer that varies is shared by requests that are equal in that, too', async () => {
    const gate = new Gate();
    const { send, asked } = await start(name, {
      handler: async ({ headers }) => {
        await gate.pass();
        return { headers: { vary: 'Accept-Language' }, body: headers['accept-language'] ?? '' };
      },
    });
    const calls = ['es', 'en', 'es', 'en'].map((language) =>
      send('/shared/a', { headers: { 'accept-language': language } }),
    );
    await asked(4);
    gate.open();
    await asked(6);
    expect(gate.runs).toBe(2);
    gate.open();
    const bodies = await Promise.all(calls.map(async ({ answer }) => (await answer).body));
    expect(bodies).toEqual(['es', 'en', 'es', 'en']);
  });

  test('requests that an answer was not for twice run the handler each, at once', async () => {
    const gate = new Gate();
    const { send, asked, coalescer } = await start(name, {
      handler: async ({ headers }) => {
        await gate.pass();
        const vary = headers['x-one'] === '1' ? 'X-One' : 'X-One, X-Two';
        return { headers: { vary }, body: `${headers['x-one']} ${headers['x-two']}` };
      },
    });
    const sent = ['1 1', '2 1', '2 2', '2 3'];
    const calls: Call[] = [];
    for (const each of sent) {
      const [one = '', two = ''] = each.split(' ');
      calls.push(send('/shared/a', { headers: { 'x-one': one, 'x-two': two } }));
      await asked(calls.length);
    }
    gate.open();
    await asked(7);
    expect(gate.runs).toBe(2);
    gate.open();
    await seen(() => gate.runs === 4);
    expect(coalescer.stats().asked).toBe(7);
    gate.open();
    const bodies = await Promise.all(calls.map(async ({ answer }) => (await answer).body));
    expect(bodies).toEqual(sent);
  });

  test('the first client leaves, and the others are answered by its run', async () => {
    const gate = new Gate();
    const signals: AbortSignal[] = [];
    const { send, asked, left } = await start(name, {
      handler: async ({ clients, leaving }) => {
        signals.push(clients().signal, leaving());
        return { body: String(await gate.pass()) };
      },
    });
    const first = send('/shared/a');
    await asked(1);
    const others = [send('/shared/a'), send('/shared/a')];
    await asked(3);
    first.leave();
    await left(1);
    expect(signals.map(({ aborted }) => aborted)).not.toContain(true);
    gate.open('shared');
    for (const { answer } of others) {
      expect(await answer).toMatchObject({ status: 200, body: 'shared' });
    }
    expect(gate.runs).toBe(1);
  });

  test('the last client leaves: the signal aborts, and the next request runs anew', async () => {
    const gate = new Gate();
    const signals: AbortSignal[] = [];
    const { send, asked, left, coalescer } = await start(name, {
      handler: async ({ clients }) => {
        signals.push(clients().signal);
        return { body: String(await gate.pass()) };
      },
    });
    const calls = [send('/shared/a')];
    await asked(1);
    calls.push(send('/shared/a'));
    await asked(2);
    calls[1]?.leave();
    await left(1);
    expect(signals[0]?.aborted).toBe(false);
    calls[0]?.leave();
    await left(2);
    expect(signals[0]).toMatchObject({ aborted: true, reason: { code: 'ERR_ABORTED' } });
    const next = send('/shared/a');
    await asked(3);
    gate.open('anew');
    expect((await next.answer).body).toBe('anew');
    expect(gate.runs).toBe(2);
    expect(coalescer.stats()).toMatchObject({ loaded: 2, aborted: 1, inFlight: 0 });
  });

  test.each(['reject', 'bypass'] as const)(
    'above a bound a request is treated by `overflow: %s`',
    async (overflow) => {
      const gate = new Gate();
      const { send, asked } = await start(name, {
        options: { maxKeys: 1, maxWaitersPerKey: 2, overflow },
        handler: async () => ({ body: String(await gate.pass()) }),
      });
      const calls = [];
      for (const [index, path] of ['a', 'a', 'a', 'b'].entries()) {
        calls.push(send(`/shared/${path}`));
        await asked(index + 1);
      }
      gate.open('ok');
      const answers = await Promise.all(calls.map(({ answer }) => answer));
      const isRefused = overflow === 'reject';
      const refused = ['ERR_TOO_MANY_WAITERS', 'ERR_TOO_MANY_KEYS'];
      const codes = answers.map(({ body }) => (body === 'ok' ? body : JSON.parse(body).code));
      expect(codes).toEqual(['ok', 'ok', ...(isRefused ? refused : ['ok', 'ok'])]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses).toEqual(isRefused ? [200, 200, 503, 503] : [200, 200, 200, 200]);
      const waits = answers.map(({ headers }) => headers['retry-after']);
      expect(waits).toEqual(statuses.map((status) => (status === 503 ? '1' : undefined)));
      expect(gate.runs).toBe(isRefused ? 1 : 3);
    },
  );

  test.each(['goes on', 'gives up'])(
    'after `loadTimeoutMs` all get 504, and a handler that %s does no harm',
    async (how) => {
      const clock = createManualClock();
      const gate = new Gate();
      const agent = new Agent({ keepAlive: true, maxSockets: 2 });
      let ended = 0;
      const { send, asked } = await start(name, {
        options: { loadTimeoutMs: 500, clock, name: 'trains' },
        handler: async ({ clients, url }) => {
          if (url.includes('after')) return { body: 'after' };
          const { signal } = clients();
          const gaveUp = new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => how === 'gives up' && reject(signal.reason));
          });
          return Promise.race([gate.pass(), gaveUp])
            .then(() => ({ headers: { 'x-late': '1' }, body: 'late' }))
            .finally(() => {
              ended += 1;
            });
        },
      });
      const calls = [send('/shared/a', { agent }), send('/shared/a', { agent })];
      await asked(2);
      clock.advance(500);
      for (const { answer } of calls) {
        const { status, body } = await answer;
        expect([status, JSON.parse(body).code]).toEqual([504, 'ERR_LOAD_TIMEOUT']);
      }
      gate.open();
      await seen(() => ended === 1);
      // The connections are kept.
      const after = [send('/shared/after', { agent }), send('/shared/after?b', { agent })];
      for (const { answer } of after) expect((await answer).body).toBe('after');
      expect(clock.pending).toBe(0);
      agent.destroy();
    },
  );

  test('`header` marks the answers that another run made', async () => {
    const gate = new Gate();
    const { send, asked } = await start(name, {
      options: { header: true },
      handler: async () => ({ body: String(await gate.pass()) }),
    });
    const calls = [send('/shared/a'), send('/shared/a')];
    await asked(2);
    gate.open('ok');
    const answers = await Promise.all(calls.map(({ answer }) => answer));
    expect(answers.map(({ headers }) => headers['x-coalesced']).sort()).toEqual(['1', undefined]);
  });

  test('clients() throws on a route that is not coalesced', async () => {
    const { send } = await start(name, {
      handler: async ({ clients }) => {
        let thrown = 'nothing';
        try {
          clients();
        } catch (error) {
          thrown = (error as Error).message;
        }
        return { body: thrown };
      },
    });
    expect((await send('/plain').answer).body).toMatch(/^Cannot read .*\/plain/);
  });

  // The plugin of Fastify closes with its app, which waits for the requests: its own tests have that.
  test.skipIf(name === 'Fastify')(
    'close() answers 503 to requests that wait, and to later ones',
    async () => {
      const gate = new Gate();
      const service = await start(name, {
        handler: async () => ({ body: String(await gate.pass()) }),
      });
      const { send, asked } = service;
      const calls = [send('/shared/a'), send('/shared/a')];
      await asked(2);
      await service.close?.();
      calls.push(send('/shared/a'));
      for (const { answer } of calls) {
        const { status, headers, body } = await answer;
        expect([status, headers['retry-after'], JSON.parse(body).code]).toEqual([
          503,
          '1',
          'ERR_CLOSED',
        ]);
      }
      gate.open('late');
    },
  );

  test('requests over one connection leave no listener behind', async () => {
    const { send, coalescer } = await start(name, {
      handler: async ({ clients, leaving }) => ({
        body: String(clients().signal.aborted || leaving().aborted),
      }),
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warn);
    for (let round = 0; round < 30; round++) {
      expect((await send('/shared/a', { agent }).answer).body).toBe('false');
    }
    await turn();
    process.off('warning', warn);
    agent.destroy();
    expect(warnings).toEqual([]);
    expect(coalescer.stats()).toMatchObject({ asked: 30, loaded: 30, inFlight: 0, left: 0 });
  });
});
