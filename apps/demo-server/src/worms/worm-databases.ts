import type { Flags } from '../flags/flag-specs.ts';
import {
  createWormStore,
  type FillListener,
  type WormDatabase,
  type WormFill,
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

/** Where the documents are. Plain data, which server processes are started with. */
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
 * Fills the store that the flags name, unless it has its documents; without documents there is no store.
 *
 * @throws FlagError if the database cannot be used; or the signal's reason
 */
export async function prepareWorms({ databaseUrl }: Flags, fill: WormFill): Promise<PreparedWorms> {
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
export async function openWorms({ kind, url }: WormLocation, flags: Flags): Promise<WormStore> {
  const database = await databases[kind]();
  const source = await database.open(url, flags);
  return createWormStore(source, { kind, deadlineMs: flags.deadlineMs });
}

/** Filling fewer documents is too quick for a line of its own. */
const MIN_REPORTED = 100_000;
const WIDTH = 30;

/** Standard error. */
interface ReportStream {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Shows the progress of filling: on a terminal as a bar, which goes when it is done; for many documents also as a line at the end. */
export function fillReport(
  stream: ReportStream,
  now: () => number = () => performance.now(),
): FillListener {
  const startedAt = now();
  return ({ filled, count }) => {
    if (stream.isTTY) {
      const done = Math.round((filled / count) * WIDTH);
      const bar = '█'.repeat(done) + '░'.repeat(WIDTH - done);
      const text = `worms  ${bar} ${inThousands(filled)} of ${inThousands(count)}`;
      // Carriage return, then erase to the end of the line.
      stream.write(`\r\u001b[K${filled < count ? text : ''}`);
    }
    if (filled === count && count > MIN_REPORTED) {
      const seconds = ((now() - startedAt) / 1000).toFixed(1);
      stream.write(`Filled the store with ${inThousands(count)} worms in ${seconds} s\n`);
    }
  };
}

function inThousands(count: number): string {
  return count.toLocaleString('en-US');
}
