// Measures both halves of test/typed: how many texts have the meant station first, and among the first three. `--missed` prints the misses
// of the first half, and of the kept half only with `--kept`.
import { table } from '@ticketing/bench-kit';
import { openStations } from '../src/index.ts';
import { HALVES, placeOf, readTyped, type TypedText } from '../test/typed/read-typed.ts';

const book = await openStations();
const shows = (half: string): boolean =>
  process.argv.includes('--missed') && (half === 'first-half' || process.argv.includes('--kept'));

for (const half of HALVES) {
  const texts = readTyped(half);
  const places = new Map(texts.map((one) => [one, placeOf(book, one)]));
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
