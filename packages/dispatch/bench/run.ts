// What the in-process dispatcher adds to a call of the function; written between the marks in docs/measurements. About 50 s.
// `--quick` for a look, `--rounds 60` for more certainty.
import assert from 'node:assert/strict';
import { benchFlags, circumstances, median, perSecond, report, table } from '@ticketing/bench-kit';
import { createInProcessDispatcher, defineTasks } from '../src/index.ts';
import { smallRecord } from './payloads.ts';
import { type Contender, type Measured, measureSlices } from './slices.ts';
import { echo } from './work.ts';

const flags = benchFlags({ rounds: 15, sliceMs: 200 });
const input = smallRecord();
const dispatcher = createInProcessDispatcher(defineTasks({ echo }));
await dispatcher.ready();

/** Outside, so that no compiler finds it unused. */
let signal: AbortSignal;
const contenders: Contender[] = [
  { name: 'the function, awaited', run: async () => await echo(input) },
  {
    name: '… and a signal made',
    run: async () => {
      signal = new AbortController().signal;
      return await echo(input);
    },
  },
  { name: 'dispatcher', run: () => dispatcher.run('echo', input) },
  {
    name: '… with `signal` and `timeoutMs`',
    run: () => {
      signal = new AbortController().signal;
      return dispatcher.run('echo', input, { signal, timeoutMs: 10_000 });
    },
  },
];
/** Baseline of each: the work of a caller without a dispatcher. */
const bases = [0, 0, 0, 1];
for (const { name, run } of contenders) assert.equal(await run(), input, name);

const cases: { readonly inFlight: number; readonly measured: readonly Measured[] }[] = [];
for (const inFlight of [1, 64]) {
  const measured = await measureSlices(contenders, { ...flags, inFlight });
  cases.push({ inFlight, measured });
}
await dispatcher.close();

/** Microseconds that a call takes longer than its base, in the middle of the rounds. */
function addedUs(measured: readonly Measured[], row: number): number {
  const own = measured[row]?.rounds ?? [];
  const base = measured[bases[row] ?? 0]?.rounds ?? [];
  return median(own.map((each, round) => 1e6 / each - 1e6 / (base[round] ?? 0)));
}

const rows = contenders.map(({ name }, row) => [
  name,
  ...cases.flatMap(({ measured }) => [
    `${perSecond(measured[row]?.perSecond ?? 0)}/s`,
    row < 2 ? '' : `${addedUs(measured, row).toFixed(2)} µs`,
  ]),
]);
const head = cases.flatMap(({ inFlight }) => [`${inFlight} in flight`, 'added to a call']);
report(
  new URL('../../../docs/measurements/dispatch.md', import.meta.url),
  [
    circumstances('pnpm --filter @ticketing/dispatch bench', flags),
    '',
    ...table([['', ...head], ...rows]),
  ],
  flags,
);
