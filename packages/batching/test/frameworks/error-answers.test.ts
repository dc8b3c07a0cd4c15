// A BatchingError as each framework answers it.
import { describe, expect, test, vi } from 'vitest';
import { answerErrors, errorAnswer } from '../../src/http/index.ts';
import { BatchingError, createCoalescer } from '../../src/index.ts';
import { frameworks } from './frameworks.ts';
import { start } from './service-client.ts';

const never = (): Promise<never> => new Promise(() => {});
const names = Object.keys(frameworks).filter((name) => name !== 'Fastify');

describe.each(names)('%s', (name) => {
  test('a full coalescer is 503 with `Retry-After`, a late one 504, and each has its code', async () => {
    const full = createCoalescer(never, { name: 'users', maxKeys: 1 });
    void full.get(1);
    const slow = createCoalescer(never, { name: 'prices' });
    const { send } = await start(name, {
      handler: async ({ url }) =>
        url.startsWith('/full') ? full.get(2) : slow.get(1, { timeoutMs: 1 }),
    });
    const refused = await send('/full').answer;
    expect(refused.headers).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      'retry-after': '1',
      'cache-control': 'no-store',
    });
    expect([refused.status, JSON.parse(refused.body)]).toEqual([
      503,
      {
        type: 'about:blank',
        title: 'Service Unavailable',
        status: 503,
        code: 'ERR_TOO_MANY_KEYS',
        detail: expect.stringMatching(/`maxKeys`/),
      },
    ]);
    const late = await send('/late').answer;
    expect(late.headers).not.toHaveProperty('retry-after');
    expect([late.status, JSON.parse(late.body)]).toMatchObject([
      504,
      { title: 'Gateway Timeout', code: 'ERR_CALLER_TIMEOUT' },
    ]);
  });

  test('an error that shows a fault of the program is left to the framework, and logged', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    const { send } = await start(name, {
      handler: async ({ url }) => {
        throw url.startsWith('/own')
          ? new TypeError('x is not a function')
          : new BatchingError('ERR_KEY_MISSING', 'Key is missing', { data: { name: 'a' } });
      },
    });
    for (const path of ['/own', '/missing']) {
      const { status, body } = await send(path).answer;
      expect(status).toBe(500);
      expect(body).not.toContain('about:blank');
    }
    expect(error.mock.calls.length + stderr.mock.calls.length).toBeGreaterThan(0);
    vi.restoreAllMocks();
  });
});

test.each(['Express 5', 'Express 4', 'Koa'])(
  '%s alone answers the status of a BatchingError',
  async (name) => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    const full = createCoalescer(never, { maxKeys: 1 });
    void full.get(1);
    const { send } = await start(name, { answersErrors: false, handler: () => full.get(2) });
    expect((await send('/plain').answer).status).toBe(503);
    vi.restoreAllMocks();
  },
);

test('`refuse` answers what a coalesced route refuses, in the form of the service', async () => {
  const { send, asked } = await start('Express 5', {
    options: {
      maxKeys: 1,
      loadTimeoutMs: 50,
      refuse: (
        error: BatchingError,
        _request: unknown,
        response: { writeHead(status: number): { end(body: string): void } },
      ) => response.writeHead(429).end(error.code),
    } as object,
    handler: never,
  });
  const first = send('/shared/a');
  await asked(1);
  expect(await send('/shared/b').answer).toMatchObject({ status: 429, body: 'ERR_TOO_MANY_KEYS' });
  expect(await first.answer).toMatchObject({ status: 429, body: 'ERR_LOAD_TIMEOUT' });
});

test('errorAnswer() is undefined for what is no BatchingError of status 503 or 504', () => {
  for (const error of [new Error('a'), undefined, { statusCode: 503 }]) {
    expect(errorAnswer(error)).toBeUndefined();
  }
});

test('answerErrors is recognised by Express: it takes four arguments', () => {
  expect(answerErrors).toHaveLength(4);
});
