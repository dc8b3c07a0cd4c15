import { expect, test } from 'vitest';
import { sharedServer } from './demo.ts';

const shared = sharedServer();

test('/compute combines the time with twelve digits by one of three operators', async () => {
  const { get } = shared();
  const before = Date.now();
  const seen = new Set<string>();
  for (let index = 0; index < 60; index++) {
    const { status, body } = await get('/compute');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['number']);
    seen.add(operatorOf(body.number, before));
  }
  expect([...seen].sort()).toEqual(['minus', 'plus', 'times']);
});

/** Which operator gives such a number. */
function operatorOf(number: number, now: number): string {
  const least = 100_000_000_000;
  const most = 999_999_999_999;
  const later = now + 60_000;
  if (number >= now * least) return 'times';
  if (number >= now + least && number <= later + most) return 'plus';
  if (number >= now - most && number <= later - least) return 'minus';
  return `none gives ${number}`;
}

test('/compute?ms= keeps the CPU busy for so long', async () => {
  const { get } = shared();
  // The server is in this process. Its loop is held for that time, however little of a core it gets.
  const before = performance.eventLoopUtilization();
  const { status } = await get('/compute?ms=300');
  expect(status).toBe(200);
  expect(performance.eventLoopUtilization(before).active).toBeGreaterThanOrEqual(300);
});

test.each([
  ['ms=-1', 'ms'],
  ['ms=x', 'ms'],
  ['ms=10001', 'ms'],
  ['seconds=1', 'seconds'],
])('/compute?%s is refused', async (query, parameter) => {
  const { get } = shared();
  const { status, type, body } = await get(`/compute?${query}`);
  expect([status, type, body.parameter]).toEqual([400, 'application/problem+json', parameter]);
});
