// Wait of short calls beside a long one; written between the marks of docs/measurements. About a minute. `--quick` for a look.
import { benchFlags, circumstances, report } from '@ticketing/bench-kit';
import { headOfLineTables } from '@ticketing/dispatch/bench/head-of-line';
import { dispatcherKind } from './kinds.ts';
import { peers, stealingPoolifier } from './peers.ts';

const flags = benchFlags({ rounds: 3 }, { quickLengths: { rounds: 1 } });
const workerpool = peers.filter(({ name }) => name === 'workerpool');
const kinds = [
  dispatcherKind('fork dispatcher'),
  dispatcherKind('fork dispatcher, `window: 1`', { window: 1 }),
  ...workerpool,
  stealingPoolifier,
];

report(
  new URL('../../../docs/measurements/dispatch-fork.md', import.meta.url),
  [
    circumstances('pnpm --filter @ticketing/dispatch-fork bench:head-of-line', flags),
    'Two workers each.',
    '',
    ...(await headOfLineTables(kinds, flags)),
  ],
  { ...flags, marks: 'head-of-line' },
);
