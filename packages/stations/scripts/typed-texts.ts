// Measures both halves of test/typed: how many texts have the meant station first, and among the first three. `--missed` prints the misses
// of the first half; those of the kept half only with `--kept`.
import { readFileSync } from 'node:fs';
import { table } from '@ticketing/bench-kit';
import { openStations } from '../src/index.ts';

interface TypedText {
  readonly text: string;
  readonly meant: readonly string[];
  readonly group: string;
}

const book = await openStations();
const shows = (half: string): boolean =>
  process.argv.includes('--missed') && (half === 'first-half' || process.argv.includes('--kept'));

for (const half of ['first-half', 'kept-half']) {
  const texts = readTexts(half);
  const places = new Map(texts.map((one) => [one, placeOf(one)]));
  const rowOf = (name: string, some: readonly TypedText[]): string[] => {
    const within = (most: number) => some.filter((one) => (places.get(one) ?? 0) < most).length;
    return [name, `${within(1)}/${some.length}`, `${within(3)}/${some.length}`];
  };
  const groups = [...new Set(texts.map(({ group }) => group))];
  const rows = groups.map((group) =>
    rowOf(
      group,
      texts.filter((one) => one.group === group),
    ),
  );
  process.stdout.write(
    `${table([[half, 'first', 'in 3'], ...rows, rowOf('all', texts)]).join('\n')}\n`,
  );
  if (!shows(half)) continue;
  for (const { text, meant } of texts.filter((one) => places.get(one) !== 0)) {
    const found = book.suggest(text, { limit: 3 }).map(({ id, name }) => `${id} ${name}`);
    process.stdout.write(`${text}: ${meant.join(' ')} → ${found.join(', ') || '-'}\n`);
  }
}

function readTexts(half: string): TypedText[] {
  const url = new URL(`../test/typed/${half}.tsv`, import.meta.url);
  const [, ...lines] = readFileSync(url, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [text = '', meant = '', group = ''] = line.split('\t');
    return { text, meant: meant.split(' ').filter((id) => id !== '-'), group };
  });
}

/** The place of the meant station among the suggestions; infinite if it is not there. */
function placeOf({ text, meant }: TypedText): number {
  const found = book.suggest(text, { limit: 3 });
  if (meant.length === 0) return found.length === 0 ? 0 : Number.POSITIVE_INFINITY;
  const place = found.findIndex(({ id }) => meant.includes(id));
  return place < 0 ? Number.POSITIVE_INFINITY : place;
}
