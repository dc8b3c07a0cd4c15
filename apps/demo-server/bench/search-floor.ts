// Processor time of a search beside its floor: the same calls by undici alone, and the same bytes parsed. Writes the table into
// docs/measurements; `--quick` only prints it.
import assert from 'node:assert/strict';
import { benchFlags, median, medianRatio, times } from '@ticketing/bench-kit';
import { createSearch } from '@ticketing/core';
import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
import { createForkDispatcher } from '@ticketing/dispatch-fork';
import type { Answers } from '../src/answers/answers.ts';
import { here } from '../src/answers/here.ts';
import { inWorkers } from '../src/answers/in-workers.ts';
import { carrierTasks, createCarriers } from '../src/carriers/carriers.ts';
import { dispatchedSearch } from '../src/dispatch/dispatched-search.ts';
import { textOf } from '../src/search/search-view.ts';
import { openWorms } from '../src/worms/worm-databases.ts';
import { reportDemo, samplesOf } from './demo-bench.ts';
import { recordFloor } from './floor.ts';
import type { MeasuredTasks } from './search-tasks.ts';
import { ASKED, queries, startSimulator } from './simulator.ts';

const flags = benchFlags({ rounds: 9 }, { quickLengths: { rounds: 3 } });
const IN_FLIGHT = [1, 32] as const;
const SEARCHES = 192;
const deadlineMs = 60_000;

const simulator = await startSimulator();
const settings = { carriersUrl: simulator.url, ouigo: { username: 'bench', password: 'bench' } };
const carriers = createCarriers(settings, Date.now);
const asked = queries();
const floor = await recordFloor(carriers, simulator.url, asked);

const search = createSearch({
  carriers: ASKED.map((name) => carriers.byName[name]),
  http: carriers.http.clientOf,
  deadlineMs,
});
const inProcess = createInProcessDispatcher(defineTasks(carrierTasks(carriers)));
const fork = createForkDispatcher<MeasuredTasks>(new URL('./search-tasks.ts', import.meta.url), {
  max: 1,
  env: { ...process.env, BENCH_SETTINGS: JSON.stringify(settings) },
});
await fork.ready();
const options = {
  flags: { carriers: ASKED, deadlineMs, offload: 'whole' },
  ...{ carriers, now: Date.now },
} as const;
const store = await openWorms({ kind: 'none', url: '' }, { deadlineMs, workers: 1 });
const byFork = here(dispatchedSearch(fork, options), store);

interface Mode {
  readonly name: string;
  readonly answers: Answers;
}
const modes: readonly Mode[] = [
  { name: '`createSearch`', answers: here(search, store) },
  {
    name: 'each carrier by `createInProcessDispatcher`',
    answers: here(dispatchedSearch(inProcess, options), store),
  },
  { name: 'each carrier by `createForkDispatcher`', answers: byFork },
  {
    name: 'the search whole by `createForkDispatcher`',
    answers: inWorkers(byFork, { dispatcher: fork, carriers: ASKED, onEnd() {} }),
  },
];

/** Does one search, of the query at a place. */
type Work = (place: number) => Promise<void>;

const { signal } = new AbortController();
const forms: Readonly<Record<string, (answers: Answers) => Work>> = {
  JSON: (answers) => async (place) => {
    const query = asked[place % asked.length] as (typeof asked)[number];
    const found = await answers.document({ query, order: 'departure' }, { signal, deadlineMs });
    assert.ok(found.carriers.every(({ state }) => state === 'ok'));
  },
  stream: (answers) => async (place) => {
    const query = asked[place % asked.length] as (typeof asked)[number];
    const events = answers.events({ query, order: 'departure' }, { deadlineMs });
    let isComplete = false;
    for await (const event of events) {
      const line = Buffer.from(textOf(event));
      isComplete = line.length > 0 && event.type === 'search-done' && event.complete;
    }
    assert.ok(isComplete);
  },
};

interface Contender {
  readonly name: string;
  readonly form: string;
  readonly inFlight: number;
  readonly work: Work;
}
const contenders: readonly Contender[] = IN_FLIGHT.flatMap((inFlight) => [
  { name: 'floor', form: '', inFlight, work: floor.search },
  ...modes.flatMap(({ name, answers }) =>
    Object.entries(forms).map(([form, workOf]) => ({
      ...{ name, form, inFlight },
      work: workOf(answers),
    })),
  ),
]);

async function processorMs(): Promise<number> {
  const worker = await fork.run('processorMs');
  const { user, system } = process.cpuUsage();
  return worker + (user + system) / 1000;
}

/** Milliseconds of this process and its worker for one search. */
async function measure({ inFlight, work }: Contender): Promise<number> {
  const before = await processorMs();
  let begun = 0;
  const some = async (): Promise<void> => {
    while (begun < SEARCHES) await work(begun++);
  };
  await Promise.all(Array.from({ length: inFlight }, some));
  return ((await processorMs()) - before) / SEARCHES;
}

// Compilers have seen all of it after three rounds.
const took = await samplesOf(contenders, measure, { rounds: flags.rounds, warmUps: 3 });

const of = (name: string, form: string, inFlight: number): readonly number[] =>
  took[
    contenders.findIndex(
      (each) => each.name === name && each.form === form && each.inFlight === inFlight,
    )
  ] ?? [];
const columns = IN_FLIGHT.flatMap((inFlight) =>
  Object.keys(forms).map((form) => ({ inFlight, form })),
);
const rows = [
  [
    `${floor.calls} calls by undici, and the bytes parsed`,
    ...columns.map(({ inFlight }) => `${median(of('floor', '', inFlight)).toFixed(2)} ms`),
  ],
  ...modes.map(({ name }) => [
    name,
    ...columns.map(({ inFlight, form }) => {
      const own = of(name, form, inFlight);
      const ratio = medianRatio(own, of('floor', '', inFlight));
      return `${median(own).toFixed(2)} ms (${times(ratio)})`;
    }),
  ]),
];

await fork.close();
await inProcess.close();
await search.close();
await floor.close();
await carriers.http.close();
simulator.close();

reportDemo(flags, {
  ...{ script: 'bench:floor', marks: 'floor' },
  rows: [['', ...columns.map(({ inFlight, form }) => `${form}, ${inFlight} in flight`)], ...rows],
  before: `A search has ${floor.journeys.toFixed(0)} journeys of ${ASKED.length} carriers.`,
  after: `A round is ${SEARCHES} searches of each; the worker's processor time is part of it, that of the simulator is not.`,
});
