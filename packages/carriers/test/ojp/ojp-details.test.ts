// What real answers say beside times, which wires/ojp.md names: shapes written anew, with other codes, times and texts.
import type { CarrierAnswer, RideLeg } from '@ticketing/core';
import { expect, test } from 'vitest';
import { createOjp } from '../../src/index.ts';
import { ask, queryOf, startUpstream } from '../upstream.ts';
import { delivery, golden, ojp, options, wireOf, zurichBern } from './ojp-answers.ts';

interface Call {
  readonly reference?: string;
  readonly time?: string;
  readonly more?: string;
  readonly order?: number;
}
const call = (side: string, { reference, time, more = '', order }: Call, fallback: Call): string =>
  `<siri:StopPointRef>${reference ?? fallback.reference}</siri:StopPointRef><StopPointName><Text>Stop</Text></StopPointName>${more}<Service${side}><TimetabledTime>2026-12-01T${time ?? fallback.time}:00Z</TimetabledTime></Service${side}>${order === undefined ? '' : `<Order>${order}</Order>`}`;

interface Timed {
  readonly board?: Call;
  readonly alight?: Call;
  readonly between?: string;
  readonly mode?: string;
  readonly service?: string;
  /** Behind the service. */
  readonly after?: string;
}
function timed({ board = {}, alight = {}, between = '', mode = 'rail', ...more }: Timed = {}) {
  const { service = '', after = '' } = more;
  return `<TimedLeg><LegBoard>${call('Departure', board, { reference: '8503000', time: '07:02' })}</LegBoard>${between}<LegAlight>${call('Arrival', alight, { reference: '8507000', time: '07:58' })}</LegAlight><Service><OperatingDayRef>2026-12-01</OperatingDayRef><Mode><PtMode>${mode}</PtMode></Mode><PublishedServiceName><Text>IC 8</Text></PublishedServiceName><TrainNumber>712</TrainNumber>${service}</Service>${after}</TimedLeg>`;
}

interface Answer {
  readonly legs?: readonly string[];
  readonly context?: string;
  /** In the trip, behind its legs. */
  readonly trip?: string;
  readonly stops?: boolean;
}
function read({ legs = [timed()], context = '', trip = '', stops }: Answer): CarrierAnswer {
  const written = legs.map((leg) => `<Leg>${leg}</Leg>`).join('');
  const body = delivery(
    `<OJPTripDelivery><TripResponseContext>${context}</TripResponseContext><TripResult><Trip>${written}${trip}</Trip></TripResult></OJPTripDelivery>`,
  );
  return ojp.normalise(wireOf(body), { ...zurichBern(), ...(stops && { stops }) });
}
function journeyOf(answer: Answer) {
  const { journeys, filtered } = read(answer);
  expect(filtered).toBeUndefined();
  return journeys[0];
}
const rideOf = (answer: Answer): RideLeg | undefined =>
  journeyOf(answer)?.legs.find((leg): leg is RideLeg => leg.kind === 'ride');
const serviceOf = (service: string, more: Timed = {}): RideLeg | undefined =>
  rideOf({ legs: [timed({ service, ...more })] });

const quay = (name: string, text: string) =>
  `<${name}><Text xml:lang="de">${text}</Text></${name}>`;

test.each([
  ['', undefined],
  [quay('PlannedQuay', '13AB'), { planned: '13AB' }],
  [quay('EstimatedQuay', '4'), { expected: '4' }],
  [quay('PlannedQuay', '6') + quay('EstimatedQuay', '7'), { planned: '6', expected: '7' }],
  ['<PlannedQuay></PlannedQuay><EstimatedQuay><Text> </Text></EstimatedQuay>', undefined],
])('ojp: a platform is %s', (more, platform) => {
  const ride = rideOf({ legs: [timed({ board: { more }, alight: { more } })] });
  expect(ride?.departurePlatform).toEqual(platform);
  expect(ride?.arrivalPlatform).toEqual(platform);
});

test('ojp: attributes are remarks with their code and language, in the names of both versions', () => {
  const ride = serviceOf(
    [
      '<Attribute><UserText><Text xml:lang="de">Speisewagen</Text></UserText><Code>A__WR</Code></Attribute>',
      '<Attribute><Text><Text xml:lang="fr">Vélos &amp;amp; poussettes</Text></Text><Code>A__VB</Code></Attribute>',
      '<Attribute><UserText><Text>No language</Text></UserText></Attribute>',
      '<Attribute><UserText><Text xml:lang="1">Doors</Text></UserText><Code>A__X</Code></Attribute>',
    ].join(''),
  );
  expect(ride?.remarks).toEqual([
    { kind: 'info', text: 'Speisewagen', code: 'A__WR', language: 'de' },
    { kind: 'info', text: 'Vélos & poussettes', code: 'A__VB', language: 'fr' },
    { kind: 'info', text: 'No language' },
    { kind: 'info', text: 'Doors', code: 'A__X' },
  ]);
});

test('ojp: whom a service is restricted to is a remark; the side of the doors at a stop that is not named is none', () => {
  const ride = serviceOf(
    '<RestrictionNote><Text>Only for seniors</Text></RestrictionNote><Attribute><UserText><Text>Doors: left</Text></UserText><Code>own91_InfoCall4_1</Code></Attribute>',
  );
  expect(ride?.remarks).toEqual([{ kind: 'info', text: 'Only for seniors' }]);
});

const reference = (number: string, participant = 'own') =>
  `<siri:ParticipantRef>${participant}</siri:ParticipantRef><siri:SituationNumber>${number}</siri:SituationNumber>`;
const refs = (...numbers: readonly string[]) =>
  `<SituationFullRefs>${numbers.map((one) => `<SituationFullRef>${reference(one)}</SituationFullRef>`).join('')}</SituationFullRefs>`;
const situations = (...list: readonly string[]) =>
  `<Situations>${list.map((one) => `<PtSituation>${one}</PtSituation>`).join('')}</Situations>`;
const content = (parts: readonly (readonly [name: string, ...texts: readonly string[]])[]) =>
  `<siri:TextualContent>${parts.map(([name, ...texts]) => `<siri:${name}Content>${texts.map((text) => `<siri:${name}Text ${text}</siri:${name}Text>`).join('')}</siri:${name}Content>`).join('')}</siri:TextualContent>`;
const action = (...contents: readonly string[]) =>
  `<siri:PublishingAction><siri:PassengerInformationAction>${contents.join('')}</siri:PassengerInformationAction></siri:PublishingAction>`;

test('ojp: a situation is a disruption: the first of its texts, part after part, in one language', () => {
  const context = situations(
    `${reference('s-1')}<siri:PublishingActions>${action()}${action(
      content([
        ['Summary', 'xml:lang="fr">Arrêt fermé.', 'xml:lang="en">Stop closed.'],
        ['Reason', 'xml:lang="en">Works.', 'xml:lang="fr">Travaux'],
        ['Description', 'xml:lang="fr">Ligne 1'],
        ['Recommendation', 'xml:lang="fr">Ligne 2'],
        ['Duration', '>Jusqu’au soir'],
      ]),
      content([['Summary', '>Fermé']]),
    )}</siri:PublishingActions>`,
  );
  expect(rideOf({ context, legs: [timed({ service: refs('s-1', 's-2') })] })?.remarks).toEqual([
    {
      kind: 'disruption',
      text: 'Arrêt fermé. Travaux. Ligne 1. Ligne 2. Jusqu’au soir',
      code: 's-1',
      language: 'fr',
    },
  ]);
});

test('ojp: a situation of older servers has a summary, a description and a detail in HTML', () => {
  const context = situations(
    `${reference('7')}<siri:Language>de</siri:Language><siri:Summary>Umleitung</siri:Summary><siri:Description>Bus statt Zug</siri:Description><siri:Detail>&lt;p&gt;Ab Olten&lt;/p&gt;</siri:Detail>`,
  );
  const [found] =
    rideOf({
      context,
      // 1.0 has no list around them.
      legs: [timed({ service: `<SituationFullRef>${reference('7')}</SituationFullRef>` })],
    })?.remarks ?? [];
  expect(found).toEqual({
    kind: 'disruption',
    text: 'Umleitung. Bus statt Zug. Ab Olten',
    code: '7',
    language: 'de',
  });
});

test('ojp: a number of another participant, or a situation without a text, is none', () => {
  const context = situations(
    `${reference('1', 'other')}<siri:Summary>Other</siri:Summary>`,
    reference('2'),
  );
  const ride = rideOf({ context, legs: [timed({ service: refs('1', '2', '3') })] });
  expect(ride).not.toHaveProperty('remarks');
});

test('ojp: situations of calls are remarks of the ride, of ways and of the trip remarks of the journey', () => {
  const text = (number: string) =>
    `${reference(number)}<siri:Summary>Text ${number}</siri:Summary>`;
  const stop = '<siri:StopPointRef>8507000</siri:StopPointRef>';
  const way = `<TransferLeg><TransferType>walk</TransferType><LegStart>${stop}</LegStart><LegEnd>${stop}</LegEnd><Duration>PT2M</Duration>${refs('3')}</TransferLeg>`;
  const journey = journeyOf({
    context: situations(...['1', '2', '3', '4'].map(text)),
    legs: [
      timed({ board: { more: refs('1') }, alight: { more: refs('2') } }),
      way,
      timed({
        board: { reference: '8507000', time: '08:02' },
        alight: { reference: '8500218', time: '08:30' },
      }),
    ],
    trip: refs('4'),
  });
  const textsOf = (list?: readonly { readonly text: string }[]) => list?.map((one) => one.text);
  expect(textsOf(journey?.remarks)).toEqual(['Text 4', 'Text 3']);
  const rides = journey?.legs.filter((leg) => leg.kind === 'ride') ?? [];
  expect(rides.map((ride) => textsOf(ride.remarks))).toEqual([['Text 1', 'Text 2'], undefined]);
});

const between = (time: string, more = '') =>
  `<LegIntermediate><siri:StopPointRef>8500218</siri:StopPointRef>${quay('PlannedQuay', '12')}<ServiceArrival><TimetabledTime>2026-12-01T${time}:00Z</TimetabledTime></ServiceArrival><ServiceDeparture><TimetabledTime>2026-12-01T${time}:30Z</TimetabledTime><EstimatedTime>2026-12-01T${time}:50Z</EstimatedTime></ServiceDeparture>${more}</LegIntermediate>`;

test('ojp: with `stops`, where a train calls between its ends, in the names of both versions', () => {
  const cancelled = between('07:40', '<NotServicedStop>true</NotServicedStop>');
  const legs = [timed({ between: between('07:30') + cancelled })];
  expect(rideOf({ legs })).not.toHaveProperty('stops');
  const stop = {
    station: 'uic:8500218',
    arrival: { iso: '2026-12-01T08:30:00+01:00[Europe/Zurich]' },
    departure: { iso: '2026-12-01T08:30:30+01:00[Europe/Zurich]' },
    expectedDeparture: { iso: '2026-12-01T08:30:50+01:00[Europe/Zurich]' },
    platform: { planned: '12' },
  };
  const older = legs.map((leg) => leg.replaceAll('LegIntermediate>', 'LegIntermediates>'));
  for (const each of [legs, older]) {
    const { journeys, places } = read({ legs: each, stops: true });
    expect(journeys).toMatchObject([{ legs: [{ stops: [stop, { cancelled: true }] }] }]);
    expect(places?.map(({ id }) => id)).toContain('uic:8500218');
  }
});

test('ojp: a ride without stops is known as such only by the order of its ends', () => {
  const stopsOf = (from?: number, to?: number) => {
    const ends = {
      ...(from !== undefined && { board: { order: from } }),
      ...(to !== undefined && { alight: { order: to } }),
    };
    return rideOf({ legs: [timed(ends)], stops: true })?.stops;
  };
  expect([stopsOf(4, 5), stopsOf(4, 6), stopsOf(4), stopsOf()]).toEqual([
    [],
    undefined,
    undefined,
    undefined,
  ]);
});

test.each([
  ['no reference and no name', '<LegIntermediate><Order>2</Order></LegIntermediate>'],
  ['no time', '<LegIntermediate><siri:StopPointRef>8500218</siri:StopPointRef></LegIntermediate>'],
  ['a time that is none', between('25:61')],
  ['300 others', between('07:30').repeat(300)],
])('ojp: a list of stops with %s is none, and costs no trip', (_name, more) => {
  const ride = rideOf({ legs: [timed({ between: between('07:30') + more })], stops: true });
  expect(ride).toBeDefined();
  expect(ride).not.toHaveProperty('stops');
});

test('ojp: a stay in the train is a stop of the ride, with the platforms and remarks of both parts', () => {
  const note = (text: string) => `<RestrictionNote><Text>${text}</Text></RestrictionNote>`;
  const [first, second] = [
    timed({
      board: { more: quay('PlannedQuay', '1') },
      alight: { reference: '8500218', time: '07:30', more: quay('PlannedQuay', '2') },
      between: between('07:10'),
      service: note('One'),
    }),
    timed({
      board: { reference: '8500218', time: '07:33', more: quay('PlannedQuay', '3'), order: 1 },
      alight: { more: quay('PlannedQuay', '4'), order: 2 },
      service: note('Two'),
    }),
  ];
  const stop = '<siri:StopPointRef>8500218</siri:StopPointRef>';
  const stay = `<TransferLeg><TransferType>remainInVehicle</TransferType><LegStart>${stop}</LegStart><LegEnd>${stop}</LegEnd></TransferLeg>`;
  const ride = rideOf({ legs: [first, stay, second], stops: true });
  expect(ride).toMatchObject({
    departurePlatform: { planned: '1' },
    arrivalPlatform: { planned: '4' },
    remarks: [{ text: 'One' }, { text: 'Two' }],
    stops: [{}, { station: 'uic:8500218', platform: { planned: '3' } }],
    sections: [{ arrivalPlatform: { planned: '2' }, stops: [{}] }, { stops: [] }],
  });
  const unknown = rideOf({
    legs: [first, stay, second.replaceAll(/<Order>.<\/Order>/g, '')],
    stops: true,
  });
  expect(unknown).not.toHaveProperty('stops');
});

test.each([
  [true, true, true],
  [true, false, undefined],
  [false, true, undefined],
])(
  'ojp: with parts of a train that are cancelled (%s, %s), the stop between them is: %s',
  (one, other, cancelled) => {
    const service = (isCancelled: boolean) => (isCancelled ? '<Cancelled>true</Cancelled>' : '');
    const olten = { reference: '8500218' };
    const parts = [
      timed({
        alight: { ...olten, time: '07:30', order: 2 },
        board: { order: 1 },
        service: service(one),
      }),
      '<TransferLeg><TransferType>remainInVehicle</TransferType></TransferLeg>',
      timed({
        board: { ...olten, time: '07:33', order: 1 },
        alight: { order: 2 },
        service: service(other),
      }),
    ];
    const [stop] = rideOf({ legs: parts, stops: true })?.stops ?? [];
    expect(stop).toMatchObject({ station: 'uic:8500218' });
    expect(stop?.cancelled).toBe(cancelled);
  },
);

const arrangement = (inside: string) =>
  `<BookingArrangements><BookingArrangement>${inside}</BookingArrangement></BookingArrangements>`;
const how = '<BookingNotes><BookingNote><Text>Two bags at most</Text></BookingNote></BookingNotes>';
const contact =
  '<BookingContact><Phone>00 1</Phone><Email>a@own.example</Email><Url>https://own.example</Url></BookingContact>';

test.each([
  ['bus', arrangement(contact + how), 'Two bags at most. 00 1. a@own.example. https://own.example'],
  [
    'bus',
    arrangement('<BookingMethods><BookingMethod>callOffice</BookingMethod></BookingMethods>'),
    undefined,
  ],
  ['rail', `${arrangement(how)}<ReservationNeeded>service</ReservationNeeded>`, 'Two bags at most'],
  ['bus', '<ReservationNeeded>stop</ReservationNeeded>', undefined],
  ['bus', '<AlternativeModeOfOperation>demandResponsive</AlternativeModeOfOperation>', undefined],
])('ojp: a ride on demand by %s with %s', (mode, service, text) => {
  const booking = serviceOf(service, { mode })?.booking;
  expect(booking).toEqual(text === undefined ? {} : { text });
});

test('ojp: a train that may be booked, or a service that need not be, is none on demand: how it is booked is a remark', () => {
  for (const [mode, service] of [
    ['rail', arrangement(how)],
    ['bus', `${arrangement(how)}<ReservationNeeded>none</ReservationNeeded>`],
  ] as const) {
    const ride = serviceOf(service, { mode });
    expect(ride).not.toHaveProperty('booking');
    expect(ride?.remarks).toEqual([{ kind: 'info', text: 'Two bags at most' }]);
  }
});

test.each([
  ['<MinimumBookingPeriod>PT1H30M</MinimumBookingPeriod>', '2026-12-01T06:32:00'],
  [
    '<BookWhen>untilPreviousDay</BookWhen><LatestBookingTime>18:00:00</LatestBookingTime>',
    '2026-11-30T18:00:00',
  ],
  [
    '<BookWhen>dayOfTravelOnly</BookWhen><LatestBookingTime>07:30:00</LatestBookingTime>',
    '2026-12-01T07:30:00',
  ],
  [
    '<BookWhen>dayOfTravelOnly</BookWhen><LatestBookingTime>07:30:00</LatestBookingTime><MinimumBookingPeriod>PT1H</MinimumBookingPeriod>',
    '2026-12-01T07:02:00',
  ],
  ['<LatestBookingTime>18:00:00</LatestBookingTime>', undefined],
  ['<BookWhen>advanceOnly</BookWhen><LatestBookingTime>18:00:00</LatestBookingTime>', undefined],
  ['<MinimumBookingPeriod>soon</MinimumBookingPeriod>', undefined],
  [
    '</BookingArrangement><BookingArrangement><MinimumBookingPeriod>PT1H</MinimumBookingPeriod>',
    undefined,
  ],
])('ojp: a booking with %s ends at %s', (inside, local) => {
  const until = serviceOf(arrangement(inside), { mode: 'bus' })?.booking?.until;
  expect(until?.iso.slice(0, 19)).toBe(local);
});

test('ojp: trains that run with another one are numbers of it', () => {
  const parallel = (inside: string) => `<ParallelService>${inside}</ParallelService>`;
  const rail = '<Mode><PtMode>rail</PtMode></Mode>';
  const ride = serviceOf('', {
    after: [
      parallel(`${rail}<TrainNumber>00714</TrainNumber>`),
      parallel(`${rail}<PublishedServiceName><Text>IC 716</Text></PublishedServiceName>`),
      parallel(`${rail}<PublishedServiceName><Text>S5</Text></PublishedServiceName>`),
      parallel(`${rail}<TrainNumber>712</TrainNumber>`),
    ].join(''),
  });
  expect(ride?.otherNumbers).toEqual(['714', '716']);
  expect(serviceOf('')).not.toHaveProperty('otherNumbers');
});

test('ojp: operators have the names that the answer has for them', () => {
  const operator = '<OperatorRefs><OperatorRef>own:11</OperatorRef></OperatorRefs>';
  const named = '<Extension><OperatorName><Text>Own Railway</Text></OperatorName></Extension>';
  const list =
    '<Operators><Operator><siri:OperatorRef>own:11</siri:OperatorRef><siri:OperatorName>Own Railway</siri:OperatorName></Operator><Operator></Operator></Operators>';
  for (const answer of [
    { legs: [timed({ service: operator, after: named })] },
    { legs: [timed({ service: operator })], context: list },
  ]) {
    expect(read(answer)).toMatchObject({
      operators: { 'ojp:own:11': 'Own Railway' },
      journeys: [{ legs: [{ operator: 'ojp:own:11' }] }],
    });
  }
  const nameless = read({ legs: [timed({ after: named })] });
  expect(nameless).toMatchObject({ journeys: [{ legs: [{ operator: 'Own Railway' }] }] });
  expect(nameless).not.toHaveProperty('operators');
});

test('ojp: a trip that delays make impossible misses its change, where there is one', () => {
  const after = (from: string, to: string, [leaves, arrives]: readonly [string, string]) =>
    timed({ board: { reference: from, time: leaves }, alight: { reference: to, time: arrives } });
  const second = after('8507000', '8500218', ['08:02', '08:30']);
  const third = after('8500218', '8500010', ['08:40', '09:00']);
  const risks = (...legs: readonly string[]) =>
    journeyOf({ legs, trip: '<Infeasible>true</Infeasible>' })?.legs.flatMap((leg) =>
      leg.kind === 'transfer' ? [leg.risk] : [],
    );
  expect(risks(timed(), second)).toEqual(['missed']);
  expect(risks(timed(), second, third)).toEqual([undefined, undefined]);
  expect(risks(timed({ service: '<Cancelled>true</Cancelled>' }), second)).toEqual([undefined]);
});

test.each([
  ['demandResponsive', '<AlternativeModeOfOperation>demandResponsive</AlternativeModeOfOperation>'],
  ['bus', '<Mode><PtMode>bus</PtMode></Mode>'],
])(
  'ojp: a way by a service without times (%s) is no walk, and its trip is left out',
  (by, service) => {
    const stop = '<siri:StopPointRef>8507000</siri:StopPointRef>';
    const way = `<ContinuousLeg><LegStart>${stop}</LegStart><LegEnd>${stop}</LegEnd><Service>${service}</Service><Duration>PT9M</Duration></ContinuousLeg>`;
    expect(read({ legs: [timed(), way] })).toMatchObject({
      journeys: [],
      leftOut: { [`by ${by} without times`]: 1 },
    });
  },
);

test('ojp: no answer proves whom a fare is for: a trip has no offer', () => {
  const fare =
    '<TripFare><FareProduct><FareProductId>1</FareProductId><Price>12</Price><Currency>CHF</Currency></FareProduct></TripFare>';
  expect(journeyOf({ trip: fare })).toMatchObject({ offers: [], unpriced: ['ojp'] });
});

test('ojp: 20 remarks of 500 characters are kept of a hundred thousand attributes and situations', () => {
  const attribute = `<Attribute><UserText><Text>${'&lt;b&gt;'.repeat(9)}Text</Text></UserText><Code>a</Code></Attribute>`;
  const ride = rideOf({
    context: situations(
      ...Array.from(
        { length: 30 },
        (_, at) => `${reference(`s${at}`)}<siri:Summary>${at} ${'x'.repeat(600)}</siri:Summary>`,
      ),
    ),
    legs: [
      timed({
        service: `${attribute.repeat(50_000)}${refs(...Array.from({ length: 50_000 }, (_, at) => `s${at % 30}`))}`,
      }),
    ],
  });
  expect(ride?.remarks).toHaveLength(20);
  expect(
    ride?.remarks?.every(({ kind, text }) => kind === 'disruption' && text.length === 500),
  ).toBe(true);
});

test('ojp: the details of a whole answer', () => {
  const { journeys, operators } = ojp.normalise(wireOf(golden), { ...zurichBern(), stops: true });
  expect(operators).toEqual({ 'ojp:11': 'Erfundene Bahn' });
  expect(journeys[0]?.legs).toMatchObject([
    {
      departurePlatform: { planned: '31', expected: '32' },
      otherNumbers: ['714'],
      remarks: [
        {
          kind: 'disruption',
          text: 'Der Lift in Bern ist gestört. Bis am Abend',
          code: 's-17',
          language: 'de',
        },
        { kind: 'info', text: 'Restaurant', code: 'WR', language: 'de' },
      ],
      stops: [{ station: 'uic:8500218' }],
    },
  ]);
  expect(journeys[1]?.legs[0]).toMatchObject({
    booking: { text: 'Rufbus', until: { iso: '2026-12-01T22:40:00+01:00[Europe/Zurich]' } },
  });
});

test('ojp asks for the stops on the way only with `stops`', async () => {
  const upstream = await startUpstream();
  const carrier = createOjp({
    ...options,
    baseUrl: `${upstream.sim.url}/ojp`,
    headers: () => ({ authorization: 'Bearer x' }),
  });
  upstream.sim.setPlan('ojp', { fault: { kind: 'on-demand' } });
  const query = { ...queryOf('8500010', '8301700'), time: '08:00' };
  const [plain, withStops] = [
    await ask(upstream, carrier, query),
    await ask(upstream, carrier, { ...query, stops: true }),
  ];
  const legs = [plain, withStops].map(({ journeys }) => journeys[0]?.legs[0] as RideLeg);
  expect(legs[0]).not.toHaveProperty('stops');
  expect(legs[1]?.stops?.length).toBeGreaterThan(0);
  expect(legs[1]?.booking).toMatchObject({
    text: 'Book by telephone. 00 1 234',
    until: { ms: (legs[1]?.departure.ms ?? 0) - 3_600_000 },
  });
});
