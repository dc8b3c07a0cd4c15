// `/compute` served by a cluster of ours, by plain node:cluster, by throng and by pm2; written between the marks in
// README.md. Under 6 minutes. `--quick` for a look of one, `--rounds 20` for more certainty.
import { availableParallelism } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import {
  benchFlags,
  circumstances,
  interleaved,
  median,
  medianRatio,
  perSecond,
  report,
  table,
  times,
} from '@ticketing/bench-kit';
import { startLoad } from '../stress/load.ts';
import { type Contender, type Kind, kinds, type Setting, startContender } from './contenders.ts';

const asked = benchFlags({ rounds: 11, sliceMs: 400 });
// Shorter rounds would measure the time to connect.
const flags = { ...asked, sliceMs: Math.max(300, asked.sliceMs) };
const connectionCounts = [1, 2, 20, 50];
// One worker leaves a core to this program, which makes the load; more than there are cores measure the scheduler.
const settings: readonly Setting[] = [1, Math.max(2, availableParallelism())].flatMap((workers) =>
  [false, true].map((logs) => ({ workers, logs })),
);

/** Requests per second by kind, one number per round. */
type Rates = ReadonlyMap<Kind, readonly number[]>;

async function rateOf({ kind, url }: Contender, connections: number): Promise<number> {
  const started = performance.now();
  const load = startLoad(url, connections);
  await setTimeout(flags.sliceMs);
  const { answered, failures } = await load.stop();
  const seconds = (performance.now() - started) / 1000;
  if (Object.keys(failures).length > 0) {
    throw new Error(`Cannot measure ${kind}: ${JSON.stringify(failures)}`);
  }
  return answered / seconds;
}

async function measure(setting: Setting): Promise<ReadonlyMap<number, Rates>> {
  const contenders: Contender[] = [];
  const measured = new Map(
    connectionCounts.map((count) => [count, new Map(kinds.map((kind) => [kind, [] as number[]]))]),
  );
  try {
    for (const kind of kinds) contenders.push(await startContender(kind, setting));
    const cells = connectionCounts.flatMap((connections) =>
      contenders.map((contender) => ({ contender, connections })),
    );
    for (const { item, round } of interleaved(cells, flags)) {
      const { contender, connections } = item;
      const rate = await rateOf(contender, connections);
      if (round >= 0) measured.get(connections)?.get(contender.kind)?.push(rate);
    }
  } finally {
    await Promise.all(contenders.map((contender) => contender.close()));
  }
  return measured;
}

/** Ratio to node:cluster in the same round. */
function ratio(rates: Rates, kind: Kind): number {
  return medianRatio(rates.get(kind) ?? [], rates.get('node-cluster') ?? []);
}

const rows: string[][] = [['workers, connections, logging', ...kinds]];
const ours: number[] = [];
for (const setting of settings) {
  for (const [connections, rates] of await measure(setting)) {
    const title = `${setting.workers}, ${connections}, ${setting.logs ? 'on' : 'off'}`;
    ours.push(ratio(rates, 'dispatch-cluster'));
    rows.push([
      title,
      ...kinds.map((kind) => {
        const rate = perSecond(median(rates.get(kind) ?? []));
        return kind === 'node-cluster' ? rate : `${rate} (${times(ratio(rates, kind))})`;
      }),
    ]);
  }
}

report(
  new URL('../../../docs/measurements/dispatch-cluster.md', import.meta.url),
  [
    circumstances('pnpm --filter @ticketing/dispatch-cluster bench', flags),
    'Requests of `/compute` a second, over connections that are kept; in brackets the ratio to node:cluster in the same round.',
    '',
    ...table(rows),
    '',
    `Beside plain node:cluster: ${times(median(ours))} in the median of all rows, ${times(Math.min(...ours))} in the worst.`,
  ],
  flags,
);
