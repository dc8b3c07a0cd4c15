import { createInProcessDispatcher, type Dispatcher } from '@ticketing/dispatch';
import { stepsPerMs } from '@ticketing/dispatch/bench/calibrate';
import { takeSlice } from '@ticketing/dispatch/bench/slices';
import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { createNatsDispatcher } from '@ticketing/dispatch-nats';
import { startNatsServer } from '@ticketing/test-kit';
import type { MeasureContext } from '../../src/results/experiment.ts';
import {
  type Cell,
  type Measured,
  measureRounds,
  slicesOf,
} from '../../src/rounds/measure-rounds.ts';
import { COSTS, WAYS } from '../findings.ts';
import module, { type CostTasks } from './tasks.ts';

const HOSTS = 2;
const FLEET = 'cost';

/** Measures what a call costs its caller in each way: calls per second, processor time of the caller's thread, time to the answer. */
export async function measureCost(context: MeasureContext): Promise<Measured[]> {
  const { programs, progress, quick, rounds } = context;
  await using nats = await startNatsServer();
  for (let host = 0; host < HOSTS; host += 1) {
    await programs.start(new URL('cost-host.ts', import.meta.url), [nats.url, FLEET]);
  }
  const steps = stepsPerMs();
  const ways: Readonly<Record<keyof typeof WAYS, Dispatcher<CostTasks>>> = {
    here: createInProcessDispatcher(module),
    fork: createForkDispatcher<CostTasks>(new URL('tasks.ts', import.meta.url), { max: HOSTS }),
    fleet: createNatsDispatcher<CostTasks>({ nats: { servers: nats.url }, fleet: FLEET }),
  };
  try {
    const cells = (Object.keys(WAYS) as (keyof typeof WAYS)[]).flatMap((way): Cell[] => {
      const dispatcher = ways[way];
      const run: Record<keyof typeof COSTS, () => Promise<unknown>> = {
        alone: () => dispatcher.run('echo', 1),
        many: () => dispatcher.run('echo', 1),
        records: () => dispatcher.run('records', undefined),
        burn: () => dispatcher.run('burn', Math.round(COSTS.burn.ms * steps)),
      };
      return (Object.keys(COSTS) as (keyof typeof COSTS)[]).map((cost) => ({
        subject: WAYS[way],
        setting: COSTS[cost].name,
        async measure(sliceMs) {
          const { inFlight } = COSTS[cost];
          const { perSecond, cpuUs } = await takeSlice(run[cost], { inFlight, sliceMs });
          return { perSecond, cpuUs, meanMs: (1000 * inFlight) / perSecond };
        },
      }));
    });
    await Promise.all(Object.values(ways).map((dispatcher) => dispatcher.ready()));
    await proveAlike(Object.values(ways));
    progress.begin('05 cost', slicesOf(cells.length, rounds));
    return await measureRounds(cells, {
      rounds,
      sliceMs: quick ? 100 : 600,
      onSlice: progress.step,
    });
  } finally {
    await Promise.all(Object.values(ways).map((dispatcher) => dispatcher.close()));
  }
}

async function proveAlike(ways: readonly Dispatcher<CostTasks>[]): Promise<void> {
  const answers = await Promise.all(
    ways.map(async (way) =>
      JSON.stringify([await way.run('echo', 7), await way.run('records', undefined)]),
    ),
  );
  if (new Set(answers).size !== 1) throw new Error('Cannot compare: the ways answer differently');
}
