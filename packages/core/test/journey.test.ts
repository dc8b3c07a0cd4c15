import {
  createJourney,
  createLocalClock,
  type Leg,
  type RideLeg,
  type TransferLeg,
} from '@ticketing/core';
import { expect, test } from 'vitest';
import { barcelona, madrid, offer, train } from './trains.ts';

const clock = createLocalClock();
const ride = (origin: string, destination: string, from: string, to: string): RideLeg => ({
  kind: 'ride',
  origin,
  destination,
  number: '3063',
  departure: clock.fromLocal(`2026-12-01T${from}`, 'Europe/Madrid'),
  arrival: clock.fromLocal(`2026-12-01T${to}`, 'Europe/Madrid'),
});

test('createJourney() derives times, duration and transfers', () => {
  const walk: TransferLeg = { kind: 'transfer', origin: 'b', destination: 'c', minutes: 10 };
  const legs = [
    walk,
    ride('a', 'b', '06:15', '07:00'),
    walk,
    ride('c', 'd', '07:30', '09:00'),
    walk,
  ];
  const journey = createJourney({ source: 'renfe', legs, offers: [] });
  expect(journey).toMatchObject({
    departure: { iso: '2026-12-01T06:15:00+01:00[Europe/Madrid]' },
    arrival: { iso: '2026-12-01T09:00:00+01:00[Europe/Madrid]' },
    durationMinutes: 185,
    transfers: 1,
    sources: ['renfe'],
    legs,
  });
  expect(structuredClone(journey)).toEqual(journey);
  expect(JSON.parse(JSON.stringify(journey))).toEqual(journey);
});

test('createJourney() counts the ways at the ends, without unknown ones', () => {
  const walk: TransferLeg = { kind: 'transfer', origin: 'a', destination: 'b', minutes: 7 };
  const train = ride('b', 'c', '07:00', '08:00');
  const minutes = (legs: readonly Leg[]) =>
    createJourney({ source: 'x', legs, offers: [] }).durationMinutes;
  expect(minutes([train])).toBe(60);
  expect(minutes([walk, train])).toBe(67);
  expect(minutes([walk, walk, train, walk])).toBe(81);
  expect(minutes([{ ...walk, nearby: true }, train, { ...walk, nearby: true }])).toBe(60);
});

const expected = (from: string, to: string) => ({
  expectedDeparture: clock.fromLocal(`2026-12-01T${from}`, 'Europe/Madrid'),
  expectedArrival: clock.fromLocal(`2026-12-01T${to}`, 'Europe/Madrid'),
});

test('createJourney() counts the minutes that are expected', () => {
  const late = { ...ride('a', 'b', '06:00', '07:00'), ...expected('06:10', '07:25') };
  const journey = createJourney({ source: 'x', legs: [late], offers: [] });
  expect(journey).toMatchObject({
    departure: late.departure,
    arrival: late.arrival,
    durationMinutes: 75,
  });
});

test('createJourney() takes trains whose planned times overlap when the second is late enough', () => {
  const change: TransferLeg = { kind: 'transfer', origin: 'b', destination: 'b', minutes: 9 };
  const late = { ...ride('b', 'c', '06:30', '07:00'), ...expected('07:12', '07:40') };
  const legs = [ride('a', 'b', '06:00', '07:00'), change, late];
  expect(createJourney({ source: 'x', legs, offers: [] })).toMatchObject({
    legs,
    durationMinutes: 100,
  });
});

test('createJourney() marks a transfer to a train that is expected to have left', () => {
  const change: TransferLeg = { kind: 'transfer', origin: 'b', destination: 'b', minutes: 5 };
  const late = { ...ride('a', 'b', '06:00', '07:00'), ...expected('06:20', '07:20') };
  const next = ride('b', 'c', '07:05', '08:00');
  const legsOf = (legs: readonly Leg[]) => createJourney({ source: 'x', legs, offers: [] }).legs;
  expect(legsOf([late, change, next])).toEqual([late, { ...change, risk: 'missed' }, next]);
  const cancelled = { ...next, cancelled: true as const };
  expect(legsOf([late, change, cancelled])).toEqual([late, change, cancelled]);
  const waits = { ...next, ...expected('07:25', '08:10') };
  expect(legsOf([late, change, waits])).toEqual([late, change, waits]);
  // Without a way between them there is one to be marked.
  const mark = { kind: 'transfer', origin: 'b', destination: 'b', minutes: 0, risk: 'missed' };
  expect(legsOf([late, next])).toEqual([late, mark, next]);
});

test('createJourney() marks a transfer as tight that takes longer than the time that is expected', () => {
  const change: TransferLeg = { kind: 'transfer', origin: 'b', destination: 'b', minutes: 5 };
  const risksOf = (first: RideLeg, second: RideLeg, ways: readonly TransferLeg[] = [change]) =>
    createJourney({ source: 'x', legs: [first, ...ways, second], offers: [] }).legs.map((leg) =>
      leg.kind === 'transfer' ? leg.risk : leg.kind,
    );
  const first = ride('a', 'b', '06:00', '07:00');
  const next = ride('b', 'c', '07:10', '08:00');
  const arriving = (at: string) => ({ ...first, ...expected('06:00', at) });
  expect(risksOf(first, next)).toEqual(['ride', undefined, 'ride']);
  expect(risksOf(arriving('07:05'), next)).toEqual(['ride', undefined, 'ride']);
  expect(risksOf(arriving('07:06'), next)).toEqual(['ride', 'tight', 'ride']);
  expect(risksOf(arriving('07:10'), next)).toEqual(['ride', 'tight', 'ride']);
  expect(risksOf(arriving('07:11'), next)).toEqual(['ride', 'missed', 'ride']);
  expect(risksOf(arriving('07:02'), next, [change, change])).toEqual([
    'ride',
    undefined,
    'tight',
    'ride',
  ]);
  // A connection that is as short as planned is held.
  const short = ride('b', 'c', '07:03', '08:00');
  expect(risksOf(first, short)).toEqual(['ride', undefined, 'ride']);
  expect(risksOf(arriving('07:00'), short)).toEqual(['ride', undefined, 'ride']);
  expect(risksOf(arriving('07:01'), short)).toEqual(['ride', 'tight', 'ride']);
  // The carrier knows more than its times show.
  expect(risksOf(first, next, [{ ...change, risk: 'tight' }])).toEqual(['ride', 'tight', 'ride']);
  expect(risksOf(arriving('07:06'), next, [{ ...change, risk: 'missed' }])).toEqual([
    'ride',
    'missed',
    'ride',
  ]);
  expect(risksOf(arriving('07:11'), next, [{ ...change, risk: 'tight' }])).toEqual([
    'ride',
    'missed',
    'ride',
  ]);
});

test('createJourney() counts minutes over a clock change', () => {
  const night = train({ at: '2027-10-31T01:00', until: '2027-10-31T05:00' });
  expect(night.durationMinutes).toBe(300);
});

test('createJourney() sorts the offers, cheapest first', () => {
  const offers = [offer('b', 300), offer('a', 300), offer('a', 100), offer('a', 200)];
  expect(train({ offers }).offers.map(({ id }) => id)).toEqual([
    'a-100',
    'a-200',
    'a-300',
    'b-300',
  ]);
  expect(offers[0]?.id).toBe('b-300');
});

test('createJourney() gives the same train the same id, whoever sells it, in every version', () => {
  const id = train({ number: '3063', brand: 'AVE' }).id;
  expect(id).toBe('j-qo5bak15x3n2o');
  expect(train({ number: '3063', source: 'other', at: '2026-12-01T06:20' }).id).toBe(id);
  expect(train({ number: '3063', operatingDay: '2026-12-01' }).id).toBe(id);
  expect(train({ number: '3063', operatingDay: '2026-11-30' }).id).not.toBe(id);
  expect(train({ number: '3064' }).id).not.toBe(id);
  expect(train({ number: '3063', destination: madrid.id, origin: barcelona.id }).id).not.toBe(id);
});

test('createJourney() names a train without number by its times, brand and operator', () => {
  const id = train({ brand: 'AVE' }).id;
  expect(train({ brand: 'AVE' }).id).toBe(id);
  expect(train({ brand: 'AVLO' }).id).not.toBe(id);
  expect(train({ brand: 'AVE', at: '2026-12-01T06:16' }).id).not.toBe(id);
  expect(train({ brand: 'AVE', operator: 'Renfe' }).id).not.toBe(id);
});

test('createJourney() refuses legs that are no journey', () => {
  const make = (legs: readonly RideLeg[]) => () => createJourney({ source: 'x', legs, offers: [] });
  const error = (got: string, expected = 'legs in order of time') =>
    expect.objectContaining({
      code: 'ERR_JOURNEY',
      message: `Cannot create journey: it must have ${expected}, got ${got}`,
    });
  expect(make([])).toThrow(error('0 legs without one', 'at least one ride'));
  const backwards = ride('a', 'b', '08:00', '07:00');
  expect(make([backwards])).toThrow(
    error(`${backwards.departure.iso} to ${backwards.arrival.iso}`),
  );
  const early = ride('b', 'c', '06:30', '09:00');
  expect(make([ride('a', 'b', '06:00', '07:00'), early])).toThrow(
    error(`${early.departure.iso} to ${early.arrival.iso}`),
  );
});

test('createJourney() names the field of a leg or an offer that is missing or wrong', () => {
  const legs = [ride('a', 'b', '06:00', '07:00')];
  const { fetchedAt: _fetchedAt, ...undated } = offer('a', 1);
  const refused = (parts: object, parameter: string, message: string) =>
    expect(() => createJourney({ source: 'x', legs, offers: [], ...parts } as never)).toThrow(
      expect.objectContaining({
        code: 'ERR_JOURNEY',
        message: `Cannot create journey: ${message}`,
        data: expect.objectContaining({ parameter }),
      }),
    );
  const undatedAt = 'offers[0].fetchedAt';
  refused({ offers: [undated] }, undatedAt, '`offers[0].fetchedAt` is missing');
  const priceless = [offer('a', 1), { ...undated, total: undefined }];
  refused({ offers: priceless }, 'offers[1].total', '`offers[1].total` is missing');
  const timeless = [{ ...legs[0], departure: { ms: Number.NaN, iso: 'never' } }];
  const ms = 'legs[0].departure.ms';
  refused({ legs: timeless }, ms, '`legs[0].departure.ms` must be a number, got NaN');
  refused({ offers: null }, 'offers', '`offers` must be a list, got null');
});

const time = clock.fromLocal('2026-12-01T06:30', 'Europe/Madrid');
const section = { ...ride('a', 'b', '06:00', '07:00'), kind: undefined };
const remark = { kind: 'info', text: 'No bicycles' } as const;
const aRemark = 'a disruption or an info with a text of 1 to 500 characters';
const aPlatform = 'a platform, planned or expected, of 1 to 500 characters';
const aStop = 'a station with times and a platform';
const aBooking = 'a booking: until when, and a text of 1 to 500 characters';
const someConditions =
  'refund and exchange as yes, fee, no or unknown, and a text of 1 to 500 characters';

test.each<[field: string, wrong: unknown, rule: string]>([
  ['departurePlatform', '5', `${aPlatform}, got 5`],
  ['departurePlatform', {}, `${aPlatform}, got [object Object]`],
  ['arrivalPlatform', { expected: 5 }, `${aPlatform}, got [object Object]`],
  ['arrivalPlatform', { planned: '' }, `${aPlatform}, got [object Object]`],
  ['remarks', 'late', 'a list, got late'],
  ['remarks[0]', ['late'], `${aRemark}, got late`],
  ['remarks[1]', [remark, { text: 'x' }], `${aRemark}, got [object Object]`],
  ['remarks[0]', [{ kind: 'info' }], `${aRemark}, got [object Object]`],
  ['remarks[0]', [{ kind: 'info', text: '' }], `${aRemark}, got [object Object]`],
  ['remarks[0]', [{ kind: 'info', text: 'x'.repeat(501) }], `${aRemark}, got [object Object]`],
  ['remarks[0]', [{ ...remark, language: 7 }], `${aRemark}, got [object Object]`],
  ['stops', {}, 'a list, got [object Object]'],
  ['stops[0]', [{}], `${aStop}, got [object Object]`],
  ['stops[1]', [{ station: 'x' }, { station: 'x', arrival: '06:30' }], `${aStop}, got [object`],
  ['stops[0]', [{ station: 'x', platform: '5' }], `${aStop}, got [object Object]`],
  ['stops[0]', [{ station: 'x', cancelled: false }], `${aStop}, got [object Object]`],
  ['booking', true, `${aBooking}, got true`],
  ['booking', { until: 5 }, `${aBooking}, got [object Object]`],
  ['booking', { text: '' }, `${aBooking}, got [object Object]`],
  ['sections', 'x', 'a list, got x'],
  ['sections[0].departure.ms', [{ ...section, departure: { iso: '' } }], 'missing'],
  ['sections[1].stops[0]', [section, { ...section, stops: [1] }], `${aStop}, got 1`],
])('createJourney() refuses a ride whose %s is wrong: %j', (field, wrong, rule) => {
  const legs = [{ ...ride('a', 'b', '06:00', '07:00'), [field.split(/\W/)[0] ?? '']: wrong }];
  const place = `\`legs[0].${field}\``;
  expect(() => createJourney({ source: 'x', legs, offers: [] } as never)).toThrow(
    `Cannot create journey: ${rule === 'missing' ? `${place} is missing` : `${place} must be ${rule}`}`,
  );
});

test('createJourney() refuses more than 20 remarks, and takes as many', () => {
  const legs = [ride('a', 'b', '06:00', '07:00')];
  const make = (count: number, where: 'legs' | 'journey') => {
    const remarks = Array.from({ length: count }, (_, index) => ({ ...remark, text: `${index}` }));
    return where === 'journey'
      ? createJourney({ source: 'x', legs, offers: [], remarks })
      : createJourney({ source: 'x', legs: legs.map((leg) => ({ ...leg, remarks })), offers: [] });
  };
  expect(make(20, 'journey').remarks).toHaveLength(20);
  expect(make(20, 'legs').legs).toMatchObject([{ remarks: { length: 20 } }]);
  expect(() => make(21, 'journey')).toThrow('`remarks` must be at most 20 remarks, got ');
  expect(() => make(21, 'legs')).toThrow('`legs[0].remarks` must be at most 20 remarks, got ');
});

test.each<[field: string, wrong: unknown, rule: string]>([
  ['passengers', [], 'a list of passengers from 0 to 8, ascending, got []'],
  ['passengers', [1, 0], 'a list of passengers from 0 to 8, ascending, got 1,0'],
  ['passengers', [9], 'a list of passengers from 0 to 8, ascending, got 9'],
  ['passengers', 1, 'a list of passengers from 0 to 8, ascending, got 1'],
  ['conditions', 'no', `${someConditions}, got no`],
  ['conditions', { refund: 'yes' }, `${someConditions}, got [object Object]`],
  ['conditions', { refund: 'yes', exchange: true }, `${someConditions}, got [object Object]`],
  ['conditions', { refund: 'no', exchange: 'no', text: '' }, `${someConditions}, got [object`],
])('createJourney() refuses an offer whose %s is wrong: %j', (field, wrong, rule) => {
  const legs = [ride('a', 'b', '06:00', '07:00')];
  const offers = [{ ...offer('a', 1), [field]: wrong }];
  expect(() => createJourney({ source: 'x', legs, offers } as never)).toThrow(
    `Cannot create journey: \`offers[0].${field}\` must be ${rule}`,
  );
});

test.each<[field: string, wrong: unknown, rule: string]>([
  ['risk', 'late', 'tight or missed, got late'],
  ['nearby', 1, 'true, got 1'],
])('createJourney() refuses a way whose %s is wrong: %j', (field, wrong, rule) => {
  const way = { kind: 'transfer', origin: 'x', destination: 'a', minutes: 5, [field]: wrong };
  const legs = [way, ride('a', 'b', '06:00', '07:00')];
  expect(() => createJourney({ source: 'x', legs, offers: [] } as never)).toThrow(
    `Cannot create journey: \`legs[0].${field}\` must be ${rule}`,
  );
});

test('createJourney() keeps every detail of a train, and the id does not depend on them', () => {
  const plain = ride('a', 'b', '06:00', '07:00');
  const full: RideLeg = {
    ...plain,
    departurePlatform: { planned: '5', expected: '7' },
    arrivalPlatform: { expected: '1A' },
    remarks: [{ ...remark, code: 'FB', language: 'en' }],
    stops: [{ station: 'x', arrival: time, departure: time, platform: { planned: '2' } }],
    booking: { until: time, text: 'Call 0800' },
    sections: [{ ...ride('a', 'b', '06:00', '07:00'), remarks: [remark] }],
  };
  const offers = [
    offer('a', 1, {
      passengers: [0, 2],
      conditions: { refund: 'fee', exchange: 'yes', text: 'Until departure' },
    }),
  ];
  const journey = createJourney({ source: 'x', legs: [full], offers, remarks: [remark] });
  expect(journey).toMatchObject({ legs: [full], offers, remarks: [remark] });
  expect(journey.id).toBe(createJourney({ source: 'x', legs: [plain], offers: [] }).id);
  expect(JSON.parse(JSON.stringify(structuredClone(journey)))).toEqual(journey);
});
