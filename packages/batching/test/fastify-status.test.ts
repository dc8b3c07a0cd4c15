import fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import {
  BatchingError,
  type BatchingErrorCode,
  createBatcher,
  createCoalescer,
} from '../src/index.ts';

const never = (): Promise<never> => new Promise(() => {});

/** An app without a handler for errors. */
function createApp(answer: () => Promise<unknown>): FastifyInstance {
  const app = fastify();
  onTestFinished(() => app.close());
  app.get('/', answer);
  return app;
}

async function answerOf(answer: () => Promise<unknown>): Promise<unknown> {
  const { statusCode, body } = await createApp(answer).inject('/');
  return { statusCode, ...JSON.parse(body) };
}

test('Fastify answers 503 for a coalescer that is full, and for one that is closed', async () => {
  const full = createCoalescer(never, { name: 'users', maxKeys: 1, maxWaitersPerKey: 1 });
  void full.get(1);
  expect(await answerOf(() => full.get(2))).toMatchObject({
    statusCode: 503,
    code: 'ERR_TOO_MANY_KEYS',
    error: 'Service Unavailable',
  });
  expect(await answerOf(() => full.get(1))).toMatchObject({
    statusCode: 503,
    code: 'ERR_TOO_MANY_WAITERS',
  });
  await full.close();
  expect(await answerOf(() => full.get(3))).toMatchObject({ statusCode: 503, code: 'ERR_CLOSED' });
});

test('Fastify answers 503 for a batcher that is full', async () => {
  const full = createBatcher<number, number>(never, { maxQueued: 1, schedule: () => {} });
  void full.load(1);
  expect(await answerOf(() => full.load(2))).toMatchObject({
    statusCode: 503,
    code: 'ERR_TOO_MANY_KEYS',
  });
});

test('Fastify answers 504 for a load, a batch and a caller whose time is up', async () => {
  const users = createCoalescer(never, { loadTimeoutMs: 1 });
  expect(await answerOf(() => users.get(1))).toMatchObject({
    statusCode: 504,
    code: 'ERR_LOAD_TIMEOUT',
    error: 'Gateway Timeout',
  });
  const names = createBatcher<number, string>(never, { loadTimeoutMs: 1 });
  expect(await answerOf(() => names.load(1))).toMatchObject({
    statusCode: 504,
    code: 'ERR_BATCH_TIMEOUT',
  });
  const slow = createCoalescer(never);
  expect(await answerOf(() => slow.get(1, { timeoutMs: 1 }))).toMatchObject({
    statusCode: 504,
    code: 'ERR_CALLER_TIMEOUT',
  });
});

test('Fastify answers 500 for a loader that is wrong', async () => {
  const wrong = createBatcher((_keys: readonly number[]) => [1, 2]);
  expect(await answerOf(() => wrong.load(1))).toMatchObject({
    statusCode: 500,
    code: 'ERR_BATCH_LENGTH',
  });
  const missing = createBatcher((_keys: readonly number[]) => new Map<number, number>());
  expect(await answerOf(() => missing.load(1))).toMatchObject({
    statusCode: 500,
    code: 'ERR_KEY_MISSING',
  });
});

test.each<[503 | 504 | 500, BatchingErrorCode[]]>([
  [503, ['ERR_ABORTED', 'ERR_CLOSED', 'ERR_LEASE_LOST', 'ERR_NOT_FORGOTTEN']],
  [503, ['ERR_TOO_MANY_KEYS', 'ERR_TOO_MANY_WAITERS']],
  [504, ['ERR_BATCH_TIMEOUT', 'ERR_CALLER_TIMEOUT', 'ERR_LOAD_TIMEOUT']],
  [500, ['ERR_BATCH_LENGTH', 'ERR_BATCH_RESULT', 'ERR_KEY_MISSING', 'ERR_REENTRANT']],
])('statusCode %i of %j', (statusCode, codes) => {
  for (const code of codes) {
    const error = new BatchingError(code, 'Cannot go on', { data: { name: 'a' } });
    expect(error.statusCode).toBe(statusCode);
    // Clones of errors, as shared loads send them to other processes, have their own fields.
    expect(Object.keys(error)).toEqual(['code', 'data', 'statusCode']);
  }
});
