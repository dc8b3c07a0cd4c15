/**
 * Cases that wait for the clock of the platform, or do a thing ten thousand times. In process each is in `npm test` once; what
 * wrappers and copies make of them is in `test/full`.
 */
export const longCases: readonly string[] = [
  'start: a module that never starts',
  'abort: 10,000 calls',
  'timeouts: each limit also',
  'kill: a task that ignores its signal delays',
  'streams: 10,000 items',
  'streams: timeoutMs limits',
];
