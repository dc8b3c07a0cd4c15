// Which dispatcher when: the same tasks in this process, in two processes and in two threads; written between the marks
// in docs/choosing.md. About 3 minutes. `--quick` for a look, `--rounds 15` for more certainty.
import assert from 'node:assert/strict';
import { benchFlags, circumstances, perSecond, report, table } from '@ticketing/bench-kit';
import { createInProcessDispatcher, type Dispatcher } from '@ticketing/dispatch';
import { stepsPerMs } from '@ticketing/dispatch/bench/calibrate';
import { recordsOf } from '@ticketing/dispatch/bench/payloads';
import { burn } from '@ticketing/dispatch/bench/work';
import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import { type ChoiceCase, measureChoice, type Outcome } from './choosing-cases.ts';
import tasks, { type Tasks } from './choosing-tasks.ts';

const flags = benchFlags({ rounds: 5, sliceMs: 300 });
const steps = stepsPerMs();
const module = new URL('./choosing-tasks.ts', import.meta.url);
const dispatchers: readonly Dispatcher<Tasks>[] = [
  createInProcessDispatcher(tasks),
  createForkDispatcher<Tasks>(module, { max: 2 }),
  createPiscinaDispatcher<Tasks>(module, { max: 2 }),
];

const expected = recordsOf(1000);
for (const dispatcher of dispatchers) {
  await dispatcher.ready();
  const input = { steps: 10, bytes: 1000 };
  assert.equal(await dispatcher.run('burn', 10), burn(10));
  assert.deepEqual(await dispatcher.run('object', input), expected);
  assert.deepEqual(JSON.parse(String(await dispatcher.run('rawJson', input))), expected);
  const bytes = await dispatcher.run('bytes', input);
  assert.deepEqual(JSON.parse(new TextDecoder().decode(bytes)), expected);
}

type Row = readonly [title: string, outcomes: readonly Outcome[]];

async function row(choice: ChoiceCase): Promise<Row> {
  return [choice.title, await measureChoice(dispatchers, choice, flags)];
}

const CPU_MS = [0, 0.1, 0.2, 0.5, 1, 2, 5, 20];
const byCpu: Row[] = [];
for (const ms of CPU_MS) {
  const count = Math.round(ms * steps);
  const run = (dispatcher: Dispatcher<Tasks>) => dispatcher.run('burn', count);
  byCpu.push(await row({ title: `${ms} ms of CPU`, inFlight: 64, run }));
}
byCpu.push(
  await row({
    title: '50 ms of waiting',
    inFlight: 64,
    run: (dispatcher) => dispatcher.run('wait', 50),
  }),
);

const bySize: Row[] = [];
for (const [size, bytes] of [
  ['1 KB', 1e3],
  ['10 KB', 1e4],
  ['100 KB', 1e5],
  ['1 MB', 1e6],
] as const) {
  for (const [form, task] of [
    ['object', 'object'],
    ['`rawJson`', 'rawJson'],
    ['bytes, `transferred`', 'bytes'],
  ] as const) {
    const input = { steps: Math.round(steps), bytes };
    const run = (dispatcher: Dispatcher<Tasks>) => dispatcher.run(task, input);
    bySize.push(await row({ title: `${size}, ${form}`, inFlight: 16, run }));
  }
}
for (const dispatcher of dispatchers) await dispatcher.close();

function cells(rows: readonly Row[], head: string): string[] {
  return table([
    [head, ...dispatchers.map(({ kind }) => kind)],
    ...rows.map(([title, outcomes]) => [
      title,
      ...outcomes.map(
        (each) => `${perSecond(each.perSecond)}/s, ${short(each.p50Ms)} / ${short(each.p99Ms)} ms`,
      ),
    ]),
  ]);
}

/** Finer than a tenth of a millisecond is chance. */
function short(ms: number): string {
  return ms < 9.95 ? ms.toFixed(1) : ms.toFixed(0);
}

/** From how much CPU a task on a dispatcher does better than the first, as text; between two rows by their logarithms. */
function crossover(place: number, gain: (own: Outcome, first: Outcome) => number): string {
  const gains = CPU_MS.map((_, index) => {
    const outcomes = byCpu[index]?.[1] ?? [];
    return Math.log(gain(outcomes[place] as Outcome, outcomes[0] as Outcome));
  });
  // The last loss counts: what is better only below it is chance.
  const after = gains.findLastIndex((each) => each < 0) + 1;
  const high = CPU_MS[after];
  if (high === undefined) return `not up to ${CPU_MS.at(-1)} ms`;
  const low = CPU_MS[after - 1];
  if (!low) return low === undefined ? 'at once' : `below ${high} ms`;
  const [loss = 0, win = 0] = [gains[after - 1], gains[after]];
  return `from ${Number((low * (high / low) ** (loss / (loss - win))).toPrecision(1))} ms`;
}

const faster = (own: Outcome, first: Outcome) => own.perSecond / first.perSecond;
const calmer = (own: Outcome, first: Outcome) => first.p99Ms / own.p99Ms;
report(
  new URL('../../../docs/choosing.md', import.meta.url),
  [
    circumstances('pnpm --filter demo-server bench:choosing', flags),
    "Two workers each. Tasks per second, and by how much a timer of a millisecond in the caller's process was late (p50 / p99).",
    '',
    ...cells(byCpu, '64 in flight, small answers'),
    '',
    `More tasks per second than in-process: fork ${crossover(1, faster)} of CPU per task, piscina ${crossover(2, faster)}. ` +
      `Event loop less late at p99: fork ${crossover(1, calmer)}, piscina ${crossover(2, calmer)}.`,
    '',
    ...cells(bySize, '16 in flight, 1 ms of CPU'),
  ],
  flags,
);
