import { stationTable } from '@ticketing/carriers';
import { expect, test } from 'vitest';
import { rememberTexts } from '../src/search/search-query.ts';

function counted() {
  const asked: string[] = [];
  const index = rememberTexts({
    ...stationTable,
    find(text) {
      asked.push(text);
      return stationTable.find(text);
    },
  });
  return { asked, index };
}

test('rememberTexts() finds what the index finds, and looks for a text once', () => {
  const { asked, index } = counted();
  for (const text of ['Atocha', 'atocha', 'Madrid', 'uic:7171801']) {
    for (let time = 0; time < 2; time++) expect(index.find(text)).toEqual(stationTable.find(text));
  }
  expect(asked).toEqual(['Atocha', 'atocha', 'Madrid', 'uic:7171801']);
});

test('rememberTexts() keeps nothing of texts that mean nothing, and no more than a thousand others', () => {
  const { asked, index } = counted();
  for (let time = 0; time < 2; time++) index.find('Nowhere');
  expect(asked).toHaveLength(2);
  const spellings = Array.from(
    { length: 1001 },
    (_, at) => `${' '.repeat(at % 60)}uic:7171801${' '.repeat(Math.floor(at / 60))}`,
  );
  index.find('Atocha');
  for (const text of spellings) index.find(text);
  asked.length = 0;
  index.find('Atocha');
  expect(asked).toEqual(['Atocha']);
});
