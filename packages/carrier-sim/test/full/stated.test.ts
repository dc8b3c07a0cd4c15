// What answers say of themselves, read as plain text: it is the timetable's.
import { expect, test } from 'vitest';
import {
  createTimetable,
  encodeHafas,
  encodeNavitia,
  encodeOjp,
  encodeOsdm,
  encodeOuigo,
  encodeRenfe,
  type Train,
  type TrainRun,
} from '../../src/index.ts';
import { addDays } from '../../src/timetable/local-clock.ts';

const [paris, zurich, bern, milano, munchen, london] = [
  '8768600',
  '8503000',
  '8507000',
  '8301700',
  '8020347',
  '7015400',
];
const days = Array.from({ length: 40 }, (_, index) => addDays('2026-12-01', index));
const pairs = {
  hafas: [
    [munchen, milano],
    [london, milano],
    ['8101003', '8721202'],
  ],
  ojp: [
    [paris, zurich],
    [zurich, paris],
    [munchen, bern],
    [paris, bern],
    ['8500010', '8501120'],
    [munchen, '8501008'],
    ['8101003', bern],
    [milano, '8501008'],
  ],
  osdm: [
    [paris, zurich],
    ['8500010', '8501120'],
    [paris, bern],
  ],
  renfe: [
    ['7160000', '7171801'],
    ['7171801', '7151003'],
  ],
  ouigo: [['7160000', '7171801']],
  navitia: [
    [paris, zurich],
    [london, '8727100'],
    [london, milano],
  ],
} as const;
const timetable = createTimetable({ seed: 3 });

function trainsOf(carrier: keyof typeof pairs): readonly Train[] {
  return pairs[carrier].flatMap(([origin, destination]) =>
    days.flatMap((date) => timetable.trains({ carrier, origin, destination, date })),
  );
}

const runsOf = ({ connection, ...train }: Train): readonly TrainRun[] => connection ?? [train];

/** Minutes from door to door as expected, and changes. */
function truth(train: Train, walks = 0): readonly [minutes: number, changes: number] {
  const runs = runsOf(train);
  const [first, last] = [runs[0], runs.at(-1)] as [TrainRun, TrainRun];
  const late = (last.delayMinutes ?? 0) - (first.delayMinutes ?? 0);
  return [(last.arrivalMs - first.departureMs) / 60_000 + late + walks, runs.length - 1];
}

function minutesIn(duration: string): number {
  const [, hours = 0, minutes = 0] = /T(?:(\d+)H)?(?:(\d+)M)?(?:0S)?$/.exec(duration) ?? [];
  return Number(hours) * 60 + Number(minutes);
}

const walks = { before: 7, after: 5 };

test('the timetable has trains that go on under another number, late ones that are caught, and missed ones', () => {
  const trains = [...trainsOf('ojp'), ...trainsOf('osdm'), ...trainsOf('hafas')];
  const gaps = trains.flatMap(({ connection }) => {
    if (connection === undefined) return [];
    const [first, second] = connection;
    const late = (second.delayMinutes ?? 0) - (first.delayMinutes ?? 0);
    const planned = (second.departureMs - first.arrivalMs) / 60_000;
    return [{ planned, expected: planned + late }];
  });
  expect(gaps.some(({ planned, expected }) => planned < 0 && expected >= 0)).toBe(true);
  expect(gaps.some(({ planned, expected }) => planned >= 0 && expected < 0)).toBe(true);
  const through = trainsOf('ojp').filter(({ sections }) => sections !== undefined);
  expect(through.length).toBeGreaterThan(0);
  for (const { number, origin, destination, departureMs, arrivalMs, sections } of through) {
    const [one, two] = sections as NonNullable<typeof sections>;
    expect([one.number, one.origin, one.departureMs]).toEqual([number, origin, departureMs]);
    expect([two.destination, two.arrivalMs]).toEqual([destination, arrivalMs]);
    expect([one.destination, one.number !== two.number]).toEqual([two.origin, true]);
    expect(two.departureMs - one.arrivalMs).toBe(4 * 60_000);
  }
});

test('each part of a train that goes on under another number is the train that is listed by itself', () => {
  const basel = '8500010';
  const listed = (origin: string, destination: string) =>
    timetable.trains({ carrier: 'ojp', origin, destination, date: '2026-12-01' });
  for (const [from, to] of [
    [paris, zurich],
    [zurich, paris],
  ] as const) {
    const whole = listed(from, to).filter(({ sections }) => sections);
    const parts = [listed(from, basel), listed(basel, to)];
    expect(whole.length).toBeGreaterThan(3);
    for (const { sections } of whole) {
      sections?.forEach((section, index) => {
        const own = parts[index]?.find(({ number }) => number === section.number);
        expect(own).toMatchObject({ ...section });
      });
    }
  }
});

test.each([
  [0, undefined],
  [12, walks],
])('hafas: `dur` and `chg` are the timetable’s, with %i minutes of walks', (minutes, on) => {
  const trains = trainsOf('hafas');
  const { outConL } = JSON.parse(encodeHafas(trains, { walks: on })).svcResL[0].res;
  const told = outConL.map(({ dur, chg }: { dur: string; chg: number }) => {
    const [, dd, hh, mm] = /^(\d\d)?(\d\d)(\d\d)00$/.exec(dur) ?? [];
    return [Number(dd ?? 0) * 1440 + Number(hh) * 60 + Number(mm), chg];
  });
  expect(told).toEqual(trains.map((train) => truth(train, minutes)));
});

test('hafas: prices that are sold for the whole journey are the timetable’s, and supplements stand among them', () => {
  const trains = trainsOf('hafas');
  const { outConL } = JSON.parse(encodeHafas(trains)).svcResL[0].res;
  const fares = outConL.map(({ trfRes }: { trfRes?: { fareSetL: { fareL: Fare[] }[] } }) =>
    (trfRes?.fareSetL ?? []).flatMap(({ fareL }) => fareL),
  ) as Fare[][];
  expect(
    fares.map((list) =>
      list
        .filter(({ isBookable, isPartPrice }) => isBookable && !isPartPrice)
        .map(({ price }) => price.amount),
    ),
  ).toEqual(
    trains.map((train) =>
      train.fares.filter(({ seller }) => seller === 'hafas').map(({ cents }) => cents),
    ),
  );
  const least = fares.filter((list) => list.length > 0);
  expect(least.length).toBeGreaterThan(0);
  for (const list of least) expect(list.some(({ isPartPrice }) => isPartPrice)).toBe(true);
});

interface Fare {
  readonly price: { readonly amount: number };
  readonly isBookable: boolean;
  readonly isPartPrice: boolean;
}

test.each([
  ['2.0', 0, undefined],
  ['1.0', 0, undefined],
  ['2.0', 12, walks],
] as const)(
  'ojp %s: `Duration` and `Transfers` are the timetable’s, with %i minutes of walks',
  (version, minutes, on) => {
    const trains = trainsOf('ojp');
    const text = encodeOjp(trains, { version, walks: on });
    const told = [...text.matchAll(/<(?:ojp:)?Trip>(.*?)<(?:ojp:)?(?:Trip)?Leg>/g)].map(
      ([, head = '']) => [
        minutesIn(/Duration>([^<]*)</.exec(head)?.[1] ?? ''),
        Number(/Transfers>(\d+)</.exec(head)?.[1]),
      ],
    );
    expect(told).toEqual(trains.map((train) => truth(train, minutes)));
    expect(text).toContain('remainInVehicle');
    expect(text).toContain('changeWithinVehicle');
    expect(text).toContain('checkIn');
  },
);

test('osdm: `duration` and `transfers` are the timetable’s; prices are those of one traveller each', () => {
  const trains = trainsOf('osdm');
  const passengers = ['p1', 'p2', 'p3'];
  for (const [on, minutes] of [
    [undefined, 0],
    [walks, 12],
  ] as const) {
    const { trips, offers } = JSON.parse(encodeOsdm(trains, { passengers, walks: on }));
    expect(
      trips.map(({ duration, transfers }: { duration: string; transfers: number }) => [
        minutesIn(duration),
        transfers,
      ]),
    ).toEqual(trains.map((train) => truth(train, minutes)));
    const sums = trips.map(({ id }: { id: string }) =>
      offers
        .filter(
          (offer: { tripCoverage: { coveredTripId: string } }) =>
            offer.tripCoverage.coveredTripId === id,
        )
        .reduce(
          (sum: number, offer: { offerSummary: { minimalPrice: { amount: number } } }) =>
            sum + offer.offerSummary.minimalPrice.amount,
          0,
        ),
    );
    expect(sums).toEqual(
      trains.map(({ fares }) => fares.reduce((sum, { cents }) => sum + cents * 3, 0)),
    );
  }
  const text = encodeOsdm(trains);
  for (const mode of ['REMAIN_IN_VEHICLE', 'CHANGE_WITHIN_VEHICLE', 'CHECK_IN']) {
    expect(text).toContain(`"transferMode":"${mode}"`);
  }
  expect(encodeOsdm(trains, { offsets: false })).not.toMatch(/T\d\d:\d\d:\d\d[+-]/);
});

test('renfe: minutes, trains and the least price are the timetable’s', () => {
  const trains = trainsOf('renfe');
  const text = encodeRenfe(trains);
  const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, value = '']) => value);
  expect(all(/duracionViajeTotalEnMinutos:(\d+)/g).map(Number)).toEqual(
    trains.map((train) => truth(train)[0]),
  );
  expect(all(/directo:(true|false)/g)).toEqual(
    trains.map((train) => String(truth(train)[1] === 0)),
  );
  expect(all(/cdgoTren:"(\d+)",codOperador/g)).toEqual(
    trains.flatMap((train) => runsOf(train).map(({ number }) => number)),
  );
  const cents = all(/tarifaMinima:(null|"[^"]*")/g).map((price) =>
    Math.round(Number(price.replace(/[".]/g, '').replace(',', '.')) * 100),
  );
  expect(cents.map((price) => price || undefined)).toEqual(
    trains.map(({ fares }) => fares[0]?.cents),
  );
});

test('ouigo: `price` is that of the whole party', () => {
  const trains = trainsOf('ouigo');
  for (const people of [1, 2, 7]) {
    const { outbound } = JSON.parse(encodeOuigo(trains, people));
    expect(
      outbound.map(({ price }: { price: number | null }) => price && Math.round(price * 100)),
    ).toEqual(
      trains.map(({ fares }) => {
        const own = fares.find(({ seller }) => seller === 'ouigo');
        return own ? own.cents * people : null;
      }),
    );
  }
});

test.each([
  ['base_schedule', 0, undefined],
  ['realtime', 12, walks],
] as const)(
  'navitia %s: `duration` and `nb_transfers` are the timetable’s, with %i minutes of walks; prices are those of one traveller',
  (freshness, minutes, on) => {
    const isReal = freshness === 'realtime';
    const trains = trainsOf('navitia')
      .filter((train) => !isReal || runsOf(train).every(({ cancelled }) => !cancelled))
      .map((train) => (isReal ? train : onTime(train)));
    const { journeys } = JSON.parse(encodeNavitia(trains, { freshness, walks: on }));
    interface Stated {
      readonly duration: number;
      readonly nb_transfers: number;
      readonly fare: { readonly found: boolean; readonly total: { readonly value: string } };
    }
    expect(
      journeys.map(({ duration, nb_transfers, fare }: Stated) => [
        [duration / 60, nb_transfers],
        fare.found ? Number(fare.total.value) : undefined,
      ]),
    ).toEqual(trains.map((train) => [truth(train, minutes), train.fares[0]?.cents]));
  },
);

/** A journey by the timetable, of which nothing is late. */
function onTime({ connection, delayMinutes: _, ...train }: Train): Train {
  const planned = ({ delayMinutes: __, ...run }: TrainRun): TrainRun => run;
  return connection
    ? { ...train, connection: [planned(connection[0]), planned(connection[1])] }
    : train;
}
