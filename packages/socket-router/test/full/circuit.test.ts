import { expect, test } from 'vitest';
import { once, open, testFailedStart, testServerOfOtherKind } from '../circuit-cases.ts';
import { nextEvent } from '../router-fixture.ts';

testServerOfOtherKind('https', 'passthru');
testServerOfOtherKind('http2', 'passthru');
testServerOfOtherKind('h2c', 'passthru');

testFailedStart('exit');
testFailedStart('silent-kill');

test('a worker that served and ends is no failed start: its slot is filled again, and no circuit opens', async () => {
  const { router, circuits, repair } = await open('exit', once);
  await expect(router.ready()).rejects.toMatchObject({ code: 'ERR_CIRCUIT_OPEN' });
  repair();
  await nextEvent(router, 'worker-ready');
  for (let round = 0; round < 3; round++) {
    const ready = nextEvent(router, 'worker-ready');
    process.kill(router.stats().workers[0]?.pid as number, 'SIGKILL');
    await ready;
  }
  expect(circuits).toHaveLength(1);
});
