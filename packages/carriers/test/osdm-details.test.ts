// What travellers ask for first, in the shapes of the specification that wires/osdm.md names: other codes, times and texts.
import type { CarrierQuery, Journey, RideLeg } from '@ticketing/core';
import { expect, test } from 'vitest';
import { bytesOf, createCarriers, queryOf } from './upstream.ts';

const { osdm } = createCarriers('http://127.0.0.1:1');
const ask = { atMs: Date.UTC(2026, 10, 30, 23), by: 'departure', direction: 'later' } as const;
type Fields = Readonly<Record<string, unknown>>;

const plain = queryOf('8500010', '8301700');
const withStops: CarrierQuery = { ...plain, stops: true };

function read(trips: readonly object[], offers: readonly object[] = [], query = plain) {
  const body = bytesOf(JSON.stringify({ trips, offers }));
  return osdm.normalise({ pages: [{ ask, offers: body }], whole: true, receivedAt: 1 }, query);
}

const [basel, bern, milano] = ['8500010', '8507000', '8301700'];
const place = (uic: string) => ({ objectType: 'StopPlaceRef', stopPlaceRef: `urn:uic:stn:${uic}` });
const time = (clock: string, estimated?: string) => ({
  timetabledTime: `2026-12-01T${clock}:00+01:00`,
  ...(estimated && { estimatedTime: `2026-12-01T${estimated}:00+01:00` }),
});
const call = (uic: string, fields: Fields) => ({
  stopPlaceRef: place(uic),
  stopPlaceName: 'Stop',
  ...fields,
});

interface LegParts {
  readonly start?: Fields;
  readonly end?: Fields;
  readonly service?: Fields;
  readonly leg?: Fields;
}

const timed = (
  id: string,
  [from, leaves]: readonly [uic: string, clock: string],
  [to, arrives]: readonly [uic: string, clock: string],
  { start, end, service, leg }: LegParts = {},
) => ({
  id,
  timedLeg: {
    start: call(from, { serviceDeparture: time(leaves), ...start }),
    end: call(to, { serviceArrival: time(arrives), ...end }),
    service: {
      mode: { ptMode: 'TRAIN' },
      publishedServiceName: 'EC 57',
      vehicleNumbers: ['57'],
      ...service,
    },
    ...leg,
  },
});
const whole = (parts: LegParts = {}) => timed('l1', [basel, '08:34'], [milano, '11:38'], parts);
const way = (transferMode: string, duration = 'PT8M') => ({
  id: 'w',
  transferLeg: { transferMode, start: place(bern), end: place(bern), duration },
});
const trip = (...legs: readonly object[]) => ({ id: 't1', duration: 'PT3H4M', transfers: 0, legs });
const firstRide = (legs: readonly object[], query = plain): RideLeg =>
  (read([trip(...legs)], [], query).journeys[0] as Journey).legs[0] as RideLeg;

test.each<[fields: Fields, platform: unknown]>([
  [{ plannedStopPointName: '4' }, { planned: '4' }],
  [
    { plannedStopPointName: ' 4 ', estimatedStopPointName: '11 A' },
    { planned: '4', expected: '11 A' },
  ],
  [{ estimatedStopPointName: '11' }, { expected: '11' }],
  [{ plannedStopPointName: 3, estimatedStopPointName: null }, { planned: '3' }],
  [{}, undefined],
  [{ plannedStopPointName: '', estimatedStopPointName: {} }, undefined],
])('osdm: platforms of %j', (fields, platform) => {
  const ride = firstRide([whole({ start: fields, end: fields })]);
  expect([ride.departurePlatform, ride.arrivalPlatform]).toEqual([platform, platform]);
  if (platform === undefined) expect(ride).not.toHaveProperty('departurePlatform');
});

test('osdm: attributes of a leg and of its train are remarks, in plain text, each once', () => {
  const ride = firstRide([
    whole({
      leg: { attributes: [{ text: 'Bikes by <b>reservation</b>', code: 'BIKE' }, null] },
      service: {
        attributes: [
          { text: 'Bistro&nbsp;car', code: 7, url: 'https://rail.example' },
          { text: 'Bikes by reservation' },
          { text: '<br>' },
          { code: 'WIFI' },
        ],
        situationFullRefs: ['sit:12'],
      },
    }),
  ]);
  expect(ride.remarks).toEqual([
    { kind: 'info', text: 'Bikes by reservation', code: 'BIKE' },
    { kind: 'info', text: 'Bistro car' },
  ]);
});

test('osdm: remarks are 20 at most, of 500 characters', () => {
  const attributes = Array.from({ length: 30 }, (_, index) => ({
    text: `${index} ${'x'.repeat(600)}`,
  }));
  const { remarks = [] } = firstRide([whole({ service: { attributes } })]);
  expect(remarks).toHaveLength(20);
  for (const { text } of remarks) expect(text).toHaveLength(500);
});

test.each([undefined, null, 'x', {}, [], [{ text: 5 }]])(
  'osdm: attributes %j are no remarks',
  (attributes) => {
    expect(firstRide([whole({ leg: { attributes }, service: { attributes } })])).not.toHaveProperty(
      'remarks',
    );
  },
);

const intermediates = [
  call('8500218', {
    serviceArrival: time('09:00', '09:04'),
    serviceDeparture: time('09:02', '09:05'),
    plannedStopPointName: '7',
    estimatedStopPointName: '8',
  }),
  call(bern, {
    serviceArrival: time('09:20'),
    serviceDeparture: time('09:21'),
    status: { noBoardingAtStop: true, noAlightingAtStop: true },
  }),
  call('8501506', { serviceDeparture: time('10:10'), status: { notServicedStop: true } }),
  call('8300004', {
    serviceArrival: time('10:30'),
    serviceDeparture: time('10:30'),
    status: { isBorderPoint: true },
  }),
];

test('osdm: stops are calls where people board or alight, with times, platforms and cancellations', () => {
  const { stops } = firstRide([whole({ leg: { intermediates } })], withStops);
  expect(stops).toMatchObject([
    {
      arrival: { iso: '2026-12-01T09:00:00+01:00[Europe/Zurich]' },
      expectedArrival: { iso: '2026-12-01T09:04:00+01:00[Europe/Zurich]' },
      departure: { iso: '2026-12-01T09:02:00+01:00[Europe/Zurich]' },
      expectedDeparture: { iso: '2026-12-01T09:05:00+01:00[Europe/Zurich]' },
      platform: { planned: '7', expected: '8' },
    },
    { departure: { iso: '2026-12-01T10:10:00+01:00[Europe/Zurich]' }, cancelled: true },
  ]);
  expect(stops).toHaveLength(2);
  expect(stops?.[0]).not.toHaveProperty('cancelled');
  expect(stops?.[1]).not.toHaveProperty('arrival');
});

test('osdm: stops are not read unless they are asked for', () => {
  expect(firstRide([whole({ leg: { intermediates } })])).not.toHaveProperty('stops');
});

test.each<[what: string, odd: unknown]>([
  ['without a reference', { stopPlaceName: 'X', serviceDeparture: time('10:00') }],
  ['without a time', call(bern, {})],
  ['with a time that is none', call(bern, { serviceDeparture: { timetabledTime: 'soon' } })],
  ['on a day that is none', call(bern, { serviceArrival: { timetabledTime: '2026-02-30T10:00' } })],
  ['that is no object', 7],
])('osdm: a stop %s costs the list, and not the journey', (_what, odd) => {
  const ride = firstRide([whole({ leg: { intermediates: [...intermediates, odd] } })], withStops);
  expect(ride).toMatchObject({ number: '57' });
  expect(ride).not.toHaveProperty('stops');
});

test('osdm: an empty list of stops is one', () => {
  expect(firstRide([whole({ leg: { intermediates: [] } })], withStops).stops).toEqual([]);
});

test('osdm: a stay in the train has the platforms of its ends, the remarks of both parts, and calls where it changes its number', () => {
  const parts = [
    timed('l1', [basel, '08:34'], [bern, '09:28'], {
      start: { plannedStopPointName: '1' },
      end: { plannedStopPointName: '2' },
      service: { attributes: [{ text: 'Bistro' }] },
      leg: { intermediates: [] },
    }),
    way('REMAIN_IN_VEHICLE'),
    timed('l2', [bern, '09:36'], [milano, '11:38'], {
      start: { plannedStopPointName: '3' },
      service: { vehicleNumbers: ['59'], attributes: [{ text: 'Bistro' }, { text: 'Quiet' }] },
      leg: { intermediates: [] },
    }),
  ];
  const ride = firstRide(parts, withStops);
  expect(ride).toMatchObject({
    departurePlatform: { planned: '1' },
    remarks: [{ text: 'Bistro' }, { text: 'Quiet' }],
    stops: [
      {
        station: `uic:${bern}`,
        arrival: { iso: '2026-12-01T09:28:00+01:00[Europe/Zurich]' },
        departure: { iso: '2026-12-01T09:36:00+01:00[Europe/Zurich]' },
        platform: { planned: '3' },
      },
    ],
    sections: [
      { number: '57', arrivalPlatform: { planned: '2' }, remarks: [{ text: 'Bistro' }] },
      { number: '59', departurePlatform: { planned: '3' } },
    ],
  });
  expect(ride).not.toHaveProperty('arrivalPlatform');
});

test('osdm: a vehicle that comes on demand is marked, and no time until when is guessed', () => {
  const ride = firstRide([whole({ service: { mode: { ptMode: 'ON_DEMAND_SERVICE' } } })]);
  expect(ride).toMatchObject({ mode: 'other', booking: {} });
  expect(ride.booking).toEqual({});
  expect(firstRide([whole()])).not.toHaveProperty('booking');
});

test('osdm: a train that is named by the reference of its company has the name that another has', () => {
  const company = (fields: Fields) => ({ service: { carriers: [fields] } });
  const legs = [
    timed(
      'l1',
      [basel, '08:34'],
      [bern, '09:28'],
      company({ ref: 'urn:uic:rics:2185', name: 'Rail Nord' }),
    ),
    way('WALK'),
    timed('l2', [bern, '09:36'], [milano, '11:38'], company({ ref: 'urn:uic:rics:2185' })),
    way('WALK'),
    timed('l3', [milano, '11:50'], ['8301601', '12:38'], company({ ref: 'urn:uic:rics:9999' })),
  ];
  const { journeys } = read([trip(...legs)]);
  expect(journeys[0]?.legs.flatMap((leg) => (leg.kind === 'ride' ? leg.operator : []))).toEqual([
    'Rail Nord',
    'Rail Nord',
    'urn:uic:rics:9999',
  ]);
});

test('osdm: a trip that delays make impossible is missed at its change; of two changes it is not known which', () => {
  const riskOf = (legs: readonly object[], tripStatus: Fields) =>
    read([{ ...trip(...legs), tripStatus }]).journeys[0]?.legs.flatMap((leg) =>
      leg.kind === 'transfer' ? [leg.risk] : [],
    );
  const [one, two, three] = [
    timed('l1', [basel, '08:34'], [bern, '09:28']),
    timed('l2', [bern, '09:36'], [milano, '11:38']),
    timed('l3', [milano, '11:50'], ['8301601', '12:38']),
  ];
  expect(riskOf([one, way('WALK'), two], { infeasible: true })).toEqual(['missed']);
  expect(riskOf([one, way('WALK'), two], { infeasible: false })).toEqual([undefined]);
  expect(riskOf([one, way('WALK'), two, way('WALK'), three], { infeasible: true })).toEqual([
    undefined,
    undefined,
  ]);
  const cancelled = timed('l2', [bern, '09:36'], [milano, '11:38'], {
    service: { serviceStatus: { cancelled: true } },
  });
  expect(riskOf([one, way('WALK'), cancelled], { infeasible: true })).toEqual([undefined]);
});

const offerOf = (fields: Fields, passengerRefs: readonly string[] = ['p1']) => ({
  offerId: `o-${passengerRefs.join()}`,
  passengerRefs,
  tripCoverage: { coveredTripId: 't1' },
  offerSummary: {
    minimalPrice: { currency: 'EUR', amount: 2900, scale: 2 },
    overallTravelClass: 'SECOND',
    overallFlexibility: 'SEMI_FLEXIBLE',
  },
  ...fields,
});
const conditionsOf = (fields: Fields) =>
  read([trip(whole())], [offerOf(fields)]).journeys[0]?.offers[0]?.conditions;
const ticket = (refundable: unknown, exchangeable: unknown, more: Fields = {}) => ({
  refundable,
  exchangeable,
  ...more,
});

test.each<[what: string, fields: Fields, right: unknown]>([
  ['yes', { admissionOfferParts: [ticket('YES', 'YES')] }, { refund: 'yes', exchange: 'yes' }],
  [
    'with a fee',
    { admissionOfferParts: [ticket('NO', 'WITH_CONDITION')] },
    { refund: 'no', exchange: 'fee' },
  ],
  [
    'of two tickets alike',
    { admissionOfferParts: [ticket('NO', 'YES'), ticket('NO', 'YES')] },
    { refund: 'no', exchange: 'yes' },
  ],
  [
    'of two tickets that differ',
    { admissionOfferParts: [ticket('NO', 'YES'), ticket('YES', 'WITH_CONDITION')] },
    { refund: 'fee', exchange: 'fee' },
  ],
  [
    'of a ticket that says less',
    { admissionOfferParts: [ticket('NO', 'YES'), ticket('NO', undefined)] },
    { refund: 'no', exchange: 'unknown' },
  ],
  [
    'not of what is added to the ticket',
    {
      admissionOfferParts: [ticket('YES', 'YES')],
      reservationOfferParts: [ticket('NO', 'NO')],
      ancillaryOfferParts: [ticket('NO', 'NO')],
    },
    { refund: 'yes', exchange: 'yes' },
  ],
  [
    'of a reservation that is the ticket',
    { reservationOfferParts: [ticket('NO', 'NO')] },
    { refund: 'no', exchange: 'no' },
  ],
  ['unknown', { admissionOfferParts: [ticket('SOMETIMES', null)] }, undefined],
  ['of no parts', {}, undefined],
  ['of additions alone', { ancillaryOfferParts: [ticket('YES', 'YES')] }, undefined],
])('osdm: conditions %s', (_what, fields, right) => {
  expect(conditionsOf(fields)).toEqual(right);
});

test('osdm: the text of conditions is the text of the ticket on refunds and exchanges', () => {
  const products = [
    {
      id: 'a',
      conditions: [
        { type: 'REFUND', description: 'Refund <i>before</i> departure: 10 &euro;.' },
        { type: 'SALE', description: 'Online only.' },
        { type: 'EXCHANGE', description: 'No exchange.' },
        { type: 'EXCHANGE', description: 'No exchange.' },
        { type: 'REFUND' },
      ],
    },
    { id: 'luggage', conditions: [{ type: 'REFUND', description: 'Luggage: no refund.' }] },
  ];
  const admissionOfferParts = [ticket('WITH_CONDITION', 'NO', { products: [{ productId: 'a' }] })];
  const text = 'Refund before departure: 10 €. No exchange.';
  expect(conditionsOf({ products, admissionOfferParts })).toEqual({
    refund: 'fee',
    exchange: 'no',
    text,
  });
  const nameless = [ticket('WITH_CONDITION', 'NO')];
  expect(conditionsOf({ products, admissionOfferParts: nameless })).toMatchObject({
    text: `${text} Luggage: no refund.`,
  });
  const long = [
    { id: 'a', conditions: [{ type: 'REFUND', description: '<p>'.repeat(40) + 'y'.repeat(900) }] },
  ];
  expect(conditionsOf({ products: long })).toEqual({
    refund: 'unknown',
    exchange: 'unknown',
    text: 'y'.repeat(500),
  });
});

test('osdm: conditions of summed offers are the conditions of all', () => {
  const two: CarrierQuery = { ...plain, passengers: [{}, { age: 9 }] };
  const own = (refundable: string, exchangeable?: string) => ({
    admissionOfferParts: [ticket(refundable, exchangeable)],
  });
  const conditionsFor = (a: Fields, b: Fields) =>
    read([trip(whole())], [offerOf(a, ['p1']), offerOf(b, ['p2'])], two).journeys[0]?.offers.map(
      ({ id, conditions }) => [id, conditions],
    );
  expect(conditionsFor(own('YES', 'NO'), own('YES', 'NO'))).toEqual([
    ['o-p1+o-p2', { refund: 'yes', exchange: 'no' }],
  ]);
  expect(conditionsFor(own('YES'), own('NO', 'NO'))).toEqual([
    ['o-p1+o-p2', { refund: 'fee', exchange: 'unknown' }],
  ]);
  expect(conditionsFor(own('YES', 'YES'), {})).toEqual([
    ['o-p1+o-p2', { refund: 'unknown', exchange: 'unknown' }],
  ]);
  expect(conditionsFor({}, {})).toEqual([['o-p1+o-p2', undefined]]);
});
