import { expect, test } from 'vitest';
import { experimentFlags } from '../src/experiment-flags.ts';

const given = { known: ['01', '02'], env: {} };

test('experimentFlags(): all experiments by default, some by number, a database by flag or variable', () => {
  expect(experimentFlags([], given)).toEqual({
    ids: ['01', '02'],
    quick: false,
    report: false,
    databaseUrl: undefined,
  });
  const env = { TEST_POSTGRES_URL: 'postgres://there' };
  expect(experimentFlags(['02', '--quick'], { ...given, env })).toEqual({
    ids: ['02'],
    quick: true,
    report: false,
    databaseUrl: 'postgres://there',
  });
});

test.each([
  [['05'], "Cannot experiment: each experiment must be one of 01, 02, got '05'"],
  [['--fast'], 'Cannot experiment: unknown flag --fast; --help lists the flags'],
  [['--reprot'], 'Cannot experiment: unknown flag --reprot; did you mean --report?'],
  [['--quick', '--report'], 'Cannot experiment: use --quick or --report, not both'],
  [
    ['--database-url', 'mysql://x'],
    "Cannot experiment: --database-url must be postgres://…, got 'mysql://x'",
  ],
])('experimentFlags() refuses %j', (argv, message) => {
  expect(() => experimentFlags(argv, given)).toThrow(message);
});
