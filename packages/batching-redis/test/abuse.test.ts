import { expect, test } from 'vitest';
import { createRedisCoordinator } from '../src/index.ts';
import { CLIENTS } from './clients.ts';

const client = CLIENTS.iovalkey('redis://127.0.0.1:1', { lazyConnect: true });
const BRACES = '`prefix` must be 1 to 50 characters without spaces and braces';

test.each([
  [undefined, 'Redis coordinator: `options` must be an object, got undefined'],
  [
    {},
    'Redis coordinator: `client` must be an object with evalshaBuffer, evalBuffer, subscribe, duplicate, on, off, got undefined',
  ],
  [{ client, prefix: 'a b' }, `Redis coordinator: ${BRACES}, got a b`],
  [{ client, prefix: '{a}' }, `Redis coordinator: ${BRACES}, got {a}`],
  [
    { client, commandTimeout: 1 },
    'Redis coordinator: unknown option `commandTimeout`; did you mean `commandTimeoutMs`?',
  ],
  [
    { client, clock: 1 },
    'coordinator: `clock` must be an object with now, setTimeout, clearTimeout, got 1',
  ],
])('misuse %#', (options, message) => {
  expect(() => createRedisCoordinator(options as never)).toThrow(
    new TypeError(`Cannot create ${message}`),
  );
});

test('a client that never connects: each claim is answered with local, and nothing is sent later', async () => {
  const lost = CLIENTS.iovalkey('redis://127.0.0.1:1');
  const coordinator = createRedisCoordinator({ client: lost });
  const { signal } = new AbortController();
  for (let round = 0; round < 4; round += 1) {
    expect(await coordinator.claim('key', { leaseMs: 1000, signal })).toEqual({
      kind: 'local',
      reason: 'down',
    });
  }
  expect(coordinator.stats()).toMatchObject({ state: 'down', errors: 3, timeouts: 0 });
  expect(coordinator.stats().lastError).toMatch(/^the client is not connected \(/);
  await coordinator.close();
  lost.disconnect();
});
