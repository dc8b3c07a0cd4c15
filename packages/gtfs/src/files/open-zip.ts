import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, openPromise, type ZipFile } from 'yauzl';
import { GtfsError } from '../errors.ts';
import type { FeedLimits } from './feed-limits.ts';

/** Size below which no ratio is suspicious: a short table of equal rows is packed a thousand times. */
const SMALL_BYTES = 1024 * 1024;
/** Most entries of a zip that are looked at: a feed has some thirty files. */
const MAX_ENTRIES = 10_000;

/** The files of one feed. Nothing is ever written. */
export interface FeedFiles {
  /** Returns whether a file is there and not empty. */
  has(file: string): boolean;
  /**
   * Returns the bytes of a file, in pieces.
   *
   * @throws GtfsError `ERR_GTFS_ZIP` for damaged bytes
   */
  read(file: string): AsyncIterable<Uint8Array>;
  close(): void;
}

/**
 * Opens a zip, in memory or on disk, and looks at the directory at its end. Sizes are checked before a byte is unpacked, and hold while
 * it is: an entry with more bytes than its size is an error.
 *
 * @throws GtfsError `ERR_GTFS_ZIP`, `ERR_GTFS_TOO_LARGE`
 */
export async function openZip(
  source: Uint8Array | string | URL,
  known: readonly string[],
  limits: FeedLimits,
): Promise<FeedFiles> {
  const zip = await openAny(source).catch(refuse);
  try {
    const entries = await listEntries(zip, known).catch(refuse);
    checkSizes(entries, limits);
    return {
      has: (file) => (entries.get(file)?.uncompressedSize ?? 0) > 0,
      read: (file) => readEntry(zip, entries.get(file) as Entry),
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

function openAny(source: Uint8Array | string | URL): Promise<ZipFile> {
  const options = { lazyEntries: true, autoClose: false };
  if (!(source instanceof Uint8Array)) {
    return openPromise(typeof source === 'string' ? source : fileURLToPath(source), options);
  }
  const { buffer, byteOffset, byteLength } = source;
  return fromBufferPromise(Buffer.from(buffer, byteOffset, byteLength), options);
}

/** @throws GtfsError for any failure of the library below */
function refuse(cause: unknown): never {
  if (GtfsError.is(cause)) throw cause;
  const why = (cause as Error).message;
  throw new GtfsError('ERR_GTFS_ZIP', `it is no zip, or a damaged one: ${why}`, { cause });
}

/** Returns the entries of the known files. A folder around all files, which some tools make, is passed over. */
async function listEntries(
  zip: ZipFile,
  known: readonly string[],
): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > MAX_ENTRIES) {
    const data = { limit: MAX_ENTRIES };
    throw new GtfsError('ERR_GTFS_TOO_LARGE', `the zip has ${zip.entryCount} entries`, data);
  }
  const byFolder = new Map<string, Map<string, Entry>>();
  for await (const entry of zip.eachEntry()) {
    const { fileName } = entry;
    const at = fileName.lastIndexOf('/') + 1;
    const [folder, file] = [fileName.slice(0, at), fileName.slice(at)];
    if (!known.includes(file) || folder.startsWith('__MACOSX/')) continue;
    const files = byFolder.get(folder) ?? new Map<string, Entry>();
    byFolder.set(folder, files);
    if (files.has(file)) {
      throw new GtfsError('ERR_GTFS_ZIP', `the zip has ${file} twice`, { file });
    }
    files.set(file, entry);
  }
  const [first = new Map<string, Entry>(), second] = byFolder.values();
  if (byFolder.has('') || second === undefined) return byFolder.get('') ?? first;
  const folders = [...byFolder.keys()].join(', ');
  throw new GtfsError('ERR_GTFS_ZIP', `the zip has feeds in several folders: ${folders}`);
}

/** @throws GtfsError for an entry that cannot be unpacked, or that is a bomb */
function checkSizes(entries: ReadonlyMap<string, Entry>, limits: FeedLimits): void {
  const { maxUnpackedBytes, maxRatio } = limits;
  let total = 0;
  for (const [file, entry] of entries) {
    if (!entry.canDecodeFileData()) {
      const why = entry.isEncrypted() ? 'is encrypted' : 'is packed in an unknown way';
      throw new GtfsError('ERR_GTFS_ZIP', `${file} ${why}`, { file });
    }
    const { uncompressedSize: bytes, compressedSize: packed } = entry;
    if (bytes > SMALL_BYTES && bytes > packed * maxRatio) {
      const message = `${file} has ${bytes} bytes, packed into ${packed}: more than \`maxRatio\` (${maxRatio})`;
      throw new GtfsError('ERR_GTFS_TOO_LARGE', message, { file, limit: maxRatio });
    }
    total += bytes;
    if (total > maxUnpackedBytes) {
      const message = `its files have more than \`maxUnpackedBytes\` (${maxUnpackedBytes})`;
      throw new GtfsError('ERR_GTFS_TOO_LARGE', message, { file, limit: maxUnpackedBytes });
    }
  }
}

async function* readEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const file = entry.fileName;
  let sum = 0;
  try {
    const stream = await zip.openReadStreamPromise(entry);
    for await (const piece of stream as AsyncIterable<Uint8Array>) {
      sum = crc32(piece, sum);
      yield piece;
    }
  } catch (cause) {
    if (GtfsError.is(cause)) throw cause;
    const message = `${file} is damaged in the zip: ${(cause as Error).message}`;
    throw new GtfsError('ERR_GTFS_ZIP', message, { file, cause });
  }
  if (sum !== entry.crc32) {
    const message = `${file} is damaged in the zip: its checksum is another`;
    throw new GtfsError('ERR_GTFS_ZIP', message, { file });
  }
}
