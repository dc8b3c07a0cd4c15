import { availableParallelism } from 'node:os';
import { loadCell } from '../src/loading/load-cell.ts';
import { proveEqual } from '../src/loading/prove-equal.ts';
import { startDemo } from '../src/programs/start-demo.ts';
import type { Experiment, MeasureContext } from '../src/results/experiment.ts';
import { measureRounds, slicesOf } from '../src/rounds/measure-rounds.ts';
import { CLUSTER, type Findings, type Load, SINGLE, settingOf } from './findings.ts';
import { report } from './report.ts';
import { servedBy } from './served-by.ts';

const CLIENTS = [1, 2, 20, 50];
const QUICK_CLIENTS = [1, 50];
const PATH = '/compute';
/** The demo asks no carrier here; the address is never called. */
const NO_CARRIERS = ['--carriers-url', 'http://127.0.0.1:9'];

export const cluster: Experiment<Findings> = {
  id: '02',
  folder: new URL('./', import.meta.url),
  question: 'When does a cluster pay?',
  measure,
  report,
};

async function measure({
  programs,
  loader,
  progress,
  quick,
  rounds,
}: MeasureContext): Promise<Findings> {
  const workers = Math.max(2, availableParallelism());
  const ways = {
    [SINGLE]: ['--accept', 'single'],
    [CLUSTER]: ['--accept', 'cluster', '--workers', String(workers)],
  };
  const started: { subject: string; url: string; logs: boolean }[] = [];
  for (const logs of [false, true]) {
    for (const [subject, flags] of Object.entries(ways)) {
      const logging = ['--log-requests', logs ? 'on' : 'off'];
      const { url } = await startDemo(programs, [...flags, ...logging, ...NO_CARRIERS]);
      started.push({ subject, url, logs });
    }
  }
  // The numbers are random, so only the shape of the answers is compared.
  await proveEqual(started, { path: PATH, of: (body) => JSON.stringify(kindsOf(body)) });

  const clients = quick ? QUICK_CLIENTS : CLIENTS;
  const loads: Load[] = [true, false].flatMap((reuse) =>
    [false, true].flatMap((logs) => clients.map((count) => ({ clients: count, logs, reuse }))),
  );
  const cells = loads.flatMap((load) =>
    started
      .filter(({ logs }) => logs === load.logs)
      .map(({ subject, url }) =>
        loadCell(loader, {
          subject,
          setting: settingOf(load),
          job: { url, clients: load.clients, reuse: load.reuse, paths: [PATH] },
        }),
      ),
  );
  progress.begin('02 cluster', slicesOf(cells.length, rounds));
  const measured = await measureRounds(cells, {
    rounds,
    sliceMs: quick ? 150 : 1000,
    onSlice: progress.step,
  });
  const ofCluster = started.find(({ subject, logs }) => subject === CLUSTER && !logs);
  const served = await servedBy(`${ofCluster?.url}${PATH}`, { requests: 8 });
  return { workers, clients, measured, servedBy: served };
}

function kindsOf(body: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Object(body)).map(([key, value]) => [key, typeof value]),
  );
}
