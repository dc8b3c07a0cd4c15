// What real answers say beside times and prices, which wires/hafas.md names: shapes written anew, with other codes, times and texts.
import type { CarrierAnswer, RideLeg } from '@ticketing/core';
import { expect, test } from 'vitest';
import { createHafas, type HafasProfile } from '../src/index.ts';
import { bytesOf, fixture, queryFor } from './upstream.ts';

const profile: HafasProfile = {
  path: '/mgate',
  zone: 'Europe/Berlin',
  version: '1.45',
  client: { type: 'WEB', id: 'X' },
  auth: { type: 'AID', aid: 'invented' },
  products: { 1: 'train', 32: 'bus' },
  currency: 'EUR',
  prices: 'fares',
  stationSystem: 'own',
};

const names = ['Altstadt', 'Brück', 'Celle', 'Dorf'];
const locL = names.map((name, index) => ({ type: 'S', name, extId: String(7001 + index) }));
const prodL = ['71', '72', '0073', 'x'].map((num) => ({
  name: `ICE ${num}`,
  cls: 1,
  oprX: 0,
  prodCtx: { num, catOut: 'ICE' },
}));

interface Ride {
  readonly ends?: readonly [number, number];
  readonly times?: readonly [string, string];
  readonly dep?: object;
  readonly arr?: object;
  readonly jny?: object;
  readonly section?: object;
}
function ride({ ends = [0, 1], times = ['080000', '090000'], dep, arr, jny, section }: Ride = {}) {
  return {
    type: 'JNY',
    dep: { locX: ends[0], dTimeS: times[0], ...dep },
    arr: { locX: ends[1], aTimeS: times[1], ...arr },
    jny: { prodX: 0, ...jny },
    ...section,
  };
}

interface Answer {
  readonly sections?: readonly object[];
  readonly common?: object;
  readonly connection?: object;
  readonly profile?: Partial<HafasProfile>;
  readonly stops?: boolean;
}
function read({ sections = [ride()], common, connection, stops, ...more }: Answer): CarrierAnswer {
  const carrier = createHafas({
    id: 'hafas',
    name: 'HAFAS',
    baseUrl: 'http://127.0.0.1:1',
    profile: { ...profile, ...more.profile },
  });
  const res = {
    common: { locL, prodL, opL: [{ name: 'Own Railway' }], ...common },
    outConL: [{ date: '20270113', secL: sections, ...connection }],
  };
  const service = { meth: 'TripSearch', err: 'OK', res };
  const body = bytesOf(JSON.stringify({ ver: '1.45', err: 'OK', svcResL: [service] }));
  const ask = { kind: 'earlier', atMs: 7e12 } as const;
  const query = { ...queryFor('hafas'), ...(stops && { stops }) };
  return carrier.normalise({ pages: [{ body, receivedAt: 1 }], ask, ended: false }, query);
}

function legsOf(answer: Answer) {
  const { journeys, filtered } = read(answer);
  expect(filtered).toBeUndefined();
  return journeys[0]?.legs ?? [];
}
const rideOf = (answer: Answer): RideLeg | undefined =>
  legsOf(answer).find((leg): leg is RideLeg => leg.kind === 'ride');

const remarks = (remL: readonly object[], more: object = {}): Answer => ({
  sections: [ride({ jny: { msgL: remL.map((_, remX) => ({ type: 'REM', remX })) } })],
  common: { remL, ...more },
});
const message = (himL: readonly object[]): Answer => ({
  sections: [ride({ jny: { msgL: himL.map((_, himX) => ({ type: 'HIM', himX })) } })],
  common: { himL },
});

test.each([
  [
    { dPlatfS: '4', dPlatfR: '5 A-C' },
    { planned: '4', expected: '5 A-C' },
  ],
  [{ dPltfS: { type: 'PL', txt: 'Fern 4' } }, { planned: 'Fern 4' }],
  [
    { dPltfS: { type: 'PL', txt: '7' }, dPltfR: { type: 'PL', txt: '7a' } },
    { planned: '7', expected: '7a' },
  ],
  [{ dPlatfR: '10' }, { expected: '10' }],
  [{ dPlatfS: '4', dPltfS: { type: 'PL', txt: '9' } }, { planned: '4' }],
  [{ dPlatfS: null, dPltfR: null }, undefined],
  [{ dPlatfS: '', dPltfS: {}, dPlatfR: 4 }, undefined],
  [{}, undefined],
])('hafas: a platform is %j, and read as %j', (dep, platform) => {
  const found = rideOf({ sections: [ride({ dep, arr: { aPlatfS: '1' } })] });
  expect(found?.departurePlatform).toEqual(platform);
  expect(found?.arrivalPlatform).toEqual({ planned: '1' });
});

test.each([
  ['A', undefined, 'info'],
  ['I', undefined, 'info'],
  ['H', 'attr_info', 'info'],
  ['K', undefined, 'info'],
  ['D', 'Empty', 'disruption'],
  ['G', 'Empty', 'disruption'],
  ['O', 'Empty', 'disruption'],
  ['P', 'cancel', 'disruption'],
  ['C', 'cancel', 'disruption'],
  ['R', undefined, 'disruption'],
  ['M', 'HimWarn', 'disruption'],
  ['M', 'HimInfo', 'disruption'],
  ['M', 'HimLow', 'info'],
  ['Z', undefined, 'info'],
])('hafas: a remark of type %s with the sign %s is one of kind %s', (type, res, kind) => {
  const { remarks: found } =
    rideOf(remarks([{ type, code: 'x1', icoX: 0, txtN: ' A text ' }], { icoL: [{ res }] })) ?? {};
  expect(found).toEqual([{ kind, text: 'A text', code: 'x1' }]);
});

test.each([
  [{ type: 'C', code: '', txtN: 'Current information.', icoX: 0 }],
  [{ type: 'I', code: 'TW', txtN: '$4410' }],
  [{ type: 'I', code: 'IF', txtN: 'xx:1:2' }],
  [{ type: 'I', code: 'JF', txtN: '{"wagons":[]}' }],
  [{ type: 'A', code: 'EXTERNAL_ID', txtN: '12' }],
  [{ type: 'I', code: 'BB', txtN: 'NULL' }],
  [{ type: 'A', code: 'a', txtN: ' <br> ' }],
  [{ type: 'A', code: 'a' }],
  [null],
  ['text'],
])('hafas: %j is no remark', (entry) => {
  const common = { remL: [entry], icoL: [{ res: 'HimInfo' }] };
  const sections = [ride({ jny: { msgL: [{ type: 'REM', remX: 0 }] } })];
  expect(rideOf({ sections, common })).not.toHaveProperty('remarks');
});

test('hafas: a message of the operator is a disruption in plain text, with its head and its number', () => {
  const himL = [
    {
      hid: '77001',
      act: true,
      head: 'Works near Celle.',
      lead: 'Works near Celle',
      text: 'No trains &#62; Dorf &amp; Altstadt<br><a href="https://x.example">Buses run</a>',
    },
    { hid: '77002', act: false, head: 'Over', text: 'Nothing any more' },
  ];
  expect(rideOf(message(himL))?.remarks).toEqual([
    {
      kind: 'disruption',
      text: 'Works near Celle. No trains > Dorf & Altstadt Buses run',
      code: '77001',
    },
  ]);
});

test('hafas: parts of a message are sentences, and an entity in one is decoded once', () => {
  const [found] =
    rideOf(message([{ head: 'Works', lead: '', text: '&amp;lt;b&amp;gt;' }]))?.remarks ?? [];
  expect(found).toEqual({ kind: 'disruption', text: 'Works. &lt;b&gt;' });
});

test('hafas: texts have no language, because the server names none', () => {
  const [found] = rideOf(remarks([{ type: 'A', code: 'a', txtN: 'Speisewagen' }]))?.remarks ?? [];
  expect(found).not.toHaveProperty('language');
});

test('hafas: remarks of the train, its section and its ends belong to the ride, each once, disruptions first; remarks of the connection to the journey', () => {
  const remL = ['a', 'b', 'c', 'd', 'e'].map((code) => ({
    type: code === 'c' ? 'R' : 'A',
    code,
    txtN: `Text ${code === 'e' ? 'a' : code}`,
  }));
  const pointers = (...at: readonly number[]) => at.map((remX) => ({ type: 'REM', remX }));
  const { journeys } = read({
    common: { remL },
    connection: { msgL: pointers(3, 99) },
    sections: [
      ride({
        jny: { msgL: [...pointers(0, 0, 4), null, 'x', { type: 'HIM', himX: 0 }] },
        section: { msgL: pointers(1) },
        dep: { msgL: pointers(2) },
        arr: { msgL: pointers(1) },
      }),
    ],
  });
  expect(journeys).toMatchObject([
    {
      remarks: [{ text: 'Text d' }],
      legs: [{ remarks: [{ text: 'Text c' }, { text: 'Text a' }, { text: 'Text b' }] }],
    },
  ]);
});

test('hafas: 20 remarks of 500 characters, disruptions before the rest', () => {
  const remL = Array.from({ length: 60 }, (_, at) => ({
    type: at < 30 ? 'A' : 'R',
    code: `c${at}`,
    txtN: `${at} ${'x'.repeat(600)}`,
  }));
  const found = rideOf(remarks(remL))?.remarks ?? [];
  expect(found).toHaveLength(20);
  expect(found.every(({ kind, text }) => kind === 'disruption' && text.length === 500)).toBe(true);
});

test('hafas: lists of remarks that are none cost no journey', () => {
  const sections = [ride({ jny: { msgL: [{ type: 'REM', remX: 0 }] } })];
  for (const remL of [{}, 'x', 5, null]) {
    expect(rideOf({ sections, common: { remL, himL: remL, icoL: remL } })).toBeDefined();
  }
  expect(rideOf({ sections: [ride({ jny: { msgL: {} } })] })).toBeDefined();
});

test('hafas: an operator that the list lacks is named by an attribute', () => {
  const attribute = { type: 'A', code: 'OPERATOR', txtS: 'OR', txtN: 'OR', txtL: 'Other Railway' };
  const without = remarks([attribute], { opL: [] });
  expect(rideOf(without)).toMatchObject({ operator: 'Other Railway' });
  expect(rideOf(without)).not.toHaveProperty('remarks');
  expect(rideOf(remarks([attribute]))).toMatchObject({ operator: 'Own Railway' });
});

const stopL = [
  { locX: 0, dTimeS: '080000', dPlatfS: '1' },
  { locX: 2, aTimeS: '082000', dTimeS: '082200', dTimeR: '082500', dPlatfS: '3', dPlatfR: '4' },
  { locX: 3, aTimeS: '084000', aOutS: false, dTimeS: '084000', dInS: false },
  { locX: 1, aTimeS: '090000' },
];

test('hafas: with `stops`, where a train calls between its ends, and not where it passes', () => {
  const sections = [ride({ jny: { stopL } })];
  expect(rideOf({ sections })).not.toHaveProperty('stops');
  const { journeys, places } = read({ sections, stops: true });
  expect(journeys).toMatchObject([
    {
      legs: [
        {
          stops: [
            {
              station: 'own:7003',
              arrival: { iso: '2027-01-13T08:20:00+01:00[Europe/Berlin]' },
              departure: { iso: '2027-01-13T08:22:00+01:00[Europe/Berlin]' },
              expectedDeparture: { iso: '2027-01-13T08:25:00+01:00[Europe/Berlin]' },
              platform: { planned: '3', expected: '4' },
            },
          ],
        },
      ],
    },
  ]);
  expect(places).toContainEqual(expect.objectContaining({ id: 'own:7003', name: 'Celle' }));
});

test('hafas: a train that goes straight on has no stops; one whose answer has no list has none that are known', () => {
  const straight = [stopL[0], stopL[3]];
  expect(rideOf({ sections: [ride({ jny: { stopL: straight } })], stops: true })?.stops).toEqual(
    [],
  );
  expect(rideOf({ stops: true })).not.toHaveProperty('stops');
});

test.each([
  [{ aCncl: true, dCncl: true }, true],
  [{ aCncl: true }, undefined],
  [{ dCncl: true }, undefined],
])('hafas: a stop with %j is cancelled: %s', (flags, cancelled) => {
  const list = [stopL[0], { ...stopL[1], ...flags }, stopL[3]];
  const [stop] = rideOf({ sections: [ride({ jny: { stopL: list } })], stops: true })?.stops ?? [];
  expect(stop?.cancelled).toBe(cancelled);
});

test.each([
  ['a place that no list has', { locX: 99 }],
  ['a time that is none', { aTimeS: 'soon' }],
  ['no time', { aTimeS: null, dTimeS: null, dTimeR: null }],
  ['an offset that is none', { dTZOffset: 'x' }],
])('hafas: a list of stops with %s is none, and costs no journey', (_name, wrong) => {
  const list = [stopL[0], { ...stopL[1], ...wrong }, stopL[3]];
  expect(rideOf({ sections: [ride({ jny: { stopL: list } })], stops: true })).not.toHaveProperty(
    'stops',
  );
});

test('hafas: a list of more than 300 stops is none', () => {
  const of = (count: number) => [stopL[0], ...Array(count).fill(stopL[1]), stopL[3]];
  const stopsOf = (count: number) =>
    rideOf({ sections: [ride({ jny: { stopL: of(count) } })], stops: true })?.stops?.length;
  expect([stopsOf(300), stopsOf(301)]).toEqual([300, undefined]);
});

const [inTime, late] = ['091000', '090600'];
const changing = (expected: string | undefined, first: object, second: object = {}) =>
  legsOf({
    sections: [
      ride({ arr: expected ? { aTimeR: expected } : {}, section: first }),
      ride({ ends: [1, 2], times: [inTime, '100000'], jny: { prodX: 1, ...second } }),
    ],
  }).find((leg) => leg.kind === 'transfer');

test('hafas: a change that takes longer than there is time for is tight; one that the server does not reach is missed', () => {
  expect(changing(undefined, { minChg: '000600' })).not.toHaveProperty('risk');
  expect(changing(late, { minChg: '000600' })).toMatchObject({ minutes: 6, risk: 'tight' });
  // How long the way is, nothing says: less time for it is no risk.
  expect(changing(late, {})).toMatchObject({ minutes: 0 });
  expect(changing(late, {})).not.toHaveProperty('risk');
  expect(changing(late, { minChg: '000600' }, { isRchbl: false })).toMatchObject({
    risk: 'missed',
  });
  expect(changing(late, { minChg: '000600' }, { isCncl: true })).not.toHaveProperty('risk');
  expect(changing('091500', { minChg: '000600' })).toMatchObject({ risk: 'missed' });
  for (const minChg of [undefined, null, 'x', 6]) {
    expect(changing(late, { minChg })?.risk).not.toBe('missed');
  }
});

test('hafas: trains that run with another one are numbers of it', () => {
  const coupled = (...products: readonly unknown[]) =>
    rideOf({
      sections: [ride({ section: { parJnyL: products.map((prodX) => ({ prodX })) } })],
    })?.otherNumbers;
  expect(coupled(1, 2, 1)).toEqual(['72', '73']);
  expect(coupled(0, 3, 99, null)).toBeUndefined();
  expect(rideOf({ sections: [ride({ section: { parJnyL: {} } })] })).not.toHaveProperty(
    'otherNumbers',
  );
});

test('hafas: instructions for a booking are the attributes of the profile, and no others', () => {
  const answer = remarks([
    { type: 'A', code: 'q1', txtN: 'Ordered by telephone 00 1' },
    { type: 'A', code: 'q2', txtN: 'Daily from 5 to 17' },
    { type: 'A', code: 'b', txtN: 'Bicycles' },
  ]);
  const own = { ...answer, profile: { bookingCodes: ['q1', 'q2', 'q3'] } };
  expect(rideOf(own)).toMatchObject({
    booking: { text: 'Ordered by telephone 00 1. Daily from 5 to 17' },
    remarks: [{ text: 'Bicycles' }],
  });
  expect(rideOf(answer)).not.toHaveProperty('booking');
  expect(rideOf(answer)?.remarks).toHaveLength(3);
});

test('hafas: a fare has no conditions, and is for each traveller', () => {
  const fare = { name: 'Saver', price: { amount: 1990 }, isBookable: true, desc: 'For one person' };
  const connection = { trfRes: { statusCode: 'OK', fareSetL: [{ fareL: [fare] }] } };
  const [offer] = read({ connection }).journeys[0]?.offers ?? [];
  expect(offer).toMatchObject({ fareName: 'Saver' });
  for (const field of ['conditions', 'passengers']) expect(offer).not.toHaveProperty(field);
});

test('hafas: a million pointers, remarks and stops are read, and few are kept', () => {
  const many = 1_000_000;
  const remL = Array.from({ length: 1000 }, () => ({ type: 'A', txtN: '<b>'.repeat(300) }));
  remL.push({ type: 'A', txtN: 'Text' });
  const msgL = Array.from({ length: many }, (_, at) => ({ type: 'REM', remX: at % 1001 }));
  const found = rideOf({
    sections: [ride({ jny: { msgL, stopL: Array(10_000).fill({}) } })],
    common: { remL },
    stops: true,
  });
  expect(found?.remarks).toEqual([{ kind: 'info', text: 'Text' }]);
  expect(found).not.toHaveProperty('stops');
});

test('hafas: the details of a whole answer', () => {
  const { journeys } = createHafas({
    id: 'hafas',
    name: 'HAFAS',
    baseUrl: 'http://127.0.0.1:1',
    profile: {
      ...profile,
      stationSystem: 'ibnr',
      products: { 1: 'train', 16: 'train', 32: 'bus' },
    },
  }).normalise(
    {
      pages: [{ body: fixture('hafas.json'), receivedAt: 1 }],
      ask: { kind: 'time', atMs: 0 },
      ended: false,
    },
    { ...queryFor('hafas'), stops: true },
  );
  expect(journeys[0]?.legs).toMatchObject([
    {
      departurePlatform: { planned: '7 A-C', expected: '8' },
      arrivalPlatform: { planned: '12' },
      remarks: [
        { kind: 'disruption', text: 'Verspätung eines Zuges davor' },
        {
          kind: 'disruption',
          text: 'Bauarbeiten. Kein Halt in Linz > St. Pölten. Mehr',
          code: '90017',
        },
        { kind: 'disruption', text: 'Halt entfällt', code: 'text.realtime.stop.cancelled' },
        { kind: 'info', text: 'Fahrräder nur mit Platzkarte', code: 'FR' },
      ],
      stops: [{ platform: { planned: '3' } }, { cancelled: true }],
    },
  ]);
  const rides = journeys.flatMap(({ legs }) => legs.filter((leg) => leg.kind === 'ride'));
  expect(rides[2]).toMatchObject({ operator: 'Stadtverkehr' });
  expect(journeys.at(-1)).toMatchObject({
    remarks: [{ text: 'Halt entfällt' }],
    legs: [{ number: '60', otherNumbers: ['294'] }],
  });
});
