import { createJourney, type Journey, type Leg, type Offer, type RideLeg } from '@ticketing/core';
import { expect, test } from 'vitest';
import { journeyRow } from '../src/pages/journey/journey-row.ts';
import type { Names } from '../src/pages/journey/names.ts';
import { idle, namesOf, reduce } from '../src/pages/search-state.ts';
import { detailedJourney, PARTY } from './detailed-journey.ts';

const names: Names = {
  stations: new Map([
    ['uic:7160000', 'Madrid'],
    ['uic:7104040', 'Zaragoza'],
    ['uic:7171801', 'Barcelona'],
    ['uic:7104007', 'Guadalajara'],
    ['uic:7104104', 'Calatayud'],
    ['uic:7178400', 'Lleida'],
    ['a:house', 'Calle Mayor 1'],
    ['a:office', 'Plaza <1>'],
  ]),
  carriers: new Map([['renfe', 'Renfe']]),
  calls: new Map(),
  operators: new Map([['11', 'Renfe Viajeros']]),
  passengers: PARTY,
};
const detailed: Journey = { ...detailedJourney, passengers: 3 };
const row = (journey: Journey, more: Partial<Names> = {}): string =>
  String(journeyRow(journey, { ...names, ...more }));
/** The text that people read. */
const textOf = (markup: string): string =>
  markup
    .replace(/<span (aria-hidden="true"|class="hidden")>[^<]*<\/span>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ([,:])/g, '$1');

const [walk, ride, change, bus] = detailed.legs as [Leg, RideLeg, Leg, RideLeg];
const text = textOf(row(detailed));

test('a row says planned and changed platforms, and the times that are expected', () => {
  expect(text).toContain('08:00 now 08:02 Madrid, platform 7 instead of 5');
  expect(text).toContain('09:20 now 09:31 Zaragoza, platform 2 AVE 3063');
  expect(row(detailed)).toContain('<b class="news">platform 7</b> instead of 5');
  const platforms = (departurePlatform: RideLeg['departurePlatform']) => {
    const legs = [{ ...ride, departurePlatform } as RideLeg];
    return /Madrid(.*?) 09:20/.exec(textOf(row({ ...detailed, legs })))?.[1];
  };
  expect(platforms({ planned: '5' })).toBe(', platform 5');
  expect(platforms({ expected: '7' })).toBe(', platform 7');
  expect(platforms({ planned: '5', expected: '5' })).toBe(', platform 5');
});

test('a row has remarks as a line, with all of them below it, and escapes them', () => {
  const markup = row(detailed);
  expect(markup).not.toContain('<script>');
  expect(markup).toContain(
    '<details class="remarks"><summary><b class="news">Disruption</b>: &lt;script&gt;alert(1)&lt;/script&gt; &amp; late (1 of 2)</summary><ul><li lang="en">&lt;script&gt;alert(1)&lt;/script&gt; &amp; late</li><li>No bicycles</li></ul></details>',
  );
  // Of the journey.
  expect(markup).toContain('<p>Two tickets</p>');
  const long = 'A'.repeat(81);
  expect(row({ ...detailed, remarks: [{ kind: 'info', text: long }] })).toContain(
    `<details class="remarks"><summary>${long}</summary><ul><li>${long}</li></ul></details>`,
  );
  const remarks = [
    { kind: 'info', text: 'A' },
    { kind: 'disruption', text: 'B' },
  ] as const;
  expect(row({ ...detailed, remarks })).toContain(
    '<summary><b class="news">Disruption</b>: B (1 of 2)</summary><ul><li>A</li><li>B</li></ul>',
  );
  const language = '"><script>';
  expect(
    row({ ...detailed, remarks: [...remarks, { kind: 'info', text: 'A', language }] }),
  ).toContain('<li lang="&quot;&gt;&lt;script&gt;">A</li>');
});

test('a row has the stops on the way on demand', () => {
  expect(row(detailed)).toContain('<details><summary>2 stops</summary><ul><li>');
  expect(text).toContain('08:30 now 08:35 Guadalajara, platform 3 instead of 1');
  expect(text).toContain('09:00 Calatayud, no stop');
  const { stops: _, ...plain } = ride;
  expect(row({ ...detailed, legs: [plain] })).not.toContain('stop');
});

test('a row says for whom prices are, and what may be done with the tickets', () => {
  expect(text).toContain('For 2 adults, 1 child:');
  expect(text).toContain(
    'Flex 4 refund for a fee, exchangeable Until &lt;i&gt;departure&lt;/i&gt; 60.00 EUR for 2 adults',
  );
  expect(text).toContain('– – no refund 15.00 EUR for 1 child');
  // The price of the row is that of all.
  expect(text).toContain('75.00 EUR');
  const { passengers: _, ...unknown } = detailed;
  expect(textOf(row(unknown))).toContain('prices for parts');
  const [, first] = detailed.offers as [Offer, Offer];
  const { passengers: __, conditions: ___, ...whole } = first;
  const plain = { ...detailed, offers: [whole] };
  expect(textOf(row(plain))).toContain('Flex 4 semi 60.00 EUR');
  expect(textOf(row(plain))).not.toContain('60.00 EUR for');
  expect(textOf(row(plain, { passengers: [{}] }))).not.toContain('For 1 adult');
  // Its prices do not heed the age.
  const adultsOnly = new Set(['renfe']);
  expect(textOf(row(plain, { adultsOnly }))).toContain('60.00 EUR for 3 adults');
  const children = [{ age: 3 }, { age: 17 }];
  expect(textOf(row(plain, { passengers: children }))).toContain('For 2 children:');
});

test('a row marks connections at risk, in its line too', () => {
  expect(change).toMatchObject({ risk: 'tight' });
  expect(text).toContain('1 change, tight');
  expect(text).toContain('15 min to change at Zaragoza, tight');
  const missed = { ...change, risk: 'missed' } as Leg;
  const marked = textOf(row({ ...detailed, legs: [walk, ride, missed, bus] }));
  expect(marked).toContain('1 change, missed');
  expect(marked).toContain('15 min to change at Zaragoza, missed');
  const atOnce = { ...missed, minutes: 0 } as Leg;
  expect(textOf(row({ ...detailed, legs: [ride, atOnce, bus] }))).toContain(
    'Change at Zaragoza, missed',
  );
  expect(textOf(row({ ...detailed, legs: [ride] }))).not.toMatch(/tight|missed/);
});

test('a row says where to stay in the train, what must be booked, and the minutes of ways at the ends', () => {
  expect(text).toContain('Bus 12, unnamed, stay in the bus at Lleida (then Bus 13)');
  expect(text).toContain('Must be booked until 07:00 on 2026-12-01: Call &lt;b&gt;0800&lt;/b&gt;');
  expect(text).toContain('7 min from Calle Mayor 1 to Madrid');
  expect(text).toContain('12 min from Barcelona to Plaza &lt;1&gt;');
  const { until: _, ...booking } = bus.booking ?? {};
  expect(textOf(row({ ...detailed, legs: [{ ...bus, booking }] }))).toContain(
    'Must be booked: Call',
  );
  const other = textOf(row({ ...detailed, legs: [{ ...bus, mode: 'other', booking: {} }] }));
  expect(other).toMatch(/stay in the vehicle at Lleida .* Must be booked For/);
});

test('a row names operators: a number without a name says nothing to people', () => {
  expect(text).toContain('AVE 3063, Renfe Viajeros');
  expect(text).toContain('Bus 12, unnamed');
  expect(textOf(row(detailed, { operators: undefined }))).not.toContain(', 11');
});

test('namesOf() has what the events of a search said', () => {
  const query = { date: '2026-12-01', passengers: PARTY } as never;
  const status = { carrier: 'renfe', state: 'ok', ms: 1, found: 1, ignored: ['ages'] } as const;
  const upsert = (operators: Record<string, string>) =>
    ({
      type: 'journeys-upsert',
      seq: 1,
      journeys: [],
      removed: [],
      places: { a: { id: 'a', name: 'A' } },
      operators,
    }) as const;
  const state = [
    { type: 'search-started', query, carriers: [], deadline: 0 } as const,
    { type: 'carrier-status', status } as const,
    upsert({ 11: 'SBB', 12: 'BLS' }),
    upsert({ 11: 'SBB CFF FFS' }),
  ].reduce(reduce, idle);
  expect(namesOf(state)).toEqual({
    stations: new Map([['a', 'A']]),
    operators: new Map([
      ['11', 'SBB CFF FFS'],
      ['12', 'BLS'],
    ]),
    day: '2026-12-01',
    passengers: PARTY,
    adultsOnly: new Set(['renfe']),
  });
});

test('a row of a journey without any of these is as before', () => {
  const { departurePlatform: _, arrivalPlatform: __, remarks: ___, stops: ____, ...rest } = ride;
  const { expectedArrival: _____, expectedDeparture: ______, ...plain } = rest;
  const journey = createJourney({ source: 'renfe', legs: [plain], offers: [] });
  expect(textOf(row(journey, { passengers: [{}] }))).toBe(
    ' 08:00 09:20 1 h 20 direct AVE 3063 sold out 08:00 Madrid 09:20 Zaragoza AVE 3063, Renfe Viajeros No seller has seats left. Listed by Renfe. ',
  );
});
