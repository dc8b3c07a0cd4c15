import { availableParallelism } from 'node:os';
import { stepsPerMs } from '@ticketing/dispatch/bench/calibrate';
import { loadCell } from '../src/loading/load-cell.ts';
import { journeyIds, proveEqual } from '../src/loading/prove-equal.ts';
import type { Experiment, MeasureContext } from '../src/results/experiment.ts';
import { measureRounds, slicesOf } from '../src/rounds/measure-rounds.ts';
import { burnSetting, type Findings, SEARCH, WAIT } from './findings.ts';
import { report } from './report.ts';
import { startSubjects } from './subjects.ts';

/** As the seed's `loadtest -c 10`. */
const SEED_CLIENTS = 10;
/** Fewer, since each of these searches takes much CPU. */
const BURN_CLIENTS = 6;
const QUICK_CLIENTS = 3;
const CPU_MS = [0, 1, 2, 5, 10, 20, 50];
const QUICK_CPU_MS = [0, 20];
const SEARCH_PATH = '/search?origin=Atocha&destination=Barcelona';
const BESIDE = { path: '/healthz', perSecond: 50 };

export const oneChildPerCarrier: Experiment<Findings> = {
  id: '01',
  folder: new URL('./', import.meta.url),
  question: 'Does a child process per carrier pay?',
  measure,
  report,
};

async function measure(context: MeasureContext): Promise<Findings> {
  const { loader, progress, quick, rounds } = context;
  const workers = availableParallelism();
  const steps = stepsPerMs();
  const cpuMs = quick ? QUICK_CPU_MS : CPU_MS;
  const clients = {
    waiting: quick ? QUICK_CLIENTS : SEED_CLIENTS,
    burning: quick ? QUICK_CLIENTS : BURN_CLIENTS,
  };
  const { ways, demos } = await startSubjects(context, workers);
  await proveEqual([...ways, ...demos], { path: SEARCH_PATH, of: journeyIds });
  await proveEqual(ways, { path: '/burn?steps=10', of: JSON.stringify });
  await proveEqual(ways, { path: '/wait?ms=1', of: JSON.stringify });

  const load = { reuse: true, beside: BESIDE };
  const waiting = [
    ...ways.map(({ subject, url }) => ({ subject, url, setting: WAIT, path: '/wait?ms=50' })),
    ...[...ways, ...demos].map((each) => ({ ...each, setting: SEARCH, path: SEARCH_PATH })),
  ].map(({ subject, setting, url, path }) =>
    loadCell(loader, {
      subject,
      setting,
      job: { ...load, url, paths: [path], clients: clients.waiting },
    }),
  );
  const burning = cpuMs.flatMap((ms) =>
    ways.map(({ subject, url }) =>
      loadCell(loader, {
        subject,
        setting: burnSetting(ms),
        job: {
          ...load,
          url,
          paths: [`/burn?steps=${Math.round(ms * steps)}`],
          clients: clients.burning,
        },
      }),
    ),
  );
  progress.begin('01 one child per carrier', slicesOf(waiting.length + burning.length, rounds));
  const how = { rounds, onSlice: progress.step };
  return {
    workers,
    clients,
    cpuMs,
    waiting: await measureRounds(waiting, { ...how, sliceMs: quick ? 50 : 1000 }),
    burning: await measureRounds(burning, { ...how, sliceMs: quick ? 50 : 400 }),
  };
}
