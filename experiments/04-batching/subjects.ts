import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Answering } from '../src/loading/prove-equal.ts';
import { startDemo } from '../src/programs/start-demo.ts';
import type { MeasureContext } from '../src/results/experiment.ts';
import { PAIRS, SEVERAL } from './findings.ts';
import { fillWorms } from './queue/worm-table.ts';

const QUEUE_SERVER = new URL('queue/queue-server.ts', import.meta.url);
const DEADLINE = ['--deadline-ms', '60000'];

/** Servers with the seed's queue, ours, and none, over one file; `published` is apart, since it does not last. */
export async function startQueues(
  { programs }: MeasureContext,
  documents: number,
): Promise<{ readonly lasting: readonly Answering[]; readonly published: Answering }> {
  const file = join(mkdtempSync(join(programs.folder, 'worms-')), 'worms.sqlite');
  fillWorms(file, documents);
  const [{ without, gaining }] = PAIRS;
  const named = {
    none: without,
    fixed: gaining[0],
    coalescer: gaining[1],
    published: 'published',
  };
  const started = await Promise.all(
    Object.entries(named).map(async ([queue, subject]): Promise<Answering> => {
      const env = { WORMS_FILE: file };
      return { subject, ...(await programs.start(QUEUE_SERVER, ['--queue', queue], { env })) };
    }),
  );
  return { lasting: started.slice(0, -1), published: started.at(-1) as Answering };
}

/** The demo in one process, with and without coalescing, over each store there is. */
export async function startSingles(
  { programs, databaseUrl }: MeasureContext,
  documents: number,
): Promise<Answering[]> {
  const [, sqlite, postgres] = PAIRS;
  const stores = [
    { pair: sqlite, flags: [] },
    ...(databaseUrl === undefined
      ? []
      : [{ pair: postgres, flags: ['--database-url', databaseUrl] }]),
  ];
  const started: Answering[] = [];
  for (const { pair, flags } of stores) {
    for (const [subject, coalesce] of [
      [pair.without, 'off'],
      [pair.gaining[0], 'on'],
    ] as const) {
      const all = ['--worms', String(documents), '--coalesce', coalesce, ...DEADLINE, ...flags];
      started.push({ subject, url: (await startDemo(programs, all)).url });
    }
  }
  return started;
}

/** The demo in several processes, each of which dispatches to a child. */
export async function startSeveral(
  { programs }: MeasureContext,
  options: { readonly documents: number; readonly workers: number; readonly carriersUrl: string },
): Promise<Answering[]> {
  const ways = {
    [SEVERAL.perWorker]: ['--accept', 'cluster', '--coalesce', 'on'],
    [SEVERAL.machine]: ['--accept', 'cluster', '--coalesce', 'machine'],
    [SEVERAL.routed]: ['--accept', 'socket', '--route-by', 'search-key', '--coalesce', 'on'],
  };
  const shared = [
    ['--workers', String(options.workers), '--worms', String(options.documents)],
    ['--dispatch', 'fork', '--dispatch-workers', '1', '--carriers-url', options.carriersUrl],
    DEADLINE,
  ].flat();
  return Promise.all(
    Object.entries(ways).map(async ([subject, flags]): Promise<Answering> => {
      const { url } = await startDemo(programs, [...flags, ...shared]);
      return { subject, url };
    }),
  );
}
