import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { STORED_SYSTEMS } from './code-systems.ts';

/** Source of a part of the data. */
export interface StationSource {
  readonly name: string;
  readonly version: string;
  /** `YYYY-MM`: the month of its contents. */
  readonly asOf: string;
  /** SPDX. */
  readonly licence: string;
}

/** Credit that users of the data must see: it is under ODbL 1.0. */
export const attribution: string =
  'Contains stations of Trainline’s open list (github.com/trainline-eu/stations, ODbL 1.0) and of Deutsche Bahn (CC BY 4.0), and names of GeoNames (CC BY 4.0)';

/** The first line of the asset, as JSON. */
export interface AssetHead {
  readonly format: 1;
  /** `YYYY-MM`: the month of the list that most stations are from. */
  readonly asOf: string;
  /** Hash of the bytes behind the head. */
  readonly sha256: string;
  readonly stations: number;
  /** Number of stations that have a UIC number: they come first. */
  readonly withUic: number;
  readonly groups: number;
  readonly sources: readonly StationSource[];
}

const LISTS = ['countries', 'zones', 'sellers', 'sellerSets', 'aliasSets'] as const;
const COLUMNS = [
  'uic',
  'name',
  'country',
  'zone',
  'latitude',
  'longitude',
  'sellerSet',
  'aliasSet',
  'weight',
  'otherCodes',
  'slug',
  'members',
] as const;

/** Lists of values, then columns with one line per station and group; the column of a system has the name `code:<system>`. */
export const SECTIONS: readonly string[] = [
  ...LISTS,
  ...COLUMNS,
  ...STORED_SYSTEMS.filter((system) => system !== 'uic').map((system) => `code:${system}`),
];
export type SectionName = (typeof LISTS)[number] | (typeof COLUMNS)[number] | `code:${string}`;

const NEWLINE = 0x0a;
const FORM_FEED = 0x0c;

/**
 * Reads the asset.
 *
 * @throws Error if its bytes are not the bytes that were written
 */
export async function readAsset(
  bytes: Buffer,
): Promise<{ readonly head: AssetHead; readonly section: (name: SectionName) => string }> {
  const end = bytes.indexOf(NEWLINE);
  const head = JSON.parse(bytes.toString('utf8', 0, end)) as AssetHead;
  const body = bytes.subarray(end + 1);
  if (sha256(body) !== head.sha256) {
    throw new Error(
      'Cannot open stations: the file of stations is damaged; install the package again',
    );
  }
  const text = await promisify(brotliDecompress)(body);
  const places = new Map<string, readonly [start: number, end: number]>();
  let start = 0;
  for (const name of SECTIONS) {
    const next = text.indexOf(FORM_FEED, start);
    const stop = next < 0 ? text.length : next;
    places.set(name, [start, stop]);
    start = stop + 1;
  }
  // Each section is a text of its own, so that a text of plain letters needs one byte per letter.
  return { head, section: (name) => text.toString('utf8', ...(places.get(name) ?? [0, 0])) };
}

/** Returns the hash of the compressed sections. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
