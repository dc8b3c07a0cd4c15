import { expect, test } from 'vitest';
import { equalWords, foldedWords, spelledWords } from '../src/search/fold.ts';
import { book, table } from './book.ts';
import { finder } from './finder.ts';

test.each([
  ['barclona', 'city:es:barcelona'],
  ['madrid', 'city:es:madrid'],
  ['atocha madrid', 'uic:7160000'],
  ['munich hbf', 'uic:8020347'],
  ['muenchen hbf', 'uic:8020347'],
  ['münchen hauptbahnhof', 'uic:8020347'],
  ['monaco di baviera', 'city:de:munchen'],
  ['saint lazare', 'uic:8738400'],
  ['st lazare', 'uic:8738400'],
  ['sankt pancras', 'uic:7015400'],
  ['estacion de atocha', 'uic:7160000'],
  ['gare de lyon paris', 'uic:8768600'],
  ['Zürich', 'city:ch:zurich'],
  ['ZURICH', 'city:ch:zurich'],
  ['geneva', 'uic:8501008'],
  ['パリ', 'city:fr:paris'],
  ['Лейпциг', 'city:de:leipzig'],
  ['frankfrut main', 'city:de:frankfurt-main'],
  ['ｌｏｎｄｏｎ', 'city:gb:london'],
])('suggest(%j) begins with %s', (text, id) => {
  expect(book.suggest(text)[0]?.id).toBe(id);
});

test('suggest() gives a city before its stations, with what a list shows', () => {
  const [city, station] = book.suggest('barcel', { limit: 2 });
  expect(city).toEqual({
    kind: 'city',
    id: 'city:es:barcelona',
    name: 'Barcelona',
    label: 'Barcelona (all stations)',
    country: 'ES',
    matched: [[0, 6]],
    match: 'prefix',
    score: expect.any(Number),
  });
  expect(station).toMatchObject({ kind: 'station', id: 'uic:7171801', label: 'Barcelona Sants' });
});

test('suggest() has the ranges of the text in the name, or in the other name that it means', () => {
  expect(book.suggest('sants barc')[0]?.matched).toEqual([
    [0, 4],
    [10, 15],
  ]);
  expect(book.suggest('köl')[0]).toMatchObject({ name: 'Köln', matched: [[0, 3]] });
  expect(book.suggest('koel')[0]).toMatchObject({ name: 'Köln', matched: [[0, 4]] });
  expect(book.suggest('barclona')[0]).toMatchObject({ matched: [[0, 9]] });
  const [munich] = book.suggest('munich');
  expect(munich).toMatchObject({ name: 'München', alias: 'Munich', matched: [[0, 6]] });
});

test('suggest({ language }) names cities in that language', () => {
  expect(book.suggest('londres', { language: 'es' })[0]).toMatchObject({
    name: 'Londres',
    label: 'Londres (all stations)',
  });
  expect(book.suggest('londres', { language: 'xx' })[0]).toMatchObject({
    name: 'London',
    alias: 'Londres',
  });
});

test('suggest({ countries, sellers }) leaves others out', () => {
  const inItaly = book.suggest('san', { countries: ['it'], limit: 20 });
  expect(new Set(inItaly.map(({ country }) => country))).toEqual(new Set(['IT']));
  expect(inItaly).toHaveLength(20);
  const byRenfe = book.suggest('s', { sellers: ['renfe'], countries: ['ES', 'FR'] });
  expect(byRenfe).toHaveLength(8);
  expect(book.suggest('atocha', { sellers: ['atoc'] })).toEqual([]);
  expect(book.suggest('madrid', { countries: ['XX'] })).toEqual([]);
});

test('suggest({ near }) prefers near stations, and keeps the better name before', () => {
  const places = { latitude: 53.55, longitude: 10 };
  const [first] = book.suggest('neusta', { near: places });
  const [other] = book.suggest('neusta', { near: { latitude: 49.35, longitude: 8.14 } });
  expect(first?.id).not.toBe(other?.id);
  expect(book.suggest('madrid', { near: places })[0]?.id).toBe('city:es:madrid');
});

test('suggest() of one letter is answered from a list, and equals the search', () => {
  for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
    const kept = book.suggest(letter, { limit: 16 });
    const searched = book.suggest(letter, { limit: 17 }).slice(0, 16);
    expect(kept, letter).toEqual(searched);
  }
});

test('suggest() gives nothing for a text without letters, or longer than 100', () => {
  for (const text of ['', '   ', '---', '\u0000', 'a'.repeat(101), '\u{1f682}']) {
    expect(book.suggest(text), text).toEqual([]);
  }
  expect(book.suggest(7 as never)).toEqual([]);
  expect(book.suggest('berlin '.repeat(14))[0]?.id).toBe('city:de:berlin');
});

test('suggest() finds a row by two words exactly if it has each, also beside a row that has the other', () => {
  const wordsOf = (row: number): string[] => {
    const name = table.nameOf(row);
    const words = foldedWords(name);
    return [...words, ...spelledWords(name), ...words.flatMap(equalWords)];
  };
  let pairs = 0;
  for (let row = 0; row < 1000; row++) {
    const accepts = (one: number): boolean => one === row;
    const isFound = (...words: string[]): boolean => {
      const found = finder.find(words.join(' '), { limit: 1, accepts, isExact: true });
      // Fillers may be left out.
      return found.rows.length > 0 && found.words.length === words.length;
    };
    const [own = ''] = wordsOf(row);
    for (const other of wordsOf(row + 1)) {
      const isOwn = isFound(other);
      if (!isOwn) pairs += 1;
      if (isFound(own, other) !== isOwn) expect.fail(`${table.nameOf(row)}: ${own} ${other}`);
    }
  }
  expect(pairs).toBeGreaterThan(500);
});

test.each([
  ['Feldkirch Bahnhof', 'uic:8101236', 'exact'],
  ['Milano C.le', 'uic:8301700', 'exact'],
  ['Bln Hbf', 'uic:8033452', 'exact'],
  ['København H', 'uic:8600626', 'exact'],
  // Its words begin such of the name: no short form is looked for.
  ["London St Pancras Int'l", 'uic:7015400', 'prefix'],
  ['Brüssel Süd', 'uic:8814001', 'exact'],
  ['Helsinki', 'uic:1000001', 'exact'],
  ['barcel', 'city:es:barcelona', 'prefix'],
  ['barclona', 'city:es:barcelona', 'typo'],
  ['Wien Hbf (Bahnsteige 3-12)', 'uic:8101003', 'partial'],
  ['Wien Hbf (Bahnsteige 1-2)', 'ibnr:8101590', 'exact'],
  ['Essen', 'uic:8010184', 'exact'],
  ['Kehl', 'uic:8014292', 'exact'],
  ['Lemberg', 'ibnr:2200025', 'exact'],
  ['7160000', 'uic:7160000', 'exact'],
  ['8000261', 'uic:8020347', 'exact'],
  ['KGX', 'uic:7061210', 'exact'],
  ['kgx', 'uic:7061210', 'exact'],
  ['MH', 'uic:8020347', 'exact'],
  ['FRA', 'uic:8004126', 'exact'],
])('suggest(%j) begins with %s, and says that it is: %s', (text, id, match) => {
  expect(book.suggest(text)[0]).toMatchObject({ id, match });
});

test.each(['New York', 'Tokyo', 'Qwertzuiop'])('suggest(%j) finds none', (text) => {
  expect(book.suggest(text)).toEqual([]);
});

test.each([
  ['København H', 'uic:8600626'],
  ['Brüssel Süd', 'uic:8814001'],
  ["London St Pancras Int'l", 'uic:7015400'],
  ['Barcelona (all stations)', 'city:es:barcelona'],
  ['Cologne (all stations)', 'city:de:koln'],
  ['Münster (all stations)', 'city:de:munster-stadt'],
  ['Munich', 'city:de:munchen'],
  ['Vienna', 'city:at:wien'],
  ['Milan', 'city:it:milano'],
  ['KGX', 'uic:7061210'],
])('find(%j), as it is typed or shown, is %s', (text, id) => {
  expect(book.find(text)).toMatchObject({ kind: 'found', station: { id } });
});

test.each([
  ['Essen', ['uic:8010184', 'uic:8821402']],
  ['Cologne', ['city:de:koln', 'uic:8301539']],
  ['Tolosa', ['city:fr:toulouse', 'uic:7111500']],
])('find(%j), the own name of a station and another one of a greater, names both', (text, ids) => {
  const match = book.find(text);
  expect(match.kind === 'ambiguous' && match.candidates.map(({ id }) => id)).toEqual(ids);
});

test('suggest() works on demand if the index was not asked for', async () => {
  const { openStations } = await import('../src/index.ts');
  const later = await openStations({ countries: ['PT'], index: false });
  expect(later.suggest('lisb')[0]?.id).toBe('city:pt:lisboa');
});

test.each([
  ['uic:7160000', 'uic:7160000'],
  ['renfe:71801', 'uic:7171801'],
  ['ibnr:8000261', 'uic:8020347'],
  ['7171801', 'uic:7171801'],
  ['city:es:madrid', 'city:es:madrid'],
  ['Madrid', 'city:es:madrid'],
  ['Barcelona Sants', 'uic:7171801'],
  ['roma termini', 'uic:8308409'],
  ['wien hauptbahnhof', 'uic:8101003'],
])('find(%j) is %s', (text, id) => {
  expect(book.find(text)).toMatchObject({ kind: 'found', station: { id } });
});

test('find() names several stations of one name, and the nearest of none', () => {
  const several = book.find('frankfurt');
  expect(several.kind).toBe('ambiguous');
  expect(several.kind === 'ambiguous' && several.candidates.length).toBeGreaterThan(3);
  const none = book.find('Barcelnoa');
  expect(none).toMatchObject({
    kind: 'unknown',
    nearest: [{ id: 'city:es:barcelona' }, {}, {}, {}, {}],
  });
});
