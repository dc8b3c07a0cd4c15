import { loadCell } from '../src/loading/load-cell.ts';
import { type Answering, journeyIds, proveEqual } from '../src/loading/prove-equal.ts';
import { type Carriers, startCarriers } from '../src/programs/start-carriers.ts';
import type { Experiment, MeasureContext } from '../src/results/experiment.ts';
import { type Cell, measureRounds, slicesOf } from '../src/rounds/measure-rounds.ts';
import { DRAWS, type Findings, QUERIES } from './findings.ts';
import { askPublished } from './published-queue.ts';
import { report } from './report.ts';
import { searchPaths } from './search-paths.ts';
import { startQueues, startSeveral, startSingles } from './subjects.ts';
import { counting, queriesAt } from './upstream.ts';

/** The seed's: `ab -c 300`, 1,000,000 documents. */
const CLIENTS = 300;
const QUICK_CLIENTS = 60;
const DOCUMENTS = 1_000_000;
const QUICK_DOCUMENTS = 20_000;
const WORKERS = 4;
const QUICK_WORKERS = 2;
const CALL_MS = 50;

export const batching: Experiment<Findings> = {
  id: '04',
  folder: new URL('./', import.meta.url),
  question: 'What does request batching gain?',
  measure,
  report,
};

async function measure(context: MeasureContext): Promise<Findings> {
  const { programs, progress, quick, rounds, databaseUrl } = context;
  const documents = quick ? QUICK_DOCUMENTS : DOCUMENTS;
  const workers = quick ? QUICK_WORKERS : WORKERS;
  const clients = quick ? QUICK_CLIENTS : CLIENTS;
  const carriers = await startCarriers(programs, { latencyMs: CALL_MS });
  const queues = await startQueues(context, documents);
  const singles = await startSingles(context, documents);
  const several = await startSeveral(context, {
    documents,
    workers,
    carriersUrl: carriers.url,
  });
  for (const { path } of Object.values(QUERIES)) {
    await proveEqual(queues.lasting, { path, of: JSON.stringify });
    await proveEqual([...singles, ...several], { path, of: JSON.stringify });
  }
  const paths = searchPaths(Date.now());
  const callsOfSearch = await callsOf(several, { paths, carriers });

  const ones = [...queues.lasting, ...singles];
  const cells = {
    single: wormCells(context, ones, clients),
    alone: wormCells(context, ones, 1),
    several: wormCells(context, several, clients).map((cell) => {
      const { url = '' } = several.find(({ subject }) => subject === cell.subject) ?? {};
      return counting(cell, () => queriesAt(url));
    }),
    chain: chainCells(context, several, { clients, paths }).map((cell) =>
      counting(cell, async () => (await carriers.calls()) / callsOfSearch),
    ),
  };
  progress.begin('04 batching', slicesOf(Object.values(cells).flat().length, rounds));
  const of = (each: readonly Cell[], sliceMs: number) =>
    measureRounds(each, { rounds, sliceMs: quick ? 100 : sliceMs, onSlice: progress.step });
  return {
    documents,
    clients,
    workers,
    postgres: databaseUrl !== undefined,
    keys: paths.length,
    single: await of(cells.single, 1000),
    alone: await of(cells.alone, 400),
    several: await of(cells.several, 1000),
    chain: await of(cells.chain, 1500),
    published: await askPublished(queues.published.url + QUERIES.whole.path),
  };
}

function wormCells(
  { loader }: MeasureContext,
  asked: readonly Answering[],
  clients: number,
): Cell[] {
  return Object.values(QUERIES).flatMap(({ name, path }) =>
    asked.map(({ subject, url }) =>
      loadCell(loader, {
        subject,
        setting: name,
        job: { url, clients, reuse: true, paths: [path] },
      }),
    ),
  );
}

function chainCells(
  { loader }: MeasureContext,
  asked: readonly Answering[],
  load: { readonly clients: number; readonly paths: string[] },
): Cell[] {
  return (['uniform', 'zipf'] as const).flatMap((draw) =>
    asked.map(({ subject, url }) =>
      loadCell(loader, {
        subject,
        setting: DRAWS[draw],
        job: { url, reuse: true, ...load, draw },
      }),
    ),
  );
}

/** Mean calls per search; every server answers every search alike. */
async function callsOf(
  asked: readonly Answering[],
  { paths, carriers }: { readonly paths: readonly string[]; readonly carriers: Carriers },
): Promise<number> {
  const before = await carriers.calls();
  await Promise.all(paths.map((path) => proveEqual(asked, { path, of: journeyIds })));
  return ((await carriers.calls()) - before) / (paths.length * asked.length);
}
