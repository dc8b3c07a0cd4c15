import { existsSync, readFileSync } from 'node:fs';
import { table } from '@ticketing/bench-kit';
import { foldedWords } from '../src/search/fold.ts';
import { readAsset } from '../src/table/asset.ts';
import { openTable } from '../src/table/station-table.ts';
import { type Entry, idOf } from './entry.ts';
import type { Merged } from './merge.ts';

/** Lines of a heading that the report prints; the others are counted. */
const MOST_LINES = 40;
/** Two of one name that are nearer than this are perhaps one: in degrees, some 500 m. */
const TWIN_DEGREES = 0.005;

/** Writes REPORT.md: rows in and out, and what a person should look at. */
export function report({
  stations,
  groups,
  account,
  bytes,
}: Merged & { readonly bytes: number }): string {
  const rows = [...account.counts].map(([what, times]) => [what, times.toLocaleString('en')]);
  const notes = new Map([...account.notes, ['Perhaps one', twins(stations)] as const]);
  return `# Where the stations are from

Written by \`pnpm --filter @ticketing/stations regenerate\` from the sources that NOTICE names and \`supplements/*.tsv\`: equal sources give equal bytes, and
the gate compares them. ${stations.length.toLocaleString('en')} stations and ${groups.length} cities, ${bytes.toLocaleString('en')} bytes.

${table([['rows', ''], ...rows]).join('\n')}

Stations by country: ${byCountry(stations)}.
${[...notes].map(([heading, lines]) => section(heading, lines)).join('')}`;
}

function section(heading: string, lines: readonly string[]): string {
  const more = lines.length > MOST_LINES ? [`and ${lines.length - MOST_LINES} more`] : [];
  const shown = [...lines.slice(0, MOST_LINES), ...more].map((line) => `- ${line}`);
  return `\n## ${heading}: ${lines.length}\n\n${shown.length === 0 ? 'None.' : shown.join('\n')}\n`;
}

function byCountry(stations: readonly Entry[]): string {
  const times = new Map<string, number>();
  for (const { country } of stations) times.set(country, (times.get(country) ?? 0) + 1);
  return [...times]
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .map(([country, number]) => `${country} ${number.toLocaleString('en')}`)
    .join(', ');
}

function twins(stations: readonly Entry[]): string[] {
  const byName = new Map<string, Entry[]>();
  for (const entry of stations) {
    const key = foldedWords(entry.name).join(' ');
    byName.set(key, [...(byName.get(key) ?? []), entry]);
  }
  return [...byName.values()].flatMap((named) =>
    named.flatMap((one, place) =>
      named
        .slice(place + 1)
        .filter(
          (other) =>
            Math.abs(one.latitude - other.latitude) < TWIN_DEGREES &&
            Math.abs(one.longitude - other.longitude) < TWIN_DEGREES,
        )
        .map((other) => `${one.name}: ${idOf(one)}, ${idOf(other)}`),
    ),
  );
}

/** Returns what differs from the asset of before, for the console: the file has no memory of it. */
export async function changes(
  file: URL,
  { stations }: { readonly stations: readonly Entry[] },
): Promise<string[]> {
  if (!existsSync(file)) return ['No table of before'];
  const { head, section } = await readAsset(readFileSync(file));
  const before = openTable(head, section);
  const known = new Map<string, string>();
  for (let row = 0; row < head.stations; row++) known.set(before.idOf(row), before.nameOf(row));
  const now = new Map(stations.map((entry) => [idOf(entry), entry.name]));
  const added = [...now].filter(([id]) => !known.has(id));
  const gone = [...known].filter(([id]) => !now.has(id));
  const renamed = [...now].filter(([id, name]) => known.has(id) && known.get(id) !== name);
  return [
    ...added.map(([id, name]) => `new: ${id} ${name}`),
    ...gone.map(([id, name]) => `gone: ${id} ${name}`),
    ...renamed.map(([id, name]) => `renamed: ${id} ${known.get(id)} → ${name}`),
  ];
}
