import { BatchingError, type BatchingErrorCode } from '@ticketing/batching';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { sendProblem } from '../src/problem/problem.ts';

async function answerTo(error: Error) {
  const app = fastify();
  onTestFinished(() => app.close());
  app.setErrorHandler(sendProblem);
  app.get('/', () => Promise.reject(error));
  const { statusCode, headers, body } = await app.inject('/');
  return { statusCode, retryAfter: headers['retry-after'], ...JSON.parse(body) };
}

function refused(code: BatchingErrorCode): Error {
  return new BatchingError(code, 'Coalescer `document` is full', { data: { name: 'document' } });
}

test('a coalescer that is full or closed is a 503 with the time to retry after', async () => {
  for (const code of ['ERR_TOO_MANY_KEYS', 'ERR_TOO_MANY_WAITERS', 'ERR_CLOSED'] as const) {
    expect(await answerTo(refused(code))).toMatchObject({
      statusCode: 503,
      retryAfter: '1',
      title: 'Too busy',
      detail: 'Coalescer `document` is full',
    });
  }
});

test('a load whose time is up is a 504, and one that is wrong a 500 without its reason', async () => {
  expect(await answerTo(refused('ERR_LOAD_TIMEOUT'))).toMatchObject({ statusCode: 504 });
  expect(await answerTo(refused('ERR_BATCH_LENGTH'))).toMatchObject({
    statusCode: 500,
    detail: 'The server failed; its log has the reason',
  });
});

test('a lack of descriptors, which may be over soon, is a 503', async () => {
  for (const code of ['EMFILE', 'ENFILE']) {
    const error = Object.assign(new Error(`${code}: too many open files, scandir '/x'`), { code });
    expect(await answerTo(error)).toMatchObject({ statusCode: 503, retryAfter: '1' });
  }
});
