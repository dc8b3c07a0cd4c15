import { availableParallelism } from 'node:os';
import { loadCell } from '../src/loading/load-cell.ts';
import { journeyIds, proveEqual } from '../src/loading/prove-equal.ts';
import type { Experiment, MeasureContext } from '../src/results/experiment.ts';
import { type Cell, figureOf, measureRounds, slicesOf } from '../src/rounds/measure-rounds.ts';
import { decodeTimes } from './decode-times.ts';
import { DISPATCHES, type Findings, HERE, LARGE, shareSetting, sizeSetting } from './findings.ts';
import { report } from './report.ts';
import { SMALL, startSubjects } from './subjects.ts';

const SIZES = [SMALL, 0.1, 0.3, 1, LARGE, 6];
const QUICK_SIZES = [SMALL, LARGE];
const SHARES = [0.5, 1, 1.5];
const QUICK_SHARES = [1];
const QUICK_DISPATCHES = ['fork', 'piscina'] as const;
const CLIENTS = 4;
const BESIDE = { path: '/healthz', perSecond: 100 };

export const decode: Experiment<Findings> = {
  id: '06',
  folder: new URL('./', import.meta.url),
  question: 'From which size of an answer does a thread pay?',
  measure,
  report,
};

async function measure(context: MeasureContext): Promise<Findings> {
  const { loader, progress, quick, rounds } = context;
  const workers = availableParallelism();
  const dispatches = quick ? QUICK_DISPATCHES : DISPATCHES;
  const sizes = quick ? QUICK_SIZES : SIZES;
  const shares = quick ? QUICK_SHARES : SHARES;
  const { demos, answerIn } = await startSubjects(context, { dispatches, workers });
  // The same day for all searches, also when midnight passes; with a time each search is one call.
  const date = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  const path = `/search?origin=uic:8503000&destination=uic:8507000&date=${date}&time=08:00`;
  for (const megabytes of sizes) {
    await answerIn(megabytes);
    await proveEqual(demos, { path, of: journeyIds });
  }

  const load = { reuse: true, paths: [path], clients: CLIENTS, beside: BESIDE };
  const bySize = sizes.flatMap((megabytes) =>
    demos.map(({ subject, url }): Cell => {
      const setting = sizeSetting(megabytes);
      const cell = loadCell(loader, { subject, setting, job: { ...load, url } });
      return { ...cell, measure: (ms) => answerIn(megabytes).then(() => cell.measure(ms)) };
    }),
  );
  const cells = bySize.length + shares.length * demos.length;
  progress.begin('06 decode', slicesOf(cells, rounds));
  const how = { rounds, onSlice: progress.step, sliceMs: quick ? 100 : 400 };
  const measured = await measureRounds(bySize, how);

  const here = measured.find(
    ({ subject, setting }) => subject === HERE && setting === sizeSetting(LARGE),
  );
  if (here === undefined) throw new Error('Cannot measure: a cell is missing');
  const once = figureOf(here, 'perSecond');
  await answerIn(LARGE);
  const byRate = shares.flatMap((share) =>
    demos.map(({ subject, url }) => {
      const job = { ...load, url, perSecond: share * once };
      return loadCell(loader, { subject, setting: shareSetting(share), job });
    }),
  );
  const rising = await measureRounds(byRate, how);
  const ways = { dispatches, workers, clients: CLIENTS };
  return { ...ways, sizes, decodeMs: decodeTimes(sizes), measured, once, shares, rising };
}
