// Gain of `map` by its concurrency, for small tasks; written between the marks of docs/measurements. About a minute.
// `--quick` for a look.
import {
  benchFlags,
  circumstances,
  interleaved,
  median,
  perSecond,
  report,
  table,
  three,
} from '@ticketing/bench-kit';
import { createInProcessDispatcher, type Dispatcher, type TasksOf } from '@ticketing/dispatch';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import { tasksUrl } from './kinds.ts';
import tasks from './tasks.ts';

const WORKERS = 2;
const TASKS = 100_000;
const BURST = { from: 'Atocha', to: 'Sants', at: 1_700_000_000_000, seats: [1, 2, 3] };

const flags = benchFlags({ rounds: 5 }, { quickLengths: { rounds: 1 } });
type Tasks = TasksOf<typeof tasks>;
await using threads = createPiscinaDispatcher<Tasks>(tasksUrl, { max: WORKERS });
await using here = createInProcessDispatcher(tasks);
await Promise.all([threads.ready(), here.ready()]);

interface Way {
  readonly name: string;
  readonly dispatcher: Dispatcher<Tasks>;
  readonly concurrency: number | undefined;
}

const ways: readonly Way[] = [
  { name: 'threads, 4 (twice the workers)', dispatcher: threads, concurrency: 2 * WORKERS },
  { name: 'threads, default: 2 x 64', dispatcher: threads, concurrency: undefined },
  { name: 'threads, 512', dispatcher: threads, concurrency: 512 },
  { name: 'in-process, 2 (twice the workers)', dispatcher: here, concurrency: 2 },
  { name: 'in-process, default: 1024', dispatcher: here, concurrency: undefined },
];
const tookMs = ways.map((): number[] => []);

for (const { item, place, round } of interleaved(ways, { rounds: flags.rounds })) {
  const startedAt = performance.now();
  await mapAll(item);
  if (round >= 0) tookMs[place]?.push(performance.now() - startedAt);
}

const [before = []] = tookMs;
report(
  new URL('../../../docs/measurements/dispatch-piscina.md', import.meta.url),
  [
    circumstances('pnpm --filter @ticketing/dispatch-piscina bench:map', flags),
    `${TASKS.toLocaleString('en')} tasks by \`map\`, each gives back what it got, some 80 bytes; two threads, or this one. Cores shared with other load.`,
    '',
    ...table([
      ['`concurrency`', 'seconds', 'tasks per second', 'ratio to the first'],
      ...ways.map(({ name }, place) => {
        const ms = median(tookMs[place] ?? []);
        const ratio = `${three(ms / median(before))}x`;
        return [name, three(ms / 1000), perSecond(TASKS / (ms / 1000)), ratio];
      }),
    ]),
  ],
  { ...flags, marks: 'map' },
);

/** @throws Error for an outcome that is not the input, or is missing */
async function mapAll({ dispatcher, concurrency }: Way): Promise<void> {
  let count = 0;
  for await (const outcome of dispatcher.map('echo', inputs(), { concurrency })) {
    if (outcome.status === 'rejected') throw outcome.reason;
    count += 1;
  }
  if (count !== TASKS) throw new Error(`Cannot measure: ${count} of ${TASKS} outcomes came`);
}

function* inputs(): Generator<object> {
  for (let index = 0; index < TASKS; index++) yield BURST;
}
