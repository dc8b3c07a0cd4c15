import type { Journey, RideLeg } from '@ticketing/core';
import { expect, test } from 'vitest';
import { createNavitia } from '../../src/index.ts';
import { failureOf } from '../upstream.ts';
import {
  golden,
  goldenBody,
  options,
  parisZurich,
  read,
  wireOf,
  withJourney,
} from './navitia-answers.ts';

const ridesOf = ({ legs }: Journey): readonly RideLeg[] =>
  legs.filter((leg) => leg.kind === 'ride');
const [direct, change, stay, late, cancelled, walks] = read(golden, {
  ...parisZurich(),
  stops: true,
}).journeys as [Journey, Journey, Journey, Journey, Journey, Journey];

test('navitia: a direct train has its number, its stops, a notice, and the fare of one traveller for all', () => {
  expect(direct).toMatchObject({
    departure: { iso: '2026-12-01T07:20:00+01:00[Europe/Paris]' },
    arrival: { iso: '2026-12-01T11:24:00+01:00[Europe/Zurich]' },
    durationMinutes: 244,
    transfers: 0,
    sources: ['navitia'],
    offers: [
      {
        seller: 'navitia',
        total: { amount: 8950, currency: 'EUR' },
        fareName: 'Plein tarif',
        travelClass: 'any',
        flexibility: 'unknown',
        fetchedAt: 1,
      },
    ],
  });
  expect(direct).not.toHaveProperty('unpriced');
  const [ride] = ridesOf(direct);
  expect(direct.legs).toHaveLength(1);
  expect(ride).toMatchObject({
    origin: 'uic:8768600',
    destination: 'uic:8503000',
    number: '9203',
    brand: 'TGV INOUI',
    operator: 'Réseau inventé',
    remarks: [{ kind: 'info', text: 'Vélos sur réservation' }],
  });
  expect(ride).not.toHaveProperty('mode');
  expect(ride).not.toHaveProperty('expectedDeparture');
  expect(
    ride?.stops?.map(({ station, arrival, departure }) => [station, arrival?.iso, departure?.iso]),
  ).toEqual([
    [
      'uic:8771304',
      '2026-12-01T08:53:00+01:00[Europe/Paris]',
      '2026-12-01T08:55:00+01:00[Europe/Paris]',
    ],
    [
      'uic:8500010',
      // The answer has no zone of stops on the way, the table has.
      '2026-12-01T10:19:00+01:00[Europe/Zurich]',
      '2026-12-01T10:23:00+01:00[Europe/Zurich]',
    ],
  ]);
  expect(ridesOf(read(golden).journeys[0] as Journey)[0]).not.toHaveProperty('stops');
  const party = read(golden, parisZurich(undefined, 3)).journeys[0];
  expect(party?.offers[0]?.total).toEqual({ amount: 26_850, currency: 'EUR' });
});

test('navitia: a change is the way alone, in whole minutes; a bus has its line', () => {
  expect(change).toMatchObject({ transfers: 1, unpriced: ['navitia'], offers: [] });
  expect(change.legs[1]).toEqual({
    kind: 'transfer',
    origin: 'uic:8771304',
    destination: 'uic:8771304',
    minutes: 8,
  });
  const [, bus] = ridesOf(change);
  expect(bus).toMatchObject({ mode: 'bus', brand: 'Bus 65' });
  expect(bus).not.toHaveProperty('number');
});

test('navitia: people stay in a train that goes on under another number', () => {
  expect(stay.transfers).toBe(0);
  const [ride] = ridesOf(stay);
  expect(ride).toMatchObject({ number: '9211', destination: 'uic:8503000' });
  expect(ride?.sections?.map(({ number }) => number)).toEqual(['9211', '9711']);
  const asTransfer = golden.replace(
    '"type":"stay_in"',
    '"type":"transfer","transfer_type":"stay_in"',
  );
  expect(asTransfer).not.toBe(golden);
  expect(read(asTransfer)).toEqual(read(golden));
});

test('navitia: a late train has the time of the timetable and the expected one, at each stop', () => {
  const [ride] = ridesOf(late);
  expect(ride).toMatchObject({
    departure: { iso: '2026-12-01T12:20:00+01:00[Europe/Paris]' },
    expectedDeparture: { iso: '2026-12-01T12:27:00+01:00[Europe/Paris]' },
    arrival: { iso: '2026-12-01T16:24:00+01:00[Europe/Zurich]' },
    expectedArrival: { iso: '2026-12-01T16:36:00+01:00[Europe/Zurich]' },
    stops: [
      {
        arrival: { iso: '2026-12-01T13:53:00+01:00[Europe/Paris]' },
        expectedArrival: { iso: '2026-12-01T14:03:00+01:00[Europe/Paris]' },
        departure: { iso: '2026-12-01T13:55:00+01:00[Europe/Paris]' },
        expectedDeparture: { iso: '2026-12-01T14:05:00+01:00[Europe/Paris]' },
      },
    ],
    remarks: [
      {
        kind: 'disruption',
        text: "Retard: réutilisation d'un train",
        code: 'SIGNIFICANT_DELAYS',
      },
    ],
  });
  expect(late.durationMinutes).toBe(249);
});

test('navitia: of a journey without service the trains that disruptions name do not run, else all', () => {
  const [first, second] = ridesOf(cancelled);
  expect(first).toMatchObject({
    cancelled: true,
    remarks: [{ kind: 'disruption', text: 'Grève. trip canceled', code: 'NO_SERVICE' }],
  });
  expect(second).not.toHaveProperty('cancelled');
  const unnamed = withJourney(4, (journey) => {
    journey.sections[0].display_informations.links = [];
  });
  const [journey] = read(unnamed).journeys as [Journey];
  expect(ridesOf(journey).map((ride) => ride.cancelled)).toEqual([true, true]);
  // Of one that runs, a train that a disruption stops elsewhere runs.
  const running = withJourney(4, (one) => {
    one.status = 'REDUCED_SERVICE';
  });
  const [other] = read(running).journeys as [Journey];
  expect(ridesOf(other).every((ride) => ride.cancelled === undefined)).toBe(true);
});

test('navitia: walks to and from addresses count; a line without a number has its code; a ride on demand is booked', () => {
  expect(walks.durationMinutes).toBe(373);
  expect(walks.legs[0]).toEqual({
    kind: 'transfer',
    origin: 'navitia:48.85000,2.37000',
    destination: 'uic:8768600',
    minutes: 8,
  });
  expect(walks.legs.at(-1)).toMatchObject({ kind: 'transfer', minutes: 14 });
  const [rer, taxi] = ridesOf(walks);
  expect(rer).toMatchObject({ brand: 'RER D', destination: 'uic:8734567' });
  expect(rer).not.toHaveProperty('number');
  expect(taxi).toMatchObject({
    mode: 'bus',
    brand: 'Taxibus',
    booking: { text: 'Réserver la veille. 00 1 234' },
  });
  const { places = [] } = read(golden);
  expect(places.find(({ id }) => id === 'uic:8734567')).toEqual({
    id: 'uic:8734567',
    name: 'Petit-Village',
    zone: 'Europe/Paris',
    latitude: 46.5,
    longitude: 4.5,
  });
  expect(places.find(({ id }) => id === 'navitia:48.85000,2.37000')?.name).toBe(
    '3 Rue Inventée (Paris)',
  );
});

const first = (body: object | string): Journey => read(body).journeys[0] as Journey;

test('navitia: times are on the clocks of the region, at stops abroad too, and are shown on those of the stop', () => {
  const london = withJourney(0, (journey) => {
    for (const end of ['from', 'to']) {
      const { stop_area: area } = journey.sections[1][end].stop_point;
      if (end === 'to') {
        area.codes = [{ type: 'uic', value: '70154005' }];
        area.timezone = 'Europe/London';
      }
    }
  });
  expect(first(london).arrival.iso).toBe('2026-12-01T10:24:00+00:00[Europe/London]');
  expect(first(london).durationMinutes).toBe(244);
  const elsewhere = withJourney(0, (_, body) => {
    body.context.timezone = 'Europe/London';
  });
  expect(first(elsewhere).departure.iso).toBe('2026-12-01T08:20:00+01:00[Europe/Paris]');
  for (const timezone of [undefined, null, '', 'Europe/Nowhere', 5]) {
    const unnamed = withJourney(0, (_, body) => {
      body.context.timezone = timezone;
    });
    expect(first(unnamed).departure).toEqual(direct.departure);
  }
});

test('navitia: in the hour that clocks show twice the duration decides', () => {
  const times = (departure: string, arrival: string, duration?: number) =>
    withJourney(0, (journey) => {
      const [, ride] = journey.sections;
      ride.departure_date_time = ride.base_departure_date_time = `20271031T${departure}`;
      ride.arrival_date_time = ride.base_arrival_date_time = `20271031T${arrival}`;
      ride.duration = duration;
    });
  const minutes = (body: object): readonly number[] => {
    const { departure, arrival } = first(body);
    return [departure.ms, arrival.ms].map((ms) => (ms - Date.UTC(2027, 9, 31)) / 60_000);
  };
  expect(minutes(times('013000', '023000', 3600))).toEqual([-30, 30]);
  expect(minutes(times('013000', '023000', 7200))).toEqual([-30, 90]);
  expect(minutes(times('023000', '033000', 7200))).toEqual([30, 150]);
  expect(minutes(times('023000', '033000', 3600))).toEqual([90, 150]);
  expect(minutes(times('024500', '021500', 1800))).toEqual([45, 75]);
  // Without one, the first that is possible.
  expect(minutes(times('023000', '023500'))).toEqual([30, 35]);
  expect(minutes(times('024500', '021500'))).toEqual([45, 75]);
});

test('navitia: a time with an offset is that instant', () => {
  const offset = golden
    .replaceAll('20261201T072000"', '20261201T062000Z"')
    .replaceAll('20261201T112400"', '2026-12-01T10:24:00+00:00"');
  expect(first(offset)).toEqual(first(golden));
});

test.each<[what: string, fare: unknown, amount: number | undefined, currency?: string]>([
  ['hundredths', { value: '4500', currency: 'centime' }, 4500],
  ['hundredths with zeros', { value: '4500.00', currency: 'centime' }, 4500],
  ['few hundredths', { value: '5', currency: 'centime' }, 5],
  ['units', { value: '120.0', currency: 'euro' }, 12_000],
  ['units by a code', { value: '12.50', currency: 'CHF' }, 1250, 'CHF'],
  ['a number', { value: 45.5, currency: 'EUR' }, 4550],
  ['a currency that is no code', { value: '4500', currency: 'smurf' }, undefined],
  ['no currency', { value: '4500' }, undefined],
])('navitia: a fare of %s', (_what, total, amount, currency = 'EUR') => {
  const body = withJourney(0, (journey) => {
    journey.fare = { found: true, total };
  });
  const { offers, unpriced } = first(body);
  expect(offers.map(({ total: price }) => price)).toEqual(
    amount === undefined ? [] : [{ amount, currency }],
  );
  expect(unpriced).toEqual(amount === undefined ? ['navitia'] : undefined);
});

test.each(['4x', '', '-5', '4.5.1', '1e5', null, undefined, '12345678901234567890'])(
  'navitia: a fare of %j is PROTOCOL: a price is never guessed',
  async (value) => {
    const body = withJourney(0, (journey) => {
      journey.fare.total.value = value;
    });
    expect((await failureOf(() => read(body))).code).toBe('PROTOCOL');
  },
);

test('navitia: a part of a hundredth is PROTOCOL, and so is one of a currency without any', async () => {
  for (const total of [
    { value: '4500.5', currency: 'centime' },
    { value: '45.005', currency: 'EUR' },
    { value: '45.5', currency: 'JPY' },
  ]) {
    const body = withJourney(0, (journey) => {
      journey.fare.total = total;
    });
    expect((await failureOf(() => read(body))).code).toBe('PROTOCOL');
  }
});

test('navitia: prices in `centime` are in the currency of the region', () => {
  const swiss = createNavitia({ ...options, currency: 'CHF' });
  const [journey] = swiss.normalise(wireOf(golden), parisZurich()).journeys;
  expect(journey?.offers[0]?.total).toEqual({ amount: 8950, currency: 'CHF' });
});

const stationAt = (
  change: (point: Record<string, unknown>, area: Record<string, unknown>) => void,
): string => {
  const body = withJourney(0, (journey) => {
    const { from } = journey.sections[1];
    from.id = 'x';
    change(from.stop_point, from.stop_point.stop_area);
  });
  return first(body).legs[0]?.origin ?? '';
};

test.each<[what: string, code: object, id: string]>([
  ['8 digits', { type: 'uic', value: '87686006' }, 'uic:8768600'],
  ['another name of the type', { type: 'UIC8', value: '87686006' }, 'uic:8768600'],
  ['7 digits', { type: 'uic', value: '8768600' }, 'uic:8768600'],
  ['a wrong check digit', { type: 'uic', value: '87686007' }, 'navitia:stop_area:X:1'],
  ['another system', { type: 'gtfs_stop_code', value: '87686006' }, 'navitia:stop_area:X:1'],
  ['no digits', { type: 'uic', value: 'x' }, 'navitia:stop_area:X:1'],
])('navitia: a station with a code of %s', (_what, code, id) => {
  expect(
    stationAt((point, area) => {
      Object.assign(point, { id: 'stop_point:X:1' });
      Object.assign(area, { id: 'stop_area:X:1', codes: [code] });
    }),
  ).toBe(id);
});

test('navitia: without codes a station is known by its id, where the option says that ids have the number', () => {
  const without = (point: Record<string, unknown>, area: Record<string, unknown>): void => {
    delete area['codes'];
    delete point['stop_area'];
  };
  expect(stationAt(without)).toBe('uic:8768600');
  const byFunction = createNavitia({ ...options, stopArea: () => 'stop_area:SIM:1' });
  const body = withJourney(0, (journey) => {
    const { stop_point: point } = journey.sections[1].from;
    without(point, point.stop_area);
  });
  const [journey] = byFunction.normalise(wireOf(JSON.stringify(body)), parisZurich()).journeys;
  expect(journey?.legs[0]?.origin).toBe('navitia:stop_point:SIM:87686006:Train');
});

test.each<[mode: string, expected: string | undefined]>([
  ['physical_mode:LocalTrain', undefined],
  ['physical_mode:RapidTransit', undefined],
  ['physical_mode:Coach', 'bus'],
  ['physical_mode:Tramway', 'tram'],
  ['physical_mode:Metro', 'metro'],
  ['physical_mode:Ferry', 'ferry'],
  ['physical_mode:SuspendedCableCar', 'other'],
  ['physical_mode:Hyperloop', 'other'],
])('navitia: %s', (id, mode) => {
  const body = withJourney(0, (journey) => {
    journey.sections[1].links = [{ type: 'physical_mode', id }];
  });
  expect(ridesOf(first(body))[0]?.mode).toBe(mode);
});

test.each<[text: string, expected: string | undefined]>([
  ['Train de banlieue / RER', undefined],
  ['Train grande vitesse', undefined],
  ['Bus', 'bus'],
  ['Autocar', 'bus'],
  ['Métro', 'metro'],
  ['Tramway', 'tram'],
  ['Téléphérique', 'other'],
])('navitia: without an id of its mode, a vehicle is what people read: %s', (text, mode) => {
  const body = withJourney(0, (journey) => {
    const [, ride] = journey.sections;
    ride.links = [];
    ride.display_informations.physical_mode = text;
    ride.display_informations.commercial_mode = 'X';
  });
  expect(ridesOf(first(body))[0]?.mode).toBe(mode);
});

test.each<[what: string, change: (sections: Record<string, unknown>[]) => void, reason: string]>([
  ['a section by bicycle', ([way]) => Object.assign(way ?? {}, { mode: 'bike' }), 'by bike'],
  ['a hired bicycle', ([way]) => Object.assign(way ?? {}, { type: 'bss_rent' }), 'by bss_rent'],
  ['a shared car', ([way]) => Object.assign(way ?? {}, { type: 'ridesharing' }), 'by ridesharing'],
  [
    'a ride without a place',
    ([, ride]) => Object.assign(ride ?? {}, { to: null }),
    'without a place',
  ],
  [
    'a ride without a time',
    ([, ride]) => Object.assign(ride ?? {}, { arrival_date_time: '' }),
    'without a time',
  ],
  ['no ride', (sections) => sections.splice(1, 1), 'without at least one ride'],
])('navitia: a journey with %s is left out, and counted by its reason', (_what, change, reason) => {
  const body = goldenBody();
  change(body.journeys[0].sections);
  const { journeys, filtered, leftOut } = read(body);
  expect(journeys).toHaveLength(5);
  expect(filtered).toBe(1);
  expect(leftOut).toEqual({ [reason]: 1 });
});

test('navitia: a time that is no time is PROTOCOL', async () => {
  for (const time of ['soon', '20261301T070000', '20261201T250000', 7]) {
    const body = withJourney(0, (journey) => {
      journey.sections[1].departure_date_time = time;
    });
    expect((await failureOf(() => read(body))).code).toBe('PROTOCOL');
  }
});

test('navitia: a type of section that is not known is a ride if it names a vehicle, else a way on foot', () => {
  const body = withJourney(1, (journey) => {
    for (const section of journey.sections) section.type = `new_${section.type}`;
  });
  const { legs, transfers } = first(body);
  expect(transfers).toBe(1);
  // The time of waiting cannot be told from that of a way.
  expect(legs[1]).toMatchObject({ kind: 'transfer', minutes: 20 });
});

test('navitia: one journey that is the best for several reasons is one', () => {
  const body = goldenBody();
  body.journeys.push({ ...body.journeys[0], type: 'comfort' });
  expect(read(body).journeys).toHaveLength(6);
});
