import { expect, test } from 'vitest';
import { book } from '../book.ts';

const everything = [...book.stations, ...book.groups];

test('stations: every id is unique, and every code in its system', () => {
  const ids = new Set<string>();
  const codes = new Set<string>();
  for (const { id, codes: own, otherCodes = {} } of everything) {
    expect(ids.has(id), id).toBe(false);
    ids.add(id);
    const all = Object.entries(otherCodes).flatMap(([system, list]) =>
      list.map((code) => [system, code] as const),
    );
    for (const [system, code] of [...Object.entries(own), ...all]) {
      const key = `${system}:${code}`;
      if (codes.has(key)) expect.fail(`${key} of ${id} is that of another`);
      codes.add(key);
    }
  }
});

test('stations: each is found by its id and by each of its codes, former ones too', () => {
  for (const one of everything) {
    if (book.byId(one.id) !== one) expect.fail(`${one.id} is not found`);
    for (const [system, code] of Object.entries(one.codes)) {
      if (book.byCode(system, code) !== one) expect.fail(`${system}:${code} is not ${one.id}`);
    }
    for (const [system, list] of Object.entries(one.otherCodes ?? {})) {
      for (const code of list) {
        if (book.byCode(system, code) !== one) expect.fail(`${system}:${code} is not ${one.id}`);
      }
    }
  }
});
