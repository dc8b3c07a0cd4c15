// Answers of the simulator, in each of their styles, are what they say of themselves; said differently they are not.
import {
  createTimetable,
  encodeHafas,
  encodeNavitia,
  encodeOjp,
  encodeOsdm,
  encodeOuigo,
  encodeRenfe,
  type Train,
} from '@ticketing/carrier-sim';
import { openStations } from '@ticketing/stations';
import { expect, test } from 'vitest';
import type { Capture, WireName } from '../src/captures.ts';
import { compare, type Verdict } from '../src/compare.ts';

const stations = await openStations();
const date = '2027-02-03';
const walks = { before: 7, after: 5 };
const passengers = 2;
const { trains } = createTimetable({ seed: 5 });

/** Cancelled trains are in no answer of real times. */
function running({ cancelled: _, ...train }: Train): Train {
  return train;
}

/** By wire: a pair that it serves, options of its adapter, and the styles of its answers. */
const wires: Readonly<
  Record<
    WireName,
    {
      readonly pairs: readonly (readonly [origin: string, destination: string])[];
      readonly options?: object;
      readonly styles: Readonly<Record<string, (trains: readonly Train[]) => string>>;
    }
  >
> = {
  hafas: {
    pairs: [
      ['8020347', '8301700'],
      ['7015400', '8301700'],
      ['8101003', '8721202'],
    ],
    options: {
      profile: { zone: 'Europe/Berlin', stationSystem: 'ibnr', products: { 1: 'train' } },
    },
    styles: {
      plain: (list) => encodeHafas(list),
      'without offsets': (list) => encodeHafas(list, { offsets: false }),
      'with walks': (list) => encodeHafas(list, { walks }),
      'from nearby': (list) => encodeHafas(list, { nearby: true }),
      'with tickets of all kinds': (list) => encodeHafas(list, { fault: 'tickets' }),
    },
  },
  navitia: {
    pairs: [
      ['8768600', '8503000'],
      ['7015400', '8727100'],
      ['7015400', '8301700'],
    ],
    options: { stopArea: 'stop_area:SIM:' },
    styles: {
      plain: (list) => encodeNavitia(list),
      'with walks': (list) => encodeNavitia(list, { walks }),
      'with older codes': (list) => encodeNavitia(list, { codes: 'older', namesZone: false }),
      'with real times': (list) => encodeNavitia(list.map(running), { freshness: 'realtime' }),
    },
  },
  ojp: {
    pairs: [
      ['8768600', '8503000'],
      ['8503000', '8768600'],
      ['8020347', '8501008'],
    ],
    styles: {
      plain: (list) => encodeOjp(list),
      'of 1.0': (list) => encodeOjp(list, { version: '1.0' }),
      'with walks': (list) => encodeOjp(list, { walks }),
      'with opaque references': (list) => encodeOjp(list, { references: 'opaque' }),
    },
  },
  osdm: {
    pairs: [
      ['8768600', '8503000'],
      ['8768600', '8507000'],
      ['8503000', '8301700'],
    ],
    styles: {
      plain: (list) => encodeOsdm(list, { passengers: ['p1', 'p2'] }),
      'without offsets': (list) => encodeOsdm(list, { passengers: ['p1', 'p2'], offsets: false }),
      'with walks': (list) => encodeOsdm(list, { passengers: ['p1', 'p2'], walks }),
    },
  },
  ouigo: { pairs: [['7160000', '7171801']], styles: { plain: (l) => encodeOuigo(l, passengers) } },
  renfe: {
    pairs: [
      ['7160000', '7171801'],
      ['7171801', '7151003'],
    ],
    styles: { plain: (list) => encodeRenfe(list) },
  },
};

function verdictOf(wire: WireName, [origin, destination]: readonly [string, string], text: string) {
  const capture: Capture = {
    wire,
    file: `${wire}/simulated`,
    body: new TextEncoder().encode(text),
    query: {
      origin: `uic:${origin}`,
      destination: `uic:${destination}`,
      date,
      passengers,
      options: { ...wires[wire].options },
    },
  };
  return compare(capture, stations);
}

const cases = (Object.keys(wires) as WireName[]).flatMap((wire) =>
  Object.entries(wires[wire].styles).map(([style, encode]) => ({ wire, style, encode })),
);

test.each(cases)('$wire $style: each journey is what the answer says of it', ({ wire, encode }) => {
  for (const pair of wires[wire].pairs) {
    const [origin, destination] = pair;
    const list = trains({ carrier: wire, origin, destination, date });
    expect(list.length).toBeGreaterThan(0);
    const { capture: _, ...verdict } = verdictOf(wire, pair, encode(list));
    const right: Omit<Verdict, 'capture'> = {
      right: list.length,
      differs: [],
      leftOut: {},
      failed: [],
    };
    expect(verdict).toEqual(right);
  }
});

/** What an answer says of itself, said differently. */
test.each<[wire: WireName, what: string, from: RegExp, to: string, difference: string]>([
  ['hafas', 'durations', /"dur":"\d+"/g, '"dur":"000100"', '1 minutes, read'],
  ['hafas', 'changes', /"chg":\d/g, '"chg":7', '7 changes, read'],
  ['navitia', 'durations', /"duration":\d+(?=,"durations")/g, '"duration":60', '1 minutes, read'],
  ['navitia', 'changes', /"nb_transfers":\d/g, '"nb_transfers":7', '7 changes, read'],
  ['ojp', 'durations', /(<Trip><Id>\w+<\/Id><Duration>)[^<]*/g, '$1PT1M', '1 minutes, read'],
  ['ojp', 'changes', /<Transfers>\d/g, '<Transfers>7', '7 changes, read'],
  [
    'osdm',
    'durations',
    /"duration":"[^"]*"(?=,"startTime")/g,
    '"duration":"PT1M"',
    '1 minutes, read',
  ],
  ['osdm', 'changes', /"transfers":\d/g, '"transfers":7', '7 changes, read'],
  ['renfe', 'durations', /(TotalEnMinutos:)\d+/g, '$11', '1 minutes, read'],
  ['renfe', 'least prices', /tarifaMinima:"[^"]*"/g, 'tarifaMinima:"1"', '2.00 EUR, read'],
])(
  '%s: %s that an answer tells differently are differences',
  (wire, _what, from, to, difference) => {
    const { pairs, styles } = wires[wire];
    const [pair] = pairs as readonly [readonly [string, string]];
    const [origin, destination] = pair;
    const list = trains({ carrier: wire, origin, destination, date });
    const text = styles['plain']?.(list) ?? '';
    expect(text).toMatch(from);
    const { differs, failed } = verdictOf(wire, pair, text.replace(from, to));
    expect(failed).toEqual([]);
    expect(differs.length).toBeGreaterThan(0);
    for (const one of differs) expect(one).toContain(difference);
  },
);

test('osdm: prices of each traveller are summed, of offers of one kind', () => {
  const pair = ['8768600', '8503000'] as const;
  const [origin, destination] = pair;
  const list = trains({ carrier: 'osdm', origin, destination, date });
  const text = encodeOsdm(list, { passengers: ['p1', 'p2'] });
  const forBoth = text.replaceAll('"passengerRefs":["p1"]', '"passengerRefs":["p1","p2"]');
  const { right, differs } = verdictOf('osdm', pair, text);
  expect([right, differs]).toEqual([list.length, []]);
  // The offers of the first are then for both: half the sum.
  expect(verdictOf('osdm', pair, forBoth)).toMatchObject({ right: list.length, differs: [] });
});
