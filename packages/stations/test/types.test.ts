import type { Station, StationGroup, StationIndex } from '@ticketing/core';
import { openStations, type StationBook, type Suggestion } from '@ticketing/stations';
import { expect, expectTypeOf, test } from 'vitest';
import { book } from './book.ts';

test('a StationBook is a StationIndex, and its cities are groups of core', () => {
  expectTypeOf(openStations).returns.resolves.toEqualTypeOf<StationBook>();
  expectTypeOf<StationBook>().toExtend<StationIndex>();
  expectTypeOf(book.byId).returns.toEqualTypeOf<Station | StationGroup | undefined>();
  expectTypeOf(book.suggest).returns.toEqualTypeOf<readonly Suggestion[]>();
  expect(book.byId('city:es:madrid')).toHaveProperty('members');
});
