import { createJourney, type Journey, type Leg, type Offer, type RideLeg } from '@ticketing/core';
import { expect, test } from 'vitest';
import { durationText, priceText } from '../src/pages/journey/display-texts.ts';
import { badgeOf, isSplit, type Leaders } from '../src/pages/journey/journey-badge.ts';
import { barShape, barWidth } from '../src/pages/journey/journey-bar.ts';
import { journeyDetails } from '../src/pages/journey/journey-details.ts';
import { journeyRow } from '../src/pages/journey/journey-row.ts';
import type { Names } from '../src/pages/journey/names.ts';
import { fares } from '../src/pages/journey/ticket-boxes.ts';
import { joinJourneys } from '../src/pages/results/join-journeys.ts';
import { idle, namesOf, reduce } from '../src/pages/results/search-state.ts';
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
const row = (journey: Journey, more: Partial<Names> = {}, leaders: Leaders = {}): string => {
  const all = { ...names, ...more };
  return String(
    journeyRow(journey, {
      names: all,
      place: { longestMinutes: journey.durationMinutes, leaders },
      below: journeyDetails(journey, all),
    }),
  );
};
/** The text that people read. */
const textOf = (markup: string): string =>
  markup
    .replace(/<span class="mark[^>]*>[^<]*<\/span>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ([,:])/g, '$1');

const [walk, ride, change, bus] = detailed.legs as [Leg, RideLeg, Leg, RideLeg];
const text = textOf(row(detailed));

test('a row has planned and changed platforms, and the times that are expected', () => {
  expect(text).toContain('planned 08:00 now 08:02 Madrid Platform 7 instead of 5');
  expect(text).toContain('planned 09:20 now 09:31 Zaragoza Platform 2');
  expect(row(detailed)).toContain('<b class="news">Platform 7</b> instead of 5');
  // In its line: the time that is expected, and below it the one that was planned.
  expect(row(detailed)).toMatch(
    /<time datetime="2026-12-01T08:02[^"]*" class="news">08:02<.*<s><span class="sr">planned <\/span>08:00<\/s> Madrid/,
  );
  expect(textOf(row(detailed))).toContain('2 min late');
  const platforms = (departurePlatform: RideLeg['departurePlatform']) => {
    const legs = [{ ...ride, departurePlatform } as RideLeg];
    return /now 08:02 Madrid(.*?) AVE/.exec(textOf(row({ ...detailed, legs })))?.[1]?.trim();
  };
  expect(platforms({ planned: '5' })).toBe('Platform 5');
  expect(platforms({ expected: '7' })).toBe('Platform 7');
  expect(platforms({ planned: '5', expected: '5' })).toBe('Platform 5');
  expect(platforms(undefined)).toBe('');
});

test('a row has remarks, disruptions first, many and long ones on demand, and escapes them', () => {
  const markup = row(detailed);
  expect(markup).not.toContain('<script>');
  expect(textOf(markup)).toContain(
    'Disruption: &lt;script&gt;alert(1)&lt;/script&gt; &amp; late No bicycles',
  );
  expect(markup).toContain('<li lang="en">');
  // Of the journey.
  expect(textOf(markup)).toContain('Two tickets');
  const long = 'A'.repeat(121);
  const remarksOf = (remarks: Journey['remarks']) =>
    /<(details|ul) class="remarks">(.*?)<\/\1>/.exec(
      row({ ...detailed, legs: [], ...(remarks && { remarks }) }),
    )?.[0] ?? '';
  expect(remarksOf([{ kind: 'info', text: long }])).toMatch(
    new RegExp(`^<details class="remarks"><summary>.*${long}.*</summary><ul><li>.*${long}`),
  );
  const many = remarksOf([
    { kind: 'info', text: 'A' },
    { kind: 'info', text: 'C' },
    { kind: 'disruption', text: 'B' },
  ]);
  expect(textOf(many).trim()).toBe('Disruption: B 1 of 3 Disruption: B A C');
  const language = '"><script>';
  expect(remarksOf([{ kind: 'info', text: 'A', language }])).toContain(
    '<li lang="&quot;&gt;&lt;script&gt;">',
  );
});

test('a journey of two tickets is marked in its line, by its badge and at its change', () => {
  const legs = detailed.legs.map(
    (leg): Leg =>
      leg.kind === 'transfer' && leg === change ? { ...leg, minutes: 45, selfTransfer: true } : leg,
  );
  const { expectedDeparture: _, expectedArrival: __, ...onTime } = ride;
  const split = { ...detailed, legs: legs.map((leg) => (leg === ride ? onTime : leg)) };
  expect(isSplit(split)).toBe(true);
  expect(isSplit(detailed)).toBe(false);
  const leaders: Leaders = { best: split.id, cheapest: split.id, fastest: split.id };
  expect(badgeOf(split, leaders)).toEqual({ tone: 'warn', text: 'Two tickets' });
  expect(badgeOf({ ...split, legs }, {})?.text).toBe('2 min late');
  const shown = textOf(row(split));
  expect(shown).toContain('both tickets');
  expect(shown).toContain('1 change, not protected');
  expect(shown).toContain(
    'Two tickets: this connection is not protected. If you miss the next train, no seller helps: you buy a new ticket.',
  );
  expect(textOf(row(detailed))).not.toContain('not protected');
  const elsewhere = legs.map(
    (leg): Leg =>
      leg.kind === 'transfer' && leg.selfTransfer ? { ...leg, destination: 'uic:7171801' } : leg,
  );
  expect(textOf(row({ ...split, legs: elsewhere }))).toContain(
    'Make your own way to Barcelona, 45 min',
  );
});

test('joinJourneys() keeps two tickets and one ticket for the same trains apart', () => {
  const legs = detailed.legs.map(
    (leg): Leg => (leg === change ? ({ ...leg, selfTransfer: true } as Leg) : leg),
  );
  const split = { ...detailed, id: 'j-split', legs };
  const joined = joinJourneys([split, detailed, split], []);
  expect(joined.map((one) => [one.id, isSplit(one)])).toEqual([
    [detailed.id, false],
    ['j-split', true],
  ]);
});

test('a row has the stops on the way on demand', () => {
  expect(row(detailed)).toContain('<details class="stops"><summary>2 stops');
  expect(text).toContain('planned 08:30 now 08:35 Guadalajara, Platform 3 instead of 1');
  expect(text).toContain('09:00 Calatayud, no stop');
  const { stops: _, ...plain } = ride;
  expect(row({ ...detailed, legs: [plain] })).not.toContain('class="stops"');
});

test('a row has the passengers of its prices, and the conditions of the tickets', () => {
  expect(text).toContain('Tickets for 2 adults, 1 child');
  expect(text).toContain(
    'Flex €60.00 Second class · free changes, part of the price back Until &lt;i&gt;departure&lt;/i&gt; Renfe for 2 adults 4 seats left €60.00',
  );
  expect(text).toContain('Ticket €15.00 Second class · no refund Renfe for 1 child €15.00');
  // The price of the row is that of all.
  expect(text).toContain('€75.00');
  const { passengers: _, ...unknown } = detailed;
  expect(textOf(row(unknown))).toContain('prices for parts');
  const [, first] = detailed.offers as [Offer, Offer];
  const { passengers: __, conditions: ___, ...whole } = first;
  const plain = { ...detailed, offers: [whole] };
  expect(textOf(row(plain))).toContain(
    'Flex €60.00 Second class · changes for a fee, part of the price back Renfe 4 seats left €60.00',
  );
  // Its prices do not heed the age.
  const adultsOnly = new Set(['renfe']);
  expect(textOf(row(plain, { adultsOnly }))).toContain('Renfe for 3 adults');
  const children = [{ age: 3 }, { age: 17 }];
  expect(textOf(row(plain, { passengers: children }))).toContain('Tickets for 2 children');
  expect(textOf(row({ ...plain, offers: [{ ...whole, rides: [0] }] }))).toContain('Flex train 1');
});

test('a box has a fare, and each of its sellers once', () => {
  const [, whole] = detailed.offers as [Offer, Offer];
  const { passengers: _, ...own } = whole;
  const offers = [
    own,
    { ...own, id: 'b', seller: 'ouigo', total: { amount: 6100, currency: 'EUR' } },
    { ...own, id: 'c', total: { amount: 6200, currency: 'EUR' } },
    { ...own, id: 'd', fareName: 'First', travelClass: 'first' },
  ] as const;
  expect(fares(offers).map((fare) => fare.map(({ id }) => id))).toEqual([['adults', 'b'], ['d']]);
  expect(textOf(row({ ...detailed, offers }))).toContain('2 sellers');
});

test('a row marks connections at risk, in its line too', () => {
  expect(change).toMatchObject({ risk: 'tight' });
  expect(text).toContain('1 change, tight');
  expect(text).toContain('Change, 9 min, the way takes 15 min, tight');
  const missed = { ...change, risk: 'missed' } as Leg;
  const marked = textOf(row({ ...detailed, legs: [walk, ride, missed, bus] }));
  expect(marked).toContain('1 change, missed');
  expect(marked).toContain('the way takes 15 min, missed');
  const atOnce = { ...missed, minutes: 0 } as Leg;
  expect(textOf(row({ ...detailed, legs: [ride, atOnce, bus] }))).toContain(
    'Change, 9 min, missed',
  );
  const elsewhere = { ...change, destination: 'uic:7178400' } as Leg;
  expect(textOf(row({ ...detailed, legs: [ride, elsewhere, bus] }))).toContain(
    'Walk to Lleida, 15 min, 9 min to change',
  );
  expect(textOf(row({ ...detailed, legs: [ride, bus] }))).toContain('Change, 9 min');
  expect(textOf(row({ ...detailed, legs: [ride] }))).not.toMatch(/tight|missed/);
});

test('a row has where to stay in the train, what must be booked, and the minutes of ways at the ends', () => {
  expect(text).toContain('Bus 12 unnamed · 2 h 00 Stay in the bus at Lleida, then Bus 13');
  expect(text).toContain('Must be booked until 07:00 on Tue 1 Dec: Call &lt;b&gt;0800&lt;/b&gt;');
  expect(text).toContain('Calle Mayor 1 Walk to Madrid, 7 min');
  expect(text).toContain('Walk to Plaza &lt;1&gt;, 12 min Plaza &lt;1&gt;');
  const { until: _, ...booking } = bus.booking ?? {};
  expect(textOf(row({ ...detailed, legs: [{ ...bus, booking }] }))).toContain(
    'Must be booked: Call',
  );
  const other = textOf(row({ ...detailed, legs: [{ ...bus, mode: 'other', booking: {} }] }));
  expect(other).toMatch(/Stay in the vehicle at Lleida, .* Must be booked /);
  const near = { ...walk, nearby: true } as Leg;
  expect(textOf(row({ ...detailed, legs: [near, ride] }))).toContain(
    'Madrid is near Calle Mayor 1',
  );
});

test('a row names operators: a number without a name means nothing to people', () => {
  expect(text).toContain('AVE 3063 Renfe Viajeros');
  expect(text).toContain('Bus 12 unnamed');
  expect(textOf(row(detailed, { operators: undefined }))).not.toContain(' 11 ');
});

test('stations of the city that was asked for need not repeat it', () => {
  const stations = new Map([...names.stations, ['uic:7160000', 'Madrid Puerta de Atocha']]);
  const line = row(detailed, { stations, cities: ['Madrid', 'Barcelona'] });
  expect(line).toMatch(
    /<small title="Madrid Puerta de Atocha"><s>.*<\/s> <span class="sr">Madrid <\/span>Puerta de Atocha<\/small>/,
  );
  expect(line).toContain('>Madrid Puerta de Atocha');
});

test('contradictions come last, with who lists a journey', () => {
  const conflicts = [
    { field: 'departure', source: 'renfe', value: ride.arrival },
    { field: 'arrival', source: 'avlo', value: ride.departure },
  ] as const;
  expect(textOf(row({ ...detailed, conflicts }))).toMatch(
    /Renfe lists this train at 09:20\. avlo lists its arrival at 08:00\. Listed by Renfe\. $/,
  );
});

test('a row has one badge: what is wrong, then what stands out, then what runs out', () => {
  const { expectedDeparture: _, expectedArrival: __, ...onTime } = ride;
  const offers = detailed.offers
    .slice(0, 1)
    .map(({ passengers: ___, ...offer }) => offer) as Offer[];
  const plain: Journey = { ...detailed, legs: [onTime], offers };
  const badge = (journey: Journey, leaders = {}) => badgeOf(journey, leaders)?.text;
  const { id } = plain;
  expect(badge(plain)).toBeUndefined();
  const full = (seatsLeft: number) => ({
    ...plain,
    offers: offers.map((one) => ({ ...one, seatsLeft })),
  });
  expect([6, 5, 1].map((seats) => badge(full(seats)))).toEqual([
    ...[undefined, '5 seats left', '1 seat left'],
  ]);
  expect(badge(full(1), { fastest: id })).toBe('Fastest');
  expect(badge(full(1), { fastest: id, cheapest: id })).toBe('Cheapest');
  expect(badge(full(1), { best: id, fastest: id })).toBe('Best');
  expect(badge(full(1), { best: id, cheapest: id })).toBe('Best, cheapest');
  const late = (minutes: number) => ({
    ...onTime,
    expectedDeparture: { ...onTime.departure, ms: onTime.departure.ms + minutes * 60_000 },
  });
  const all = { best: id };
  expect(badgeOf({ ...plain, legs: [late(9)] }, all)).toEqual({ tone: 'warn', text: '9 min late' });
  expect(badgeOf({ ...plain, legs: [late(10)] }, all)).toEqual({
    tone: 'bad',
    text: '10 min late',
  });
  expect(badge({ ...plain, legs: [late(-3)] }, all)).toBe('Best');
  expect(badge({ ...plain, legs: [{ ...late(10), cancelled: true }] }, all)).toBe('Cancelled');
  expect(row(plain, {}, { cheapest: id })).toContain('class="journey cheapest"');
});

test('the line of a journey has its trains and changes where they are in time', () => {
  const legs = [ride, change, bus];
  expect(barShape(legs)).toEqual({
    rides: [
      [0, 80 / 220],
      [100 / 220, 1],
    ],
    changes: [(80 / 220 + 100 / 220) / 2],
  });
  expect(barShape([ride])).toEqual({ rides: [[0, 1]], changes: [] });
  expect(barShape([])).toEqual({ rides: [], changes: [] });
  expect(barWidth(detailed, detailed.durationMinutes * 2)).toBe('50%');
  expect(row(detailed)).toContain('<svg class="bar" width="100%"');
});

test('prices are written as the page does, and durations for people', () => {
  expect(priceText({ amount: 4385, currency: 'EUR' })).toBe('€43.85');
  expect(priceText({ amount: 4385, currency: 'EUR' }, 'es')).toBe('43,85\u00a0€');
  expect(priceText({ amount: 500, currency: 'JPY' })).toBe('¥500');
  expect([27, 60, 158].map(durationText)).toEqual(['27 min', '1 h 00', '2 h 38']);
});

test('namesOf() has the names in the events of a search', () => {
  const query = {
    date: '2026-12-01',
    passengers: PARTY,
    origin: { name: 'Madrid' },
    destination: { name: 'Barcelona' },
  } as never;
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
    cities: ['Madrid', 'Barcelona'],
    adultsOnly: new Set(['renfe']),
  });
});

test('a row of a journey without any of these is short', () => {
  const { departurePlatform: _, arrivalPlatform: __, remarks: ___, stops: ____, ...rest } = ride;
  const { expectedArrival: _____, expectedDeparture: ______, ...plain } = rest;
  const journey = createJourney({ source: 'renfe', legs: [plain], offers: [] });
  expect(textOf(row(journey, { passengers: [{}] })).trim()).toBe(
    '08:00 to 09:20 Madrid 1 h 20 · direct Zaragoza AVE 3063 Renfe Viajeros Sold out 08:00 Madrid AVE 3063 Renfe Viajeros · 1 h 20 09:20 Zaragoza No seller has seats left. Listed by Renfe.',
  );
  expect(row(journey)).toContain('class="journey sold"');
  const unpriced = { ...journey, unpriced: ['renfe'] };
  expect(textOf(row(unpriced))).toContain('price at Renfe');
  expect(row(unpriced)).toContain('class="journey"');
});
