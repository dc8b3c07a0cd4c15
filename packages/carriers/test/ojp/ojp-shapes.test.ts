// Shapes of real answers, which wires/ojp.md names: written anew, with other codes and times.
import type { Journey, RideLeg, TransferLeg } from '@ticketing/core';
import { expect, test } from 'vitest';
import { createOjp } from '../../src/index.ts';
import { failureOf } from '../upstream.ts';
import { delivery, ojp, options, read, wireOf, zurichBern } from './ojp-answers.ts';

const answer = (...trips: readonly string[]): string =>
  delivery(`<OJPTripDelivery>${trips.join('')}</OJPTripDelivery>`);

interface TripParts {
  readonly duration?: string;
  readonly transfers?: number;
}

const trip = (legs: readonly string[], { duration = 'PT1H', transfers = 0 }: TripParts = {}) =>
  `<TripResult><Trip><Duration>${duration}</Duration><Transfers>${transfers}</Transfers>${legs.map((leg) => `<Leg>${leg}</Leg>`).join('')}</Trip></TripResult>`;

interface RideParts {
  readonly mode?: string;
  readonly service?: string;
  /** The category that the mode has. */
  readonly kind?: string;
  readonly expected?: readonly [departure: string, arrival: string];
}

type End = readonly [reference: string, time: string];
const day = '2026-12-01';
const timeOf = (time: string): string => (time.includes('T') ? time : `${day}T${time}:00Z`);
function timed(
  from: End,
  to: End,
  { mode = 'rail', service = '', kind, expected }: RideParts = {},
): string {
  const call = ([reference, time]: End, side: string, late?: string) =>
    `<siri:StopPointRef>${reference}</siri:StopPointRef><StopPointName><Text>Stop</Text></StopPointName><Service${side}><TimetabledTime>${timeOf(time)}</TimetabledTime>${late ? `<EstimatedTime>${timeOf(late)}</EstimatedTime>` : ''}</Service${side}>`;
  return `<TimedLeg><LegBoard>${call(from, 'Departure', expected?.[0])}</LegBoard><LegAlight>${call(to, 'Arrival', expected?.[1])}</LegAlight><Service><OperatingDayRef>${day}</OperatingDayRef><Mode><PtMode>${mode}</PtMode>${kind ? `<ShortName><Text>${kind}</Text></ShortName>` : ''}</Mode>${service}</Service></TimedLeg>`;
}

const stopRef = (reference: string) =>
  `<siri:StopPointRef>${reference}</siri:StopPointRef><Name><Text>x</Text></Name>`;
const position =
  '<GeoPosition><siri:Longitude>7.59021</siri:Longitude><siri:Latitude>47.547</siri:Latitude></GeoPosition><Name><Text>Lane 3</Text></Name>';
const way = (type: string, from: string, to: string, duration: string) =>
  `<TransferLeg><TransferType>${type}</TransferType><LegStart>${from}</LegStart><LegEnd>${to}</LegEnd><Duration>${duration}</Duration></TransferLeg>`;
const named = (name: string, number?: string) =>
  `<PublishedServiceName><Text>${name}</Text></PublishedServiceName>${number ? `<TrainNumber>${number}</TrainNumber>` : ''}`;

const [zurich, bern, basel, olten] = ['8503000', '8507000', '8500010', '8500218'] as const;
const first = timed([zurich, '07:34'], [olten, '07:53'], { service: named('TGV', '9299') });
const second = timed([olten, '07:56'], [bern, '10:38'], { service: named('TGV', '9299') });
const ridesOf = ({ legs }: Journey) => legs.filter((leg): leg is RideLeg => leg.kind === 'ride');
const waysOf = ({ legs }: Journey) =>
  legs.filter((leg): leg is TransferLeg => leg.kind === 'transfer');

test.each(['remainInVehicle', 'changeWithinVehicle'])(
  'ojp: %s is no change, but a ride of two sections',
  (type) => {
    const stay = way(type, stopRef(olten), stopRef(olten), 'PT3M');
    const { journeys, places, filtered } = read(
      answer(trip([first, stay, second], { duration: 'PT3H4M' })),
    );
    expect(filtered).toBeUndefined();
    expect(journeys).toMatchObject([
      {
        transfers: 0,
        durationMinutes: 184,
        legs: [
          {
            kind: 'ride',
            origin: 'uic:8503000',
            destination: 'uic:8507000',
            number: '9299',
            brand: 'TGV',
            sections: [
              { origin: 'uic:8503000', destination: 'uic:8500218', number: '9299' },
              { origin: 'uic:8500218', destination: 'uic:8507000', number: '9299' },
            ],
          },
        ],
      },
    ]);
    expect(journeys[0]?.legs).toHaveLength(1);
    expect(places?.map(({ id }) => id)).toContain('uic:8500218');
  },
);

test('ojp: a ride of sections is the same journey as the train that another carrier has whole', () => {
  const stay = way('remainInVehicle', stopRef(olten), stopRef(olten), 'PT3M');
  const whole = timed([zurich, '07:34'], [bern, '10:38'], { service: named('TGV', '9299') });
  const ids = [trip([first, stay, second]), trip([whole])].map(
    (one) => read(answer(one)).journeys[0]?.id,
  );
  expect(ids[0]).toBe(ids[1]);
});

test('ojp: three sections, of which the last is late and cancelled, are one ride', () => {
  const stay = way('remainInVehicle', stopRef(olten), stopRef(olten), 'PT3M');
  const third = timed([bern, '10:40'], [basel, '11:30'], {
    expected: ['10:50', '11:45'],
    service: `${named('TGV', '9298')}<Cancelled>true</Cancelled>`,
  });
  const [journey] = read(answer(trip([first, stay, second, stay, third]))).journeys;
  expect(journey).toMatchObject({ transfers: 0, durationMinutes: 251 });
  expect(ridesOf(journey as Journey)).toMatchObject([
    {
      number: '9299',
      cancelled: true,
      sections: [{ number: '9299' }, {}, { number: '9298', cancelled: true }],
    },
  ]);
});

test('ojp: a stay that ends before it begins is left out', () => {
  const stay = way('remainInVehicle', stopRef(olten), stopRef(olten), 'PT3M');
  const early = timed([olten, '07:40'], [bern, '10:38']);
  expect(read(answer(trip([first, stay, early])))).toMatchObject({ journeys: [], filtered: 1 });
});

test.each([
  'walk',
  'protectedConnection',
  'guaranteedConnection',
  'checkIn',
  'checkOut',
  'other',
  'hover',
])('ojp: a transfer of the kind %s is a change', (type) => {
  const { journeys } = read(
    answer(
      trip([first, way(type, stopRef(olten), stopRef(olten), 'PT2M'), second], { transfers: 1 }),
    ),
  );
  expect(journeys).toMatchObject([
    { transfers: 1, legs: [{}, { kind: 'transfer', minutes: 2 }, {}] },
  ]);
});

test.each(['taxi', 'shuttle', 'parkAndRide', 'bikeAndRide', 'carHire', 'bikeHire'])(
  'ojp: a way by %s is another journey than one by train, and left out',
  (type) => {
    const found = read(
      answer(
        trip([first, way(type, stopRef(olten), stopRef(olten), 'PT2M'), second]),
        trip([first]),
      ),
    );
    expect(found).toMatchObject({
      filtered: 1,
      leftOut: { [`by ${type}`]: 1 },
      journeys: { length: 1 },
    });
  },
);

test('ojp: durations and changes are the values of the answer', () => {
  const walk = (duration: string) => way('walk', position, stopRef(zurich), duration);
  const late = timed([zurich, '07:30'], [olten, '07:53'], { expected: ['07:30', '08:05'] });
  const trips: readonly [
    legs: readonly string[],
    duration: string,
    minutes: number,
    transfers: number,
  ][] = [
    [[first], 'PT19M', 19, 0],
    [[walk('PT4M'), first], 'PT23M', 23, 0],
    [
      [walk('P0Y0M0DT0H4M0S'), first, way('walk', stopRef(olten), position, 'PT2M44.5S')],
      'PT25M44S',
      26,
      0,
    ],
    [[walk('PT4M'), late], 'PT39M', 39, 0],
    // Two walks of thirteen and five minutes, and of 18 seconds each.
    [
      [walk('PT13M18S'), first, way('walk', stopRef(olten), position, 'PT5M18S')],
      'PT37M36S',
      38,
      0,
    ],
    [
      [
        timed([zurich, '08:34'], [olten, '08:53']),
        way('walk', stopRef(olten), stopRef(olten), 'PT3M'),
        timed([olten, '08:56'], [bern, '11:38']),
      ],
      'PT3H4M',
      184,
      1,
    ],
  ];
  const alone = trips.map(
    ([legs, duration, , transfers]) =>
      read(answer(trip(legs, { duration, transfers }))).journeys[0],
  );
  expect(alone.map((one) => [one?.durationMinutes, one?.transfers])).toEqual(
    trips.map(([, , minutes, transfers]) => [minutes, transfers]),
  );
});

test('ojp: a walk from an address, which has no reference, is a walk', () => {
  const walk = `<ContinuousLeg><LegStart>${position}</LegStart><LegEnd>${stopRef(zurich)}</LegEnd><Service><PersonalMode>foot</PersonalMode></Service><Duration>PT4M</Duration></ContinuousLeg>`;
  const { journeys, places } = read(answer(trip([walk, first])));
  expect(waysOf(journeys[0] as Journey)).toMatchObject([
    { origin: 'ojp:47.54700,7.59021', destination: 'uic:8503000', minutes: 4 },
  ]);
  expect(places).toContainEqual({
    id: 'ojp:47.54700,7.59021',
    name: 'Lane 3',
    zone: 'Europe/Zurich',
    latitude: 47.547,
    longitude: 7.59021,
  });
});

test.each([
  ['of 170 characters', 'U3xBPTFATz1'.repeat(16).slice(0, 170)],
  ['with a space', 'SI:01 112 2782'],
  ['with a slash and an equals sign', 'a/b==+x-'],
])('ojp: a reference %s is a place', (_what, reference) => {
  const { journeys, filtered } = read(answer(trip([timed([reference, '07:34'], [bern, '07:53'])])));
  expect(filtered).toBeUndefined();
  expect(ridesOf(journeys[0] as Journey)[0]?.origin).toBe(`ojp:${reference}`);
});

test('ojp: a reference of more than 512 characters leaves its trip out', () => {
  const found = read(
    answer(trip([timed(['x'.repeat(513), '07:34'], [bern, '07:53'])]), trip([first])),
  );
  expect(found).toMatchObject({ filtered: 1, journeys: { length: 1 } });
});

test('ojp: times without an offset are on the clocks of their stops', () => {
  const local = timed(['7015400', '2026-12-01T18:55:00'], ['8727100', '2026-12-01T22:13:00'], {
    service: named('EST', '9051'),
  });
  const { journeys } = read(answer(trip([local], { duration: 'PT2H18M' })));
  expect(journeys).toMatchObject([
    {
      departure: { iso: '2026-12-01T18:55:00+00:00[Europe/London]' },
      arrival: { iso: '2026-12-01T22:13:00+01:00[Europe/Paris]' },
      durationMinutes: 138,
    },
  ]);
});

test('ojp: a train that is not planned has the times that are expected', () => {
  const added = first.replaceAll('TimetabledTime', 'EstimatedTime');
  expect(read(answer(trip([added]))).journeys).toMatchObject([{ durationMinutes: 19 }]);
});

test('ojp: a late train that is caught is shown, one that is not reached is marked', () => {
  const caught = timed([olten, '07:45'], [bern, '08:15'], { expected: ['08:01', '08:30'] });
  const late = timed([zurich, '07:30'], [olten, '07:53'], { expected: ['07:30', '08:05'] });
  const walk = way('walk', stopRef(olten), stopRef(olten), 'PT3M');
  const { journeys, filtered } = read(
    answer(trip([first, walk, caught]), trip([late, walk, second])),
  );
  expect(filtered).toBeUndefined();
  expect(journeys.map((one) => [waysOf(one)[0]?.risk, one.durationMinutes])).toEqual([
    [undefined, 56],
    ['missed', 188],
  ]);
});

test.each([
  ['tramService', 'tram'],
  ['tram', 'tram'],
  ['urbanRailService', undefined],
  ['railwayService', undefined],
  ['suburbanRail', undefined],
  ['busService', 'bus'],
  ['coachService', 'bus'],
  ['trolleyBus', 'bus'],
  ['metroService', 'metro'],
  ['underground', 'metro'],
  ['waterTransportService', 'ferry'],
  ['ferryService', 'ferry'],
  ['funicular', 'other'],
  ['telecabinService', 'other'],
  ['hovercraft-to-be', 'other'],
])('ojp: the mode %s is %s', (mode, right) => {
  const [ride] = ridesOf(
    read(answer(trip([timed([zurich, '07:34'], [bern, '07:53'], { mode })])))
      .journeys[0] as Journey,
  );
  expect(ride?.mode).toBe(right);
});

const category = (name: string) =>
  `<ProductCategory><ShortName><Text>${name}</Text></ShortName></ProductCategory>`;
test.each([
  [
    'a line code that people do not know',
    `${category('TGV')}${named('612B', '9298')}`,
    'TGV',
    '9298',
  ],
  ['a line that begins with the category', `${category('IC')}${named('IC6', '629')}`, 'IC6', '629'],
  ['category and number', `${category('EC')}${named('EC 57', '57')}`, 'EC', '57'],
  ['a number in the name alone', named('RJ 797'), 'RJ', '797'],
  ['two digits, which may be a line', named('RB 87'), 'RB 87', undefined],
  ['numbers of two trains', named('EC 47_46'), 'EC 47_46', undefined],
  ['a category alone', category('IR'), 'IR', undefined],
  ['nothing', '', undefined, undefined],
])('ojp: the name of a train with %s', (_what, service, brand, number) => {
  const { journeys } = read(answer(trip([timed([zurich, '07:34'], [bern, '07:53'], { service })])));
  const [ride] = ridesOf(journeys[0] as Journey);
  expect([ride?.brand, ride?.number]).toEqual([brand, number]);
});

test('ojp: the category of a mode is a name where the published one is none', () => {
  const zug = { service: named('Zug'), kind: 'EC' };
  const { journeys } = read(answer(trip([timed([zurich, '07:34'], [bern, '07:53'], zug)])));
  expect(ridesOf(journeys[0] as Journey)[0]?.brand).toBe('EC');
});

test('ojp: what 1.0 writes in a description is the error', async () => {
  const body = delivery(
    '<OJPTripDelivery><siri:Status>false</siri:Status><siri:ErrorCondition><siri:OtherError></siri:OtherError><siri:Description>TRIP_NOTRIPFOUND</siri:Description></siri:ErrorCondition></OJPTripDelivery>',
  );
  expect((await failureOf(() => read(body))).code).toBe('NO_RESULTS');
});

test("ojp: an error of which nothing is known is the server's", async () => {
  const body = delivery(
    '<OJPTripDelivery><siri:ErrorCondition><siri:OtherError/><siri:Description>Backend gone</siri:Description></siri:ErrorCondition></OJPTripDelivery>',
  );
  expect(await failureOf(() => read(body))).toMatchObject({
    code: 'UPSTREAM',
    message: 'Cannot ask `ojp`: it answered an error without a type',
  });
});

test.each([
  ['iso-8859-1', 'latin1', ''],
  ['utf-8', 'utf8', '\ufeff'],
  ['utf-16', 'utf16le', '\ufeff'],
] as const)('ojp: XML in %s is read', (encoding, bytes, mark) => {
  const text = answer(trip([first]))
    .replaceAll('>Stop<', '>Zürich<')
    .replace(zurich, 'x:1');
  const body = Buffer.from(`${mark}<?xml version="1.0" encoding="${encoding}"?>${text}`, bytes);
  const { places } = createOjp(options).normalise(wireOf(body), zurichBern());
  expect(places?.[0]?.name).toBe('Zürich');
});

test('ojp: XML in an encoding that is none is PROTOCOL', async () => {
  const body = `<?xml version="1.0" encoding="klingon"?>${answer(trip([first]))}`;
  expect(await failureOf(() => ojp.normalise(wireOf(body), zurichBern()))).toMatchObject({
    code: 'PROTOCOL',
  });
});

test('ojp: texts that people are shown are bounded', () => {
  const long = 'x'.repeat(5000);
  const text = answer(
    trip([timed(['x:1', '07:34'], [bern, '07:53'], { service: named(long) })]),
  ).replaceAll('>Stop<', `>${long}<`);
  const { journeys, places } = read(text);
  expect(ridesOf(journeys[0] as Journey)[0]?.brand).toHaveLength(500);
  expect(places?.[0]?.name).toHaveLength(500);
});

test('ojp: where the duration is all the time between two trains, the way is the walk in it', () => {
  const whole = way('walk', stopRef(olten), stopRef(olten), 'PT11M').replace(
    '</TransferLeg>',
    '<WalkDuration>PT3M</WalkDuration><BufferTime>PT8M</BufferTime></TransferLeg>',
  );
  const { journeys } = read(answer(trip([first, whole, second], { transfers: 1 })));
  expect(journeys[0]?.legs[1]).toMatchObject({ kind: 'transfer', minutes: 3 });
});

const emission = (factor: string): string =>
  `<EmissionCO2><KilogramPerPersonKm>${factor}</KilogramPerPersonKm></EmissionCO2>`;
const section = (length?: string): string =>
  `<TrackSection>${length === undefined ? '' : `<Length>${length}</Length>`}<Duration>PT5M</Duration></TrackSection>`;
const tracked = (leg: string, ...lengths: readonly (string | undefined)[]): string =>
  leg.replace('</TimedLeg>', `<LegTrack>${lengths.map(section).join('')}</LegTrack></TimedLeg>`);
const gramsOf = (body: string) =>
  read(body).journeys.flatMap((journey) => ridesOf(journey).map(({ co2Grams }) => co2Grams));

test.each<[factor: string, lengths: readonly (string | undefined)[], grams: number | undefined]>([
  ['0.007', ['118217'], 828],
  ['0.1', ['1000', '500'], 150],
  ['1.0E-2', ['100000'], 1000],
  ['0', ['1000'], 0],
  // A section without a length leaves the length of the ride open.
  ['0.1', ['1000', undefined], undefined],
  ['0.1', [], undefined],
  ['-0.1', ['1000'], undefined],
  ['n/a', ['1000'], undefined],
  ['0.1', ['far'], undefined],
])('ojp: %s kg per person and km on tracks of %j m are %s g', (factor, lengths, grams) => {
  expect(gramsOf(answer(trip([tracked(first, ...lengths) + emission(factor)])))).toEqual([grams]);
});

test('ojp: a trip that is one ride has the length of the ride, a trip of two does not', () => {
  const far = (body: string): string =>
    body.replace('<Transfers>', '<Distance>118217</Distance><Transfers>');
  expect(gramsOf(far(answer(trip([first + emission('0.007')]))))).toEqual([828]);
  const two = [first + emission('0.007'), timed([olten, '08:56'], [bern, '10:38'])];
  expect(gramsOf(far(answer(trip(two))))).toEqual([undefined, undefined]);
});
