// The fork dispatcher beside other pools of processes; written between the marks in docs/measurements. About 3 minutes.
// `--quick` for a look, `--rounds 30` for more certainty.
import { benchFlags, circumstances, report } from '@ticketing/bench-kit';
import { measureOwnWays } from '@ticketing/dispatch/bench/own-ways';
import { measurePoolCases } from '@ticketing/dispatch/bench/pool-cases';
import { costs, rates, toFastest } from '@ticketing/dispatch/bench/pool-tables';
import { measureStarts } from '@ticketing/dispatch/bench/starts';
import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { kinds, raws, tasksUrl } from './kinds.ts';
import { peers } from './peers.ts';
import type { Tasks } from './tasks.ts';

const flags = benchFlags({ rounds: 9, sliceMs: 100 });
const dispatcher = createForkDispatcher<Tasks>(tasksUrl, { max: 1 });
// First, and closed before the others: their garbage and their types would cost a dispatcher, too, which is alone in a service.
const ownWays = await measureOwnWays(dispatcher, flags);
await dispatcher.close();
const { echoes, burns } = await measurePoolCases(kinds, { ...flags, moves: false });
const rounds = Math.ceil(flags.rounds / 2);
const starts = await measureStarts(kinds, { rounds, memory: 'residentBytes' });

report(
  new URL('../../../docs/measurements/dispatch-fork.md', import.meta.url),
  [
    circumstances('pnpm --filter @ticketing/dispatch-fork bench', flags),
    'The others serialise as JSON, their fastest, which loses what JSON has no text for. One worker each unless said.',
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
      memory: 'resident',
    }),
    '',
    `- 100 B, 64 in flight: ${toFastest(peers, echoes, '100 B, 64')} of the fastest other pool.`,
    `- 10 KB, 64 in flight: ${toFastest(raws, echoes, '10 KB, 64')} of the faster raw \`fork\`.`,
    ...ownWays,
  ],
  flags,
);
