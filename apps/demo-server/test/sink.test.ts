import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { cutSlowBody } from './cut-slow-body.ts';
import { serveDemo, sharedServer } from './demo.ts';

const shared = sharedServer();

test.each([
  ['nothing', undefined, 0],
  ['text', 'hello', 5],
  ['JSON that is none', '{', 1],
  ['more than a server reads by itself', randomBytes(4_000_000), 4_000_000],
])('/sink tells the length of %s', async (_, body, bytes) => {
  const { get } = shared();
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? { method: 'POST' } : { method: 'POST', body, headers };
  expect(await get('/sink', init)).toMatchObject({ status: 200, body: { bytes } });
});

test('/sink?hash=md5 adds the digest', async () => {
  const { get } = shared();
  const body = randomBytes(100_000);
  const md5 = createHash('md5').update(body).digest('hex');
  const answer = await get('/sink?hash=md5', { method: 'POST', body });
  expect(answer.body).toEqual({ bytes: 100_000, md5 });
});

test('/sink refuses a digest that it does not know', async () => {
  const { get } = shared();
  const { status, body } = await get('/sink?hash=crc', { method: 'POST', body: 'x' });
  expect([status, body.parameter]).toEqual([400, 'hash']);
});

test('a request that does not arrive within --request-timeout-ms is cut', async () => {
  await cutSlowBody(await serveDemo('--request-timeout-ms', '200'));
});
