import { describe, expect, test } from 'vitest';
import { MADRID_BARCELONA, startDemo } from '../demo.ts';
import { testRouter, testSuccessor, workerOf } from '../router-cases.ts';

testRouter('socket', 3);
testRouter('passthru', 3);
testSuccessor('socket');
testSuccessor('passthru');

describe.each(['socket', 'passthru'])('--accept %s', (accept) => {
  const start = (...argv: string[]) => startDemo(['--accept', accept, ...argv]);

  test('--route-by header:x-user: equal users reach one process', async () => {
    const { url } = await start('--workers', '4', '--route-by', 'header:x-user');
    const users = Array.from({ length: 24 }, (_, index) => `user-${index % 8}`);
    const byUser = new Map<string, Set<string>>();
    for (const user of users) {
      const worker = await workerOf(`${url}/compute`, { headers: { 'x-user': user } });
      byUser.set(user, (byUser.get(user) ?? new Set()).add(worker));
    }
    expect([...byUser.values()].map(({ size }) => size)).toEqual(Array(8).fill(1));
    expect(new Set([...byUser.values()].flatMap((set) => [...set])).size).toBeGreaterThan(1);
  });

  test('--route-by none: connections are spread', async () => {
    const { url } = await start('--workers', '2', '--route-by', 'none', '--latency', '100');
    const workers = await Promise.all(
      Array.from({ length: 20 }, () => workerOf(`${url}${MADRID_BARCELONA}`)),
    );
    expect(new Set(workers).size).toBe(2);
  });
});
