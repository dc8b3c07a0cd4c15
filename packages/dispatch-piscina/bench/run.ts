// The piscina dispatcher beside piscina and other pools of threads; written between the marks in README.md. About
// 4 minutes. `--quick` for a look, `--rounds 30` for more certainty.
import { benchFlags, circumstances, report } from '@ticketing/bench-kit';
import { stepsPerMs } from '@ticketing/dispatch/bench/calibrate';
import { measureOwnWays } from '@ticketing/dispatch/bench/own-ways';
import { recordsOf, smallRecord } from '@ticketing/dispatch/bench/payloads';
import { type Case, costs, rates, toFastest } from '@ticketing/dispatch/bench/pool-tables';
import { openPools } from '@ticketing/dispatch/bench/pools';
import { measureStarts } from '@ticketing/dispatch/bench/starts';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import { kinds, tasksUrl } from './kinds.ts';
import { piscinas } from './peers.ts';
import type { Tasks } from './tasks.ts';

const flags = benchFlags({ rounds: 9, sliceMs: 80 });
const steps = stepsPerMs();
const echoes: Case[] = [];
const burns: Case[] = [];

const one = await openPools(kinds, 1);
for (const [size, input, inFlights] of [
  ['100 B', smallRecord(), [1, 64]],
  ['10 KB', recordsOf(10_000), [1, 64]],
  ['1 MB', recordsOf(1_000_000), [1, 4]],
] as const) {
  for (const inFlight of inFlights) {
    const measured = await one.measure('echo', input, { ...flags, inFlight });
    echoes.push({ title: `${size}, ${inFlight}`, measured });
  }
}
const passed = await one.measurePassing(1_000_000, { ...flags, inFlight: 16 });
echoes.push({ title: '1 MB moved, 16', measured: passed });
for (const ms of [0, 0.2, 1, 5, 20]) {
  const measured = await one.measure('burn', Math.round(ms * steps), { ...flags, inFlight: 8 });
  burns.push({ title: `${ms} ms`, measured });
}
await one.close();

const two = await openPools(kinds, 2);
const measured = await two.measure('burn', Math.round(5 * steps), { ...flags, inFlight: 8 });
burns.push({ title: '5 ms, 2 workers', measured });
await two.close();

await using dispatcher = createPiscinaDispatcher<Tasks>(tasksUrl, { max: 1 });
const ownWays = await measureOwnWays(dispatcher, flags);
const rounds = Math.ceil(flags.rounds / 2);
const starts = await measureStarts(kinds, { rounds, memory: 'heapBytes' });

report(
  new URL('../README.md', import.meta.url),
  [
    circumstances('pnpm --filter @ticketing/dispatch-piscina bench', flags),
    'One worker each unless said; piscina and tinypool with 64 concurrent tasks a worker.',
    '',
    'Tasks a second that give back what they got, by its size and the tasks in flight; in brackets the ratio to the dispatcher:',
    '',
    ...rates(kinds, echoes),
    '',
    'Tasks a second that take so much CPU, 8 in flight:',
    '',
    ...rates(kinds, burns),
    '',
    "CPU of the parent's thread for a task, time from creation to the first answer, memory of a worker:",
    '',
    ...costs(kinds, {
      cases: echoes.filter(({ title }) => title.endsWith('64')),
      starts,
      memory: 'heap',
    }),
    '',
    `- To the fastest of piscina's ways: ${toFastest(piscinas, echoes, '100 B, 64')} at 100 B, ` +
      `${toFastest(piscinas, echoes, '10 KB, 64')} at 10 KB, 64 in flight; ${toFastest(piscinas, burns, '5 ms')} at 5 ms of CPU.`,
    ...ownWays,
  ],
  flags,
);
