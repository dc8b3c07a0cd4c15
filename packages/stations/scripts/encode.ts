import { brotliCompressSync, constants } from 'node:zlib';
import { type AssetHead, SECTIONS, sha256 } from '../src/table/asset.ts';
import { STORED_SYSTEMS, type StoredSystem, usualCode } from '../src/table/code-systems.ts';
import { PER_DEGREE } from '../src/table/station-table.ts';
import { type Entry, idOf } from './entry.ts';

/** Sorts the rows: stations by UIC number, then those without one by id; cities by country and slug. */
export function sortRows({
  stations,
  groups,
}: {
  readonly stations: readonly Entry[];
  readonly groups: readonly Entry[];
}): { readonly stations: readonly Entry[]; readonly groups: readonly Entry[] } {
  const byText =
    (key: (entry: Entry) => string) =>
    (one: Entry, other: Entry): number =>
      key(one) < key(other) ? -1 : 1;
  return {
    stations: stations.toSorted(
      byText((entry) =>
        entry.codes.has('uic') ? `0${entry.codes.get('uic')}` : `1${idOf(entry)}`,
      ),
    ),
    groups: groups.toSorted(byText(({ country, slug }) => `${country}:${slug}`)),
  };
}

/** Makes the sections of the asset of sorted rows. */
export function encode(sorted: ReturnType<typeof sortRows>): ReadonlyMap<string, string> {
  const rows = [...sorted.stations, ...sorted.groups];
  const places = new Map(sorted.stations.map((entry, place) => [entry, place]));
  const sections = new Map<string, string>();
  const lines = (name: string, line: (entry: Entry) => string): void => {
    sections.set(name, rows.map(line).join('\n'));
  };
  const listed = (
    names: readonly [list: string, column: string],
    value: (entry: Entry) => string,
  ): void => {
    const list = listOf(rows.map(value));
    sections.set(names[0], list.join('\n'));
    const place = new Map(list.map((text, at) => [text, at]));
    lines(names[1], (entry) => (place.get(value(entry)) ?? 0).toString(36));
  };
  const sellers = [...new Set(rows.flatMap((entry) => [...entry.sellers]))].sort();
  sections.set('sellers', sellers.join('\n'));
  listed(['countries', 'country'], ({ country }) => country);
  listed(['zones', 'zone'], ({ zone }) => zone);
  listed(['sellerSets', 'sellerSet'], (entry) => [...entry.sellers].sort().join(' '));
  listed(['aliasSets', 'aliasSet'], ({ aliases }) => aliases.join('|'));
  lines('name', ({ name }) => name);
  lines('weight', ({ weight }) => weight.toString(36));
  lines('otherCodes', ({ others }) => [...others].sort().join(' '));
  lines('slug', ({ slug, members }) => (members.length === 0 ? '' : slug));
  lines('members', ({ members }) =>
    members.map((one) => (places.get(one) ?? 0).toString(36)).join(' '),
  );
  for (const axis of ['latitude', 'longitude'] as const) {
    sections.set(axis, deltas(rows.map((entry) => Math.round(entry[axis] * PER_DEGREE))));
  }
  const uics = sorted.stations.flatMap(({ codes }) => codes.get('uic') ?? []);
  sections.set('uic', deltas(uics.map(Number)));
  for (const system of STORED_SYSTEMS) {
    if (system !== 'uic') lines(`code:${system}`, ({ codes }) => shortCode(system, codes));
  }
  return sections;
}

/** The most frequent first: their places are the shortest. */
function listOf(values: readonly string[]): string[] {
  const times = new Map<string, number>();
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1);
  return [...times]
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .map(([value]) => value);
}

function shortCode(system: StoredSystem, codes: Entry['codes']): string {
  const code = codes.get(system);
  const usual = usualCode(system, (other) => codes.get(other as StoredSystem));
  return code !== undefined && code === usual ? '=' : (code ?? '');
}

function deltas(values: readonly number[]): string {
  return values.map((value, at) => (value - (values[at - 1] ?? 0)).toString(36)).join('\n');
}

/** Writes the asset: a head in plain text, then the sections, compressed by brotli. Equal sections give equal bytes. */
export function writeAsset(
  sections: ReadonlyMap<string, string>,
  head: Omit<AssetHead, 'format' | 'sha256'>,
): Buffer {
  const text = SECTIONS.map((name) => sections.get(name) ?? '').join('\f');
  const body = brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
    },
  });
  const whole: AssetHead = { format: 1, ...head, sha256: sha256(body) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(whole)}\n`), body]);
}
