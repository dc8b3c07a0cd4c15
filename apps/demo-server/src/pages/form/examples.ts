import type { CarrierName } from '../../carriers/carriers.ts';

/** A search that finds something, with the carriers that sell it. */
export interface Example {
  readonly origin: string;
  readonly destination: string;
  readonly by: readonly CarrierName[];
  /** True if the ends are in two countries. */
  readonly isAbroad?: boolean;
}

/** Searches with trains on every day; a test holds them against the timetables of the carriers. The first ones are shown first. */
export const EXAMPLES: readonly Example[] = [
  { origin: 'Madrid', destination: 'Barcelona', by: ['renfe', 'ouigo', 'avlo'] },
  { origin: 'Zürich', destination: 'Milano', by: ['osdm', 'hafas', 'ojp', 'gtfs'], isAbroad: true },
  { origin: 'Paris', destination: 'Lyon', by: ['osdm', 'hafas', 'navitia', 'gtfs'] },
  { origin: 'Madrid', destination: 'Sevilla', by: ['renfe', 'ouigo', 'avlo'] },
  { origin: 'Wien', destination: 'München', by: ['osdm', 'hafas', 'gtfs'], isAbroad: true },
  { origin: 'Zürich', destination: 'Wien', by: ['osdm', 'hafas', 'ojp', 'gtfs'], isAbroad: true },
  { origin: 'Madrid', destination: 'Valencia', by: ['renfe', 'ouigo', 'avlo'] },
  { origin: 'Zürich', destination: 'Bern', by: ['osdm', 'ojp', 'gtfs'] },
  {
    origin: 'London',
    destination: 'Paris',
    by: ['osdm', 'hafas', 'navitia', 'gtfs'],
    isAbroad: true,
  },
  {
    origin: 'Paris',
    destination: 'Milano',
    by: ['osdm', 'hafas', 'ojp', 'navitia', 'gtfs'],
    isAbroad: true,
  },
];

const SHOWN = 3;

/** Returns three searches that these carriers find something for, each with the carriers that do. */
export function examplesOf(asked: readonly CarrierName[]): readonly Example[] {
  return EXAMPLES.map((example) => ({
    ...example,
    by: example.by.filter((carrier) => asked.includes(carrier)),
  }))
    .filter(({ by }) => by.length > 0)
    .slice(0, SHOWN);
}
