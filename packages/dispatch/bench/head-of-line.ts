import { quantile, table, three } from '@ticketing/bench-kit';
import { stepsPerMs } from './calibrate.ts';
import { openPools, type PoolKind } from './pools.ts';

/** One long task, and callers that each make one short call after the other until it ends. */
interface Scenario {
  readonly longMs: number;
  readonly shortMs: number;
  readonly callers: number;
}

const scenarios: readonly Scenario[] = [
  { longMs: 3000, shortMs: 5, callers: 4 },
  { longMs: 2000, shortMs: 0.1, callers: 60 },
];

const WORKERS = 2;
const WARM_MS = 500;

/** Measures what calls wait that are made beside a task of seconds, with two workers each: a table for each scenario. */
export async function headOfLineTables(
  kinds: readonly PoolKind[],
  { rounds }: { readonly rounds: number },
): Promise<string[]> {
  const steps = stepsPerMs();
  const pools = await openPools(kinds, WORKERS);
  const lines: string[] = [];
  for (const { longMs, shortMs, callers } of scenarios) {
    const found = kinds.map(() => ({ waits: [] as number[], held: 0 }));
    const long = Math.round(longMs * steps);
    const short = Math.round(shortMs * steps);
    for (let round = 0; round < rounds; round++) {
      // Each comes first, last and in between.
      for (let index = 0; index < kinds.length; index++) {
        const place = (index + round) % kinds.length;
        const run = (task: number): Promise<unknown> => pools.run(place, 'burn', task);
        const { waits, held } = await beside(run, { long, short, callers });
        found[place]?.waits.push(...waits);
        if (found[place]) found[place].held += held;
      }
    }
    lines.push(
      `One task of ${longMs} ms, ${callers} callers of tasks of ${shortMs} ms; milliseconds from call to answer:`,
      '',
      ...table([
        ['', 'calls', 'p50', 'p99', 'max', 'held'],
        ...kinds.map(({ name }, place) => {
          const { waits = [], held = 0 } = found[place] ?? {};
          waits.sort((one, other) => one - other);
          const at = [0.5, 0.99, 1].map((share) => three(quantile(waits, share)));
          return [name, String(waits.length), ...at, String(held)];
        }),
      ]),
      '',
    );
  }
  lines.push('"held": calls that took more than half as long as the long task.');
  await pools.close();
  return lines;
}

async function beside(
  run: (steps: number) => Promise<unknown>,
  { long, short, callers }: { long: number; short: number; callers: number },
): Promise<{ readonly waits: readonly number[]; readonly held: number }> {
  const all = async (caller: () => Promise<void>): Promise<void> => {
    await Promise.all(Array.from({ length: callers }, caller));
  };
  const warmUntil = performance.now() + WARM_MS;
  await all(async () => {
    while (performance.now() < warmUntil) await run(short);
  });
  const waits: number[] = [];
  const from = performance.now();
  let tookMs: number | undefined;
  const longest = run(long).then(() => {
    tookMs = performance.now() - from;
  });
  await all(async () => {
    while (tookMs === undefined) {
      const start = performance.now();
      await run(short);
      waits.push(performance.now() - start);
    }
  });
  await longest;
  const half = (tookMs ?? 0) / 2;
  return { waits, held: waits.filter((ms) => ms > half).length };
}
