/** Cases that do a thing ten thousand times: in `test/full` alone. */
export const largeCases: readonly string[] = ['abort: 10,000 calls', 'streams: 10,000 items'];

/**
 * `largeCases`, and cases that wait for the clock of the platform. In process each of these is in `npm test` once; with wrappers and
 * copies they are in `test/full`.
 */
export const longCases: readonly string[] = [
  ...largeCases,
  'start: a module that never starts',
  'timeouts: each limit also',
  'kill: a task that ignores its signal delays',
  'streams: timeoutMs limits',
];
