// The piscina dispatcher beside piscina and other pools of threads; written between the marks in docs/measurements. About
// 4 minutes. `--quick` for a look, `--rounds 30` for more certainty.
import { benchFlags, circumstances, report } from '@ticketing/bench-kit';
import { measureOwnWays } from '@ticketing/dispatch/bench/own-ways';
import { measurePoolCases } from '@ticketing/dispatch/bench/pool-cases';
import { costs, rates, toFastest } from '@ticketing/dispatch/bench/pool-tables';
import { measureStarts } from '@ticketing/dispatch/bench/starts';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import { kinds, tasksUrl } from './kinds.ts';
import { piscinas } from './peers.ts';
import type { Tasks } from './tasks.ts';

const flags = benchFlags({ rounds: 9, sliceMs: 80 });
const dispatcher = createPiscinaDispatcher<Tasks>(tasksUrl, { max: 1 });
// First, and closed before the others: their garbage and their types would cost a dispatcher, too, which is alone in a service.
const ownWays = await measureOwnWays(dispatcher, flags);
await dispatcher.close();
const { echoes, burns } = await measurePoolCases(kinds, { ...flags, moves: true });
const rounds = Math.ceil(flags.rounds / 2);
const starts = await measureStarts(kinds, { rounds, memory: 'heapBytes' });

report(
  new URL('../../../docs/measurements/dispatch-piscina.md', import.meta.url),
  [
    circumstances('pnpm --filter @ticketing/dispatch-piscina bench', flags),
    'One worker each unless said; piscina and tinypool with 64 concurrent tasks per worker.',
    '',
    'Tasks per second that give back what they got, by its size and the tasks in flight; in brackets the ratio to the dispatcher:',
    '',
    ...rates(kinds, echoes),
    '',
    'Tasks per second that take so much CPU, 8 in flight:',
    '',
    ...rates(kinds, burns),
    '',
    "CPU of the parent's thread and of the worker's for a task, time from creation to the first answer, memory of a worker:",
    '',
    ...costs(kinds, {
      cases: echoes.filter(({ title }) => !title.startsWith('1 MB')),
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
