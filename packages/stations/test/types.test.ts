import type { Station, StationIndex } from '@ticketing/core';
import {
  type BookStation,
  openStations,
  type StationBook,
  type StationGroup,
  type Suggestion,
} from '@ticketing/stations';
import { expect, expectTypeOf, test } from 'vitest';
import { book } from './book.ts';

test('a StationBook is a StationIndex, and a city is a station of core', () => {
  expectTypeOf(openStations).returns.resolves.toEqualTypeOf<StationBook>();
  expectTypeOf<StationBook>().toExtend<StationIndex>();
  expectTypeOf<BookStation>().toExtend<Station>();
  expectTypeOf<StationGroup>().toExtend<Station>();
  expectTypeOf(book.byId).returns.toEqualTypeOf<BookStation | StationGroup | undefined>();
  expectTypeOf(book.suggest).returns.toEqualTypeOf<readonly Suggestion[]>();
  expect(book.byId('city:es:madrid')).toHaveProperty('members');
});
