// Processor time and bytes per guarded call that succeeds, of this library and others, interleaved in one process. Writes the tables
// between the marks in docs/measurements. `--quick` only prints them.
import v8 from 'node:v8';
import {
  benchFlags,
  circumstances,
  interleaved,
  median,
  medianRatio,
  report,
  table,
  times,
} from '@ticketing/bench-kit';
import { type Call, contenders, createWide, prove, type Run, shutDown } from './contenders.ts';

const flags = benchFlags({ rounds: 24 }, { quickLengths: { rounds: 4 } });
/** So many that the processor time is above its granularity, of some milliseconds. */
const CALLS = 50_000;
const WARM_UPS = 2;
/** So few that no collection comes between two readings of the heap. */
const HEAP_CALLS = 256;
const AT_ONCE = 64;

const answered: Call = async () => 'found';
/** An answer of the next turn of the event loop, as any from a socket. */
const awaited: Call = () => new Promise((resolve) => setImmediate(resolve, 'found'));

/** Loads: the call that each guards, and how calls follow each other. */
const loads = {
  alone: {
    call: answered,
    async run(run: Run, calls: number): Promise<void> {
      for (let call = 0; call < calls; call += 1) await run();
    },
  },
  atOnce: {
    call: awaited,
    async run(run: Run, calls: number): Promise<void> {
      const some: Promise<string>[] = [];
      for (let call = 0; call < calls; call += AT_ONCE) {
        for (let each = 0; each < AT_ONCE; each += 1) some.push(run());
        await Promise.all(some);
        some.length = 0;
      }
    },
  },
} as const;
type Load = keyof typeof loads;
const LOADS: readonly Load[] = ['alone', 'atOnce'];

async function cpuNs(run: Run, load: Load): Promise<number> {
  globalThis.gc?.();
  const before = process.threadCpuUsage();
  await loads[load].run(run, CALLS);
  const { user, system } = process.threadCpuUsage(before);
  return (1000 * (user + system)) / CALLS;
}

async function heapBytes(run: Run, load: Load): Promise<number> {
  globalThis.gc?.();
  const before = v8.getHeapStatistics().used_heap_size;
  await loads[load].run(run, HEAP_CALLS);
  return (v8.getHeapStatistics().used_heap_size - before) / HEAP_CALLS;
}

for (const contender of contenders) await prove(contender);
const entries = contenders.map((contender) => ({
  alone: createWide(contender, loads.alone.call),
  atOnce: createWide(contender, loads.atOnce.call),
}));
const measured = contenders.map(() => ({
  alone: { ns: [] as number[], bytes: [] as number[] },
  atOnce: { ns: [] as number[], bytes: [] as number[] },
}));
const turns = interleaved(entries, { rounds: flags.rounds, warmUps: WARM_UPS });
for (const { item, place, round } of turns) {
  for (const load of LOADS) {
    const [ns, bytes] = [await cpuNs(item[load], load), await heapBytes(item[load], load)];
    if (round < 0) continue;
    measured[place]?.[load].ns.push(ns);
    measured[place]?.[load].bytes.push(bytes);
  }
}
shutDown();

const [bare, own] = measured;
function rowsOf(load: Load): string[][] {
  return contenders.map(({ name }, place) => {
    const { ns, bytes } = measured[place]?.[load] ?? { ns: [], bytes: [] };
    return [
      name,
      `${(median(ns) / 1000).toFixed(2)} µs`,
      times(medianRatio(ns, own?.[load].ns ?? [])),
      `${(median(bytes) - median(bare?.[load].bytes ?? [])).toFixed(0)} B`,
    ];
  });
}
const head = [
  '',
  'processor time per call',
  'to the guard with all parts',
  'memory per call, above the bare one',
];
report(
  new URL('../../../docs/measurements/resilience.md', import.meta.url),
  [
    '### Answers that are there at once, one call after the other',
    '',
    ...table([head, ...rowsOf('alone')]),
    '',
    `### Answers of the next turn of the event loop, ${AT_ONCE} calls at a time`,
    '',
    ...table([head, ...rowsOf('atOnce')]),
    '',
    `${circumstances('pnpm --filter @ticketing/resilience bench', flags)} Each part of each row was shown to work before.`,
    'The processor time has the collection of its garbage; memory is what calls allocate before a collection.',
  ],
  { quick: flags.quick },
);
process.exit();
