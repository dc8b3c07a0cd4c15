// What the tests ask of a timetable: pairs of stations, days, numbers of people.
import fc from 'fast-check';
import { stations } from '../src/index.ts';

/** Two stations that have a code of a system, by their UIC numbers. */
export function pairsWith(system: string): fc.Arbitrary<[origin: string, destination: string]> {
  const uic = fc.constantFrom(
    ...stations.flatMap(({ codes }) => (codes[system] ? [codes['uic'] as string] : [])),
  );
  return fc.tuple(uic, uic).filter(([origin, destination]) => origin !== destination);
}

/** Days at the clock changes come as often as all others together. */
export const anyDate: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('2027-03-28', '2027-10-31', '2027-03-27', '2027-10-30', '2028-02-29'),
  fc
    .date({ min: new Date('2026-01-01'), max: new Date('2036-12-31'), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10)),
);

/** How many people travel. */
export const anyPeople: fc.Arbitrary<number> = fc.integer({ min: 1, max: 9 });
