import {
  cheapestTotal,
  createJourney,
  createLocalClock,
  type Journey,
  mergeJourneys,
  type Place,
  type RideLeg,
  type TransferLeg,
} from '@ticketing/core';
import { expect, test } from 'vitest';
import { barcelona, NOW, offer, train } from './trains.ts';

const at = (time: string) => `2026-12-01T${time}`;
const summary = (journeys: readonly Journey[]) =>
  journeys.map(({ sources, departure }) => `${sources.join('+')} ${departure.iso.slice(11, 16)}`);

test('mergeJourneys() keeps the offers of both sellers', () => {
  const renfe = train({ number: '3063', offers: [offer('renfe', 3735)] });
  const agency = train({
    number: '3063',
    source: 'agency',
    offers: [offer('agency', 3500), offer('agency', 9000)],
  });
  const [merged, ...others] = mergeJourneys([renfe, agency]);
  expect(others).toEqual([]);
  expect(merged?.id).toBe(renfe.id);
  expect(merged?.sources).toEqual(['agency', 'renfe']);
  expect(merged?.offers.map(({ id }) => id)).toEqual(['agency-3500', 'renfe-3735', 'agency-9000']);
  expect(merged?.conflicts).toBeUndefined();
});

test('mergeJourneys() keeps the later fetched of two offers with one seller and id', () => {
  const old = train({ number: '1', offers: [offer('renfe', 100, { id: 'basic' })] });
  const fresh = offer('renfe', 200, { id: 'basic', fetchedAt: NOW + 1 });
  const [merged] = mergeJourneys([old, train({ number: '1', source: 'agency', offers: [fresh] })]);
  expect(merged?.offers).toEqual([fresh]);
});

test('mergeJourneys() takes one number within ten minutes for one train', () => {
  const first = train({ number: '3063', at: at('06:15'), until: at('08:45') });
  const tenLater = train({ number: '3063', source: 'b', at: at('06:25'), until: at('08:55') });
  const elevenLater = train({ number: '3063', source: 'b', at: at('06:26'), until: at('08:55') });
  expect(summary(mergeJourneys([tenLater, first]))).toEqual(['b+renfe 06:15']);
  expect(summary(mergeJourneys([elevenLater, first]))).toEqual(['renfe 06:15', 'b 06:26']);
});

test('mergeJourneys() gives two trains of one number, twenty minutes apart, two ids', () => {
  const first = train({ number: '3063', at: at('06:15') });
  const second = train({ number: '3063', at: at('06:35') });
  expect(second.id).toBe(first.id);
  const merged = mergeJourneys([second, first]);
  expect(summary(merged)).toEqual(['renfe 06:15', 'renfe 06:35']);
  expect(merged.map(({ id }) => id)).toEqual([first.id, `${first.id}-2`]);
});

test('mergeJourneys() gives unique ids also to journeys that were merged before', () => {
  const trains = ['06:15', '06:35', '06:55'].map((time) => train({ number: '1', at: at(time) }));
  const merged = mergeJourneys(trains);
  const again = mergeJourneys([...merged, ...trains]);
  expect(new Set(again.map(({ id }) => id)).size).toBe(again.length);
  expect(mergeJourneys([...trains, ...merged])).toEqual(again);
});

test('mergeJourneys() keeps a time more than three minutes off as a conflict, and averages nothing', () => {
  const renfe = train({ number: '3063', at: at('06:15'), until: at('08:45') });
  const agency = train({ number: '3063', source: 'agency', at: at('06:19'), until: at('08:48') });
  const [merged, ...others] = mergeJourneys([agency, renfe]);
  expect(others).toEqual([]);
  expect(merged).toMatchObject({ departure: renfe.departure, arrival: renfe.arrival });
  expect(merged?.conflicts).toEqual([
    { field: 'departure', source: 'agency', value: agency.departure },
  ]);
});

test('mergeJourneys() takes times within two minutes for one train when a number is missing', () => {
  const numbered = train({ number: '3063', brand: 'AVE', at: at('06:15'), until: at('08:45') });
  const near = train({ source: 'b', at: at('06:13'), until: at('08:47') });
  const far = train({ source: 'b', at: at('06:15'), until: at('08:48') });
  expect(mergeJourneys([near, numbered])).toMatchObject([
    { id: numbered.id, sources: ['b', 'renfe'], departure: numbered.departure },
  ]);
  expect(mergeJourneys([far, numbered])).toHaveLength(2);
  expect(
    mergeJourneys([near, train({ source: 'c', at: at('06:14'), until: at('08:47') })]),
  ).toHaveLength(1);
});

test('mergeJourneys() joins a journey without number to the nearest train', () => {
  const early = train({ number: '1', at: at('06:15') });
  const late = train({ number: '2', at: at('06:17') });
  const loose = train({ source: 'b', at: at('06:16'), until: at('08:45') });
  expect(summary(mergeJourneys([late, loose, early])).sort()).toEqual([
    'b+renfe 06:15',
    'renfe 06:17',
  ]);
});

test('mergeJourneys() keeps two trains of one carrier apart that have no numbers and leave within two minutes', () => {
  const [first, second] = ['06:15', '06:16'].map((time, index) =>
    train({ source: 'avlo', at: `2026-12-01T${time}`, until: `2026-12-01T08:4${index}` }),
  ) as [Journey, Journey];
  expect(mergeJourneys([first, second])).toHaveLength(2);
  expect(mergeJourneys([first, second, first])).toHaveLength(2);
  const numbered = train({ source: 'renfe', number: '1', until: '2026-12-01T08:40' });
  const merged = mergeJourneys([numbered, second, first]);
  expect(merged.map(({ sources }) => sources.join()).sort()).toEqual(['avlo', 'avlo,renfe']);
});

test('mergeJourneys() joins trains without numbers at the same times before those at near ones', () => {
  const times = [
    { at: at('06:15'), until: at('08:44') },
    { at: at('06:16'), until: at('08:45') },
  ];
  for (const number of [undefined, '2']) {
    const [first, second] = times.map((time) => train({ source: 'avlo', ...time }));
    const other = train({ source: 'b', ...(number !== undefined && { number }), ...times[1] });
    const merged = mergeJourneys([first, second, other] as Journey[]);
    expect(summary(merged).sort()).toEqual(['avlo 06:15', 'avlo+b 06:16']);
  }
});

test('mergeJourneys() keeps two competitors apart that leave in the same minute', () => {
  const renfe = train({ number: '3063', brand: 'AVE', operator: 'Renfe' });
  const ouigo = train({ source: 'ouigo', brand: 'OUIGO', operator: 'Ouigo' });
  expect(mergeJourneys([renfe, ouigo])).toHaveLength(2);
  expect(
    mergeJourneys([train({ brand: 'AVE' }), train({ source: 'b', brand: 'Iryo' })]),
  ).toHaveLength(2);
  expect(
    mergeJourneys([renfe, train({ source: 'b', brand: 'ave', operator: 'RENFE' })]),
  ).toHaveLength(1);
  expect(mergeJourneys([renfe, train({ source: 'b' }), ouigo])).toHaveLength(2);
});

test('mergeJourneys() reads the number in a brand', () => {
  const numbered = train({ number: '662', brand: 'RJX' });
  const loose = (brand: string) => train({ source: 'b', brand });
  for (const brand of ['RJX 662', 'rjx662', 'RJX']) {
    expect(mergeJourneys([numbered, loose(brand)])).toHaveLength(1);
  }
  for (const brand of ['RJX 664', 'IC 662', 'RJX 66', 'S8']) {
    expect(mergeJourneys([numbered, loose(brand)])).toHaveLength(2);
  }
  const named = train({ number: '662', brand: 'RJX 662' });
  expect(mergeJourneys([named, loose('RJX')])).toHaveLength(1);
  expect(mergeJourneys([train({ brand: 'RJX 662' }), loose('RJX662')])).toHaveLength(1);
});

test('mergeJourneys() keeps two trains apart whose numbers differ, when other numbers are missing', () => {
  const change = (source: string, numbers: readonly [string, string | undefined]) => {
    const first = train({ source, number: numbers[0], destination: 'x:1', until: at('07:00') });
    const second = train({ origin: 'x:1', at: at('07:30') });
    const legs = [...first.legs, ...second.legs].map((leg, index) => {
      const number = numbers[index];
      return number === undefined ? leg : { ...leg, number };
    });
    return { ...first, legs, arrival: second.arrival, transfers: 1, id: `j-${source}` };
  };
  const known = change('renfe', ['3063', '4001']);
  expect(mergeJourneys([known, change('b', ['3063', undefined])])).toHaveLength(1);
  expect(mergeJourneys([known, change('b', ['9999', undefined])])).toHaveLength(2);
});

test('mergeJourneys() takes a train after midnight for one, whatever day carriers give it', () => {
  const night = train({ number: '9', at: at('00:30'), operatingDay: '2026-11-30' });
  const untold = train({ number: '9', at: at('00:30'), source: 'b' });
  const calendar = train({ number: '9', at: at('00:35'), source: 'c', operatingDay: '2026-12-01' });
  const merged = mergeJourneys([calendar, untold, night]);
  expect(merged).toMatchObject([{ id: night.id, sources: ['b', 'c', 'renfe'] }]);
  const nextNight = train({ number: '9', at: '2026-12-02T00:30', until: '2026-12-02T09:00' });
  expect(mergeJourneys([night, untold, nextNight])).toHaveLength(2);
});

test('mergeJourneys() takes a train for one that leaves before midnight, or after it', () => {
  const before = train({ number: '9', at: '2026-11-30T23:58' });
  const after = train({ number: '9', at: at('00:02'), source: 'b' });
  expect(summary(mergeJourneys([after, before]))).toEqual(['b+renfe 23:58']);
  const other = train({ number: '11', at: at('00:02'), source: 'b' });
  expect(mergeJourneys([other, before])).toHaveLength(2);
});

test('mergeJourneys() keeps two nights of a second train apart', () => {
  const change = (source: string, day: string, operatingDay?: string) => {
    const first = train({ source, number: '1', destination: 'x:1', until: at('09:00') });
    const times = { at: `${day}T00:20`, until: `${day}T06:00` };
    const second = train({
      ...{ source, number: '2', origin: 'x:1', ...times },
      ...(operatingDay !== undefined && { operatingDay }),
    });
    return createJourney({ source, legs: [...first.legs, ...second.legs], offers: [] });
  };
  const told = change('a', '2026-12-02', '2026-12-01');
  expect(mergeJourneys([told, change('b', '2026-12-02')])).toHaveLength(1);
  expect(mergeJourneys([told, change('b', '2026-12-03')])).toHaveLength(2);
});

const wolfurt: Place = { id: 'x:1', name: 'Wolfurt Bahnhst', latitude: 47.4571, longitude: 9.741 };

test.each<[string, string, readonly [number, number], 1 | 2]>([
  ['the same name, 200 m away', 'WOLFURT Bahnhst', [47.4589, 9.741], 1],
  ['one word less', 'Wolfurt', [47.4571, 9.741], 1],
  ['another word for a station', 'Wolfurt (Bahnhof)', [47.4571, 9.7445], 1],
  ['a word more', 'Wolfurt Bahnhst (Vorarlberg)', [47.4571, 9.741], 1],
  ['other words', 'Lauterach', [47.4571, 9.741], 2],
  ['a word alone that many have', 'Bahnhof', [47.4571, 9.741], 2],
  ['the same name, 400 m to the north', 'Wolfurt', [47.4607, 9.741], 2],
  ['the same name, 400 m to the east', 'Wolfurt', [47.4571, 9.7463], 2],
])(
  'mergeJourneys() and a stop under two ids, with %s',
  (_what, name, [latitude, longitude], count) => {
    const other: Place = { id: 'y:1', name, latitude, longitude };
    const journeys = [
      train({ number: '865', origin: 'x:1' }),
      train({ number: '865', source: 'b', origin: 'y:1' }),
    ];
    expect(mergeJourneys(journeys)).toHaveLength(2);
    expect(mergeJourneys(journeys, { places: [wolfurt, other] })).toHaveLength(count);
    expect(mergeJourneys(journeys, { places: [other, wolfurt] })).toHaveLength(count);
    expect(mergeJourneys(journeys, { places: [wolfurt, { id: 'y:1', name }] })).toHaveLength(2);
  },
);

test('mergeJourneys() lets a train without a number join one at another id of its stop', () => {
  const places = [wolfurt, { ...wolfurt, id: 'y:1', name: 'Wolfurt' }];
  const known = train({ number: '865', brand: 'RJX', origin: 'x:1' });
  const loose = (at: string, brand: string) => train({ source: 'b', at, brand, origin: 'y:1' });
  const near = loose('2026-12-01T06:16', 'rjx');
  expect(mergeJourneys([known, near], { places })).toMatchObject([{ sources: ['b', 'renfe'] }]);
  expect(mergeJourneys([known, loose('2026-12-01T06:16', 'IC')], { places })).toHaveLength(2);
  expect(mergeJourneys([known, loose('2026-12-01T06:20', 'RJX')], { places })).toHaveLength(2);
});

test('mergeJourneys() keeps two trains of one brand apart that leave within ten minutes', () => {
  const places = [wolfurt, { ...wolfurt, id: 'y:1', name: 'Wolfurt' }];
  const [first, second] = ['865', '867'].map((number, index) =>
    train({ number, brand: 'RJX', origin: 'x:1', at: at(`06:1${index * 8}`) }),
  ) as [Journey, Journey];
  const others = ['865', '867'].map((number, index) =>
    train({ source: 'b', number, brand: 'RJX', origin: 'y:1', at: at(`06:1${index * 8}`) }),
  );
  const merged = mergeJourneys([second, ...others, first], { places });
  expect(summary(merged).sort()).toEqual(['b+renfe 06:10', 'b+renfe 06:18']);
});

test('mergeJourneys() merges trains that arrive the next day', () => {
  const night = { number: '9', at: at('22:45'), until: '2026-12-02T07:00' };
  const merged = mergeJourneys([train(night), train({ ...night, source: 'b' })]);
  expect(merged).toMatchObject([{ durationMinutes: 495, sources: ['b', 'renfe'] }]);
});

test('mergeJourneys() compares stations of every ride', () => {
  const direct = train({ number: '3063' });
  const shorter = train({ number: '3063', source: 'b', destination: 'uic:7104040' });
  expect(mergeJourneys([direct, shorter])).toHaveLength(2);
  expect(mergeJourneys([train(), train({ source: 'b', origin: barcelona.id })])).toHaveLength(2);
});

test('mergeJourneys() takes a field that two sources have from the first one by name, in any order of answers', () => {
  const number = '3063';
  const avlo = train({ number, source: 'avlo', brand: 'AVE' });
  const renfe = train({ number, source: 'renfe', brand: 'ave' });
  for (const answers of [
    [avlo, renfe],
    [renfe, avlo],
  ]) {
    expect(mergeJourneys(answers)).toMatchObject([{ legs: [{ brand: 'AVE' }] }]);
  }
});

test('mergeJourneys() passes journeys of one carrier through unchanged', () => {
  const journeys = [train({ number: '2' }), train({ number: '1' })];
  const merged = mergeJourneys(journeys);
  expect(merged).not.toBe(journeys);
  expect(merged[0]).toBe(journeys[0]);
  expect(mergeJourneys([])).toEqual([]);
});

test('mergeJourneys() counts the minutes that the news of another carrier makes', () => {
  const [leg] = train({ number: '1' }).legs;
  const late = { ...leg, expectedArrival: clock.fromLocal(at('09:05'), 'Europe/Madrid') };
  const live = createJourney({ source: 'live', legs: [late as RideLeg], offers: [] });
  const merged = mergeJourneys([train({ number: '1', source: 'a' }), live]);
  expect(merged).toMatchObject([{ legs: [late], durationMinutes: 170, sources: ['a', 'live'] }]);
});

const clock = createLocalClock();
const timeAt = (time: string) => clock.fromLocal(at(time), 'Europe/Madrid');

test('mergeJourneys() gives a train the details that its first carrier lacks', () => {
  const stops = [{ station: 'x', departure: timeAt('07:00') }];
  const first = train({ number: '1', source: 'a', departurePlatform: { planned: '5' } });
  const second = train({
    number: '1',
    source: 'b',
    departurePlatform: { planned: 'Track 5', expected: '6' },
    arrivalPlatform: { planned: '2' },
    stops,
    booking: { text: 'Call' },
  });
  const third = train({ number: '1', source: 'c', arrivalPlatform: { planned: '3' } });
  for (const answers of [
    [first, second, third],
    [third, second, first],
  ]) {
    const [merged] = mergeJourneys(answers);
    // A platform is taken whole: carriers write it in different ways.
    expect(merged?.legs).toEqual([
      {
        ...first.legs[0],
        arrivalPlatform: { planned: '2' },
        stops,
        booking: { text: 'Call' },
      },
    ]);
    expect(merged?.id).toBe(first.id);
  }
});

const remark = (text: string, kind: 'info' | 'disruption' = 'info') => ({ kind, text });

test('mergeJourneys() joins remarks, each text once: of too many, disruptions stay', () => {
  const of = (source: string, remarks: readonly ReturnType<typeof remark>[]) => ({
    ...train({ number: '1', source, remarks }),
    remarks,
  });
  const [merged] = mergeJourneys([
    of('b', [remark('Late', 'disruption'), remark('Bar')]),
    of('a', [remark('Bar'), remark('Quiet')]),
  ]);
  const joined = [remark('Bar'), remark('Quiet'), remark('Late', 'disruption')];
  expect(merged).toMatchObject({ remarks: joined, legs: [{ remarks: joined }] });
  const infos = Array.from({ length: 20 }, (_, index) => remark(`Info ${index}`));
  const [full] = mergeJourneys([of('a', infos), of('b', [remark('Late', 'disruption')])]);
  const kept = [remark('Late', 'disruption'), ...infos.slice(0, 19)];
  expect(full).toMatchObject({ remarks: kept, legs: [{ remarks: kept }] });
  const same = of('a', infos);
  expect(mergeJourneys([same, { ...same, sources: ['b'] }])[0]?.remarks).toBe(infos);
});

test('mergeJourneys() keeps the risk of a carrier, and of the expected times of another', () => {
  const change = { kind: 'transfer', origin: 'm', destination: 'm', minutes: 5 } as const;
  const legs = (late: Partial<RideLeg>, way: Partial<TransferLeg> = {}) => [
    { ...leg({ destination: 'm', until: at('07:00') }), ...late },
    { ...change, ...way },
    leg({ origin: 'm', at: at('07:20') }),
  ];
  const leg = (parts: Parameters<typeof train>[0]) =>
    train({ number: '1', ...parts }).legs[0] as RideLeg;
  const journey = (source: string, ...parts: Parameters<typeof legs>) =>
    createJourney({ source, legs: legs(...parts), offers: [] });
  const risk = (...journeys: Journey[]) =>
    mergeJourneys(journeys)[0]?.legs.flatMap((one) => (one.kind === 'ride' ? [] : [one.risk]));
  const plan = journey('a', {});
  const late = (time: string) => ({ expectedArrival: timeAt(time) });
  expect(risk(plan, journey('b', {}))).toEqual([undefined]);
  expect(risk(plan, journey('b', late('07:17')))).toEqual(['tight']);
  expect(risk(plan, journey('b', late('07:21')))).toEqual(['missed']);
  expect(risk(plan, journey('b', {}, { risk: 'missed' }))).toEqual(['missed']);
  expect(risk(journey('a', {}, { risk: 'tight' }), journey('b', late('07:21')))).toEqual([
    'missed',
  ]);
  // Its own expected times say that it holds.
  expect(risk(journey('a', late('07:02')), journey('b', late('07:21')))).toEqual([undefined]);
});

test('mergeJourneys() keeps how many travel, beside offers for some of them', () => {
  const offers = [offer('b', 5, { passengers: [0] }), offer('b', 7, { passengers: [1] })];
  const partial = { ...train({ number: '1', source: 'b', offers }), passengers: 2 };
  const [merged] = mergeJourneys([train({ number: '1', source: 'a' }), partial]);
  expect(merged?.passengers).toBe(2);
  expect(merged && cheapestTotal(merged)?.amount).toBe(12);
});
