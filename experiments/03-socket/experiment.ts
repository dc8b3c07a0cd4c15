import { loadCell } from '../src/loading/load-cell.ts';
import { type Answering, proveEqual } from '../src/loading/prove-equal.ts';
import { startDemo } from '../src/programs/start-demo.ts';
import type { Experiment, MeasureContext } from '../src/results/experiment.ts';
import { measureRounds, slicesOf } from '../src/rounds/measure-rounds.ts';
import { type Findings, LOADS, SUBJECTS, type SubjectName, settingOf } from './findings.ts';
import { report } from './report.ts';

/** As in the seed: four workers, and as many clients as workers. */
const WORKERS = 4;
const CLIENTS = 4;
const QUICK_WORKERS = 2;
const HEADER = 'x-user';
/** The seed's socket mode leaves some requests without an answer. */
const TIMEOUT_MS = 3000;
const QUICK_TIMEOUT_MS = 500;
/** The demo asks no carrier here; the address is never called. */
const NO_CARRIERS = ['--carriers-url', 'http://127.0.0.1:9'];
const SEED_SERVER = new URL('seed/seed-server.ts', import.meta.url);

const demos = {
  cluster: ['--accept', 'cluster'],
  socket: ['--accept', 'socket', '--route-by', 'none'],
  socketByHeader: ['--accept', 'socket', '--route-by', `header:${HEADER}`],
  passthru: ['--accept', 'passthru', '--route-by', 'none'],
  passthruByHeader: ['--accept', 'passthru', '--route-by', `header:${HEADER}`],
} satisfies Partial<Record<SubjectName, string[]>>;
const seeds = { seedCluster: 'cluster', seedSocket: 'socket', seedPassthru: 'passthru' } as const;

export const socket: Experiment<Findings> = {
  id: '03',
  folder: new URL('./', import.meta.url),
  question: 'Cluster, passthru or socket?',
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
  const count = quick ? QUICK_WORKERS : WORKERS;
  const workers = String(count);
  const starting = [
    ...Object.entries(demos).map(
      ([name, flags]) =>
        [name, startDemo(programs, [...flags, '--workers', workers, ...NO_CARRIERS])] as const,
    ),
    ...Object.entries(seeds).map(
      ([name, mode]) =>
        [name, programs.start(SEED_SERVER, ['--mode', mode, '--workers', workers])] as const,
    ),
  ];
  const started = await Promise.all(
    starting.map(async ([name, program]): Promise<Answering> => {
      const { url } = await program;
      return { subject: SUBJECTS[name as SubjectName], url };
    }),
  );
  const body = new Uint8Array(1_000_003);
  const sink = { method: 'POST', headers: { [HEADER]: 'proof' }, body };
  await proveEqual(started, { path: '/sink', init: sink, of: JSON.stringify });
  await proveEqual(started, {
    path: '/compute',
    of: (answer) => Object.keys(Object(answer)).join(),
  });

  const loads = quick ? LOADS.filter(({ bodyBytes = 0 }) => bodyBytes < 2e6) : LOADS;
  const cells = loads.flatMap((load) =>
    started.map(({ subject, url }) =>
      loadCell(loader, {
        subject,
        setting: settingOf(load),
        job: {
          url,
          clients: CLIENTS,
          reuse: load.reuse,
          paths: [load.bodyBytes === undefined ? '/compute' : '/sink'],
          clientHeader: HEADER,
          timeoutMs: quick ? QUICK_TIMEOUT_MS : TIMEOUT_MS,
          ...(load.bodyBytes !== undefined && { bodyBytes: load.bodyBytes }),
        },
      }),
    ),
  );
  progress.begin('03 socket', slicesOf(cells.length, rounds));
  const measured = await measureRounds(cells, {
    rounds,
    sliceMs: quick ? 100 : 800,
    onSlice: progress.step,
  });
  return { workers: count, clients: CLIENTS, measured };
}
