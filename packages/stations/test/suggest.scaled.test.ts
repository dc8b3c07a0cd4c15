import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { book, table } from './book.ts';
import { finder } from './finder.ts';
import { createNaiveSearch } from './naive.ts';
import { randomFrom, randomTexts } from './random-texts.ts';

/** Rows and cells that one keystroke may look at: a word of sixteen letters against all words is some 250,000. */
const MOST_STEPS = 1_000_000;

test('suggest() equals a search that looks at everything', { timeout: 600_000 }, () => {
  // The row after "Vallfogona de Balaguer" is "Balaguer": only there is the correction at the beginning.
  const texts = [...randomTexts(scaled({ fast: 8, full: 2000 }), 7), 'balagur'];
  const naive = createNaiveSearch(table);
  for (const text of texts) {
    const { rows } = finder.find(text, { limit: 10 });
    const found = rows
      .filter(({ match }) => match !== 'partial')
      .map(({ row, score }) => `${table.idOf(row)} ${score}`);
    const expected = naive(text, 10).map(({ row, score }) => `${table.idOf(row)} ${score}`);
    expect(found, JSON.stringify(text)).toEqual(expected);
  }
});

/** Any character; the unit `binary` of fast-check takes a second to be made. */
const character = fc
  .oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

// Looks for texts of any kind: each is answered, and twice alike.
test('suggest() and find() never throw, and always give the same', () => {
  const texts = fc.oneof(
    fc.string({ maxLength: 110 }),
    fc.string({ unit: character, maxLength: 110 }),
    fc.string({ unit: fc.constantFrom('a', 'b', ' ', '-', 'é', 'ß', '\u0301', '\ufdfa') }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const list = book.suggest(text);
      expect(book.suggest(text)).toEqual(list);
      expect(['found', 'unknown', 'ambiguous']).toContain(book.find(text).kind);
    }),
    { numRuns: scaled({ fast: 30, full: 500 }) },
  );
});

// Types names letter by letter: no keystroke looks at more than it may, and every answer is well made.
test('suggest() stays within its bounds after every keystroke', { timeout: 300_000 }, () => {
  const random = randomFrom(2);
  const names = [
    ...['Madrid Puerta de Atocha', 'Lutherstadt Wittenberg Hbf', 'Σιδηροδρομικός'],
    ...Array.from({ length: scaled({ fast: 0, full: 100 }) }, () =>
      table.nameOf(Math.floor(random() * table.length)),
    ),
  ];
  for (const name of names) {
    for (let end = 1; end <= Math.min(100, name.length); end++) {
      const text = name.slice(0, end);
      const { steps } = finder.find(text, { limit: 8 });
      if (steps > MOST_STEPS) expect.fail(`${text} takes ${steps} steps`);
      const list = book.suggest(text);
      expect(list.length, text).toBeLessThanOrEqual(8);
      expect(new Set(list.map(({ id }) => id)).size, text).toBe(list.length);
      for (const [place, { name: shown, alias = shown, matched, score }] of list.entries()) {
        if (score > (list[place - 1]?.score ?? Number.POSITIVE_INFINITY))
          expect.fail(`${text}: order`);
        let before = 0;
        for (const [start, stop] of matched) {
          if (start < before || stop <= start || stop > alias.length)
            expect.fail(`${text}: ${alias}`);
          before = stop;
        }
      }
    }
  }
});

// Every name finds its station among the first three, or the city that it is in; or these three have the very same name, as dozens of
// stations have that of their city in another language.
test('suggest() finds stations by each of their names', { timeout: 300_000 }, () => {
  const random = randomFrom(3);
  const rows = scaled({
    fast: Array.from({ length: 60 }, () => Math.floor(random() * table.length)),
    full: Array.from({ length: table.length }, (_, row) => row),
  });
  const cities = new Map<number, number[]>();
  for (let row = 0; row < table.length; row++) {
    for (const member of table.memberRows(row))
      cities.set(member, [...(cities.get(member) ?? []), row]);
  }
  for (const row of rows) {
    for (const name of [table.nameOf(row), ...table.aliasesOf(row).map((alias) => alias.name)]) {
      const found = book.suggest(name, { limit: 3 });
      const ids = found.map(({ id }) => id);
      const wanted = [row, ...(cities.get(row) ?? [])].map(table.idOf);
      if (ids.some((id) => wanted.includes(id))) continue;
      const same = found.every(({ id }) => namesOf(id).includes(plain(name)));
      if (!same || found.length < 3) expect.fail(`${name} (${table.idOf(row)}): ${ids.join(', ')}`);
    }
  }
});

function namesOf(id: string): string[] {
  const { name = '', aliases = [] } = book.byId(id) ?? {};
  return [name, ...aliases].map(plain);
}

function plain(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}
