import { gone } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { ALL, answersOf, startGroup, testEndOfGroup } from './group-signals-cases.ts';

testEndOfGroup('SIGINT', 'socket', 'forked');
testEndOfGroup('SIGTERM', 'socket', 'cluster');

test('SIGTERM to one worker of forkWorkers: its requests are answered, and it has a successor', async () => {
  const { pids, hold, next } = await startGroup('socket', 'forked');
  const { clients, by } = await hold();
  const [pid = 0] = by;
  const ready = next('worker-ready');
  process.kill(pid, 'SIGTERM');
  expect(await next('worker-replaced')).toBe(pid);
  expect(pids).not.toContain(await ready);
  expect(await answersOf(clients)).toEqual(ALL);
  await gone(pid, 10_000);
});
