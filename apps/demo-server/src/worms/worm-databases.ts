import { createProgress, type ProgressOptions } from '@ticketing/cli-kit';
import {
  createWormStore,
  type FillListener,
  type WormDatabase,
  type WormFill,
  type WormLimits,
  type WormStore,
} from './worm-store.ts';

const none: WormDatabase = {
  prepare: async (url) => ({ url }),
  open: async () => ({ find: async () => [], stats: () => null, close: async () => {} }),
};

/** Every kind of database. Only the driver of the one in use is loaded. */
const databases = {
  none: async () => none,
  sqlite: async () => (await import('./sqlite.ts')).sqlite,
  postgres: async () => (await import('./postgres.ts')).postgres,
  mongodb: async () => (await import('./mongodb.ts')).mongodb,
} satisfies Record<string, () => Promise<WormDatabase>>;

/** Location of the documents: plain data, which server processes are started with. */
export interface WormLocation {
  readonly kind: keyof typeof databases;
  /** The database's URL, password included; of SQLite the path of its file; of `none` ''. */
  readonly url: string;
}

/** A store that has its documents. */
export interface PreparedWorms {
  readonly location: WormLocation;
  /** Removes what was made for this server alone. */
  close(): Promise<void>;
}

/**
 * Fills the database of a URL, else one of SQLite, unless it has its documents; without documents there is no store.
 *
 * @throws FlagError if the database cannot be used; or the signal's reason
 */
export async function prepareWorms(
  { databaseUrl }: { readonly databaseUrl: string | undefined },
  fill: WormFill,
): Promise<PreparedWorms> {
  const kind = fill.count === 0 ? 'none' : kindOfUrl(databaseUrl);
  const database = await databases[kind]();
  const { url, close = async () => {} } = await database.prepare(databaseUrl ?? '', fill);
  return { location: { kind, url }, close };
}

function kindOfUrl(url: string | undefined): WormLocation['kind'] {
  if (url === undefined) return 'sqlite';
  return url.startsWith('mongodb:') ? 'mongodb' : 'postgres';
}

/** Opens a filled store for one server process. */
export async function openWorms(
  { kind, url }: WormLocation,
  limits: WormLimits,
): Promise<WormStore> {
  const database = await databases[kind]();
  const source = await database.open(url, limits);
  return createWormStore(source, { kind, deadlineMs: limits.deadlineMs });
}

/** Filling fewer documents is too quick for a line of its own. */
const MIN_REPORTED = 100_000;

/**
 * Shows the progress of filling: on a terminal as a bar, which goes when it is done, elsewhere as a line every 10 s; for many
 * documents also as a line at the end.
 */
export function fillReport(
  output: NonNullable<ProgressOptions['output']>,
  now: () => number = () => performance.now(),
): FillListener {
  const startedAt = now();
  const progress = createProgress({ output, now, leavesBar: false });
  let shown = 0;
  return ({ filled, count }) => {
    if (shown === 0) progress.begin('worms', count);
    progress.step(filled - shown);
    shown = filled;
    if (filled < count) return;
    progress.end();
    if (count <= MIN_REPORTED) return;
    const seconds = ((now() - startedAt) / 1000).toFixed(1);
    output.write(`Filled the store with ${count.toLocaleString('en-US')} worms in ${seconds} s\n`);
  };
}
