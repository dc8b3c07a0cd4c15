import { createTimetable } from '@ticketing/carrier-sim';
import { stationTable } from '@ticketing/carriers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CARRIER_NAMES, type CarrierName, UPSTREAM_NAMES } from '../src/carriers/carriers.ts';
import { EXAMPLES, examplesOf } from '../src/pages/form/examples.ts';
import { problemText } from '../src/pages/form/field-note.ts';
import { suggestedOf } from '../src/pages/form/match-stations.ts';
import { fieldOf } from '../src/pages/form/page-fields.ts';
import {
  AGE_GROUPS,
  countOf,
  GROUPS,
  MOST_PASSENGERS,
  partyOf,
  partyText,
  type Traveller,
  valuesOf,
  withOneFewer,
  withOneMore,
} from '../src/pages/form/passengers.ts';
import { canStep, passengerFields } from '../src/pages/form/passengers-panel.ts';
import { placeName } from '../src/pages/form/place-name.ts';
import { chipTexts, headingOf, titleOf, tripText } from '../src/pages/form/search-words.ts';
import type { ShownProblem } from '../src/pages/form/shown-problem.ts';
import {
  inCities,
  type Suggested,
  shownText,
  suggestionItems,
} from '../src/pages/form/suggestions.ts';
import { readSearchQuestion } from '../src/search/search-query.ts';
import { servedStations } from '../src/search/station-texts.ts';
import { sharedServer } from './demo.ts';

const server = sharedServer();

const aTraveller: fc.Arbitrary<Traveller> = fc
  .record({
    age: fc.option(fc.integer({ min: 0, max: 120 }), { nil: undefined }),
    card: fc.option(fc.stringMatching(/^[A-Z0-9]{1,6}(\+[A-Z0-9]{1,6})?$/), { nil: undefined }),
  })
  .map(({ age, card }) => ({
    group: partyOf({ ages: `${age ?? ''}` })[0]?.group ?? 'adult',
    ...(age !== undefined && { age }),
    ...(card !== undefined && { card }),
  }));
const aParty = fc.array(aTraveller, { minLength: 1, maxLength: MOST_PASSENGERS });

test('valuesOf() and partyOf() are each other’s reverse, and a search reads the same passengers', () => {
  fc.assert(
    fc.property(aParty, (party) => {
      const values = valuesOf(party);
      expect(partyOf(values)).toEqual(party);
      expect(valuesOf(partyOf(values))).toEqual(values);
      const { query } = readSearchQuestion(
        {
          origin: 'Madrid',
          destination: 'Barcelona',
          passengers: Number(values.passengers),
          ...(values.ages !== '' && { ages: values.ages }),
          ...(values.cards !== '' && { cards: values.cards }),
        },
        {
          stations: servedStations,
          carriers: CARRIER_NAMES,
          nowMs: 1.8e12,
          pageTokens: { open: () => undefined },
          hubs: [],
        },
      );
      const read = query.passengers ?? 1;
      const expected = party.map(({ age, card }) => ({
        ...(age !== undefined && { age }),
        ...(card !== undefined && { cards: card.split('+') }),
      }));
      expect(typeof read === 'number' ? Array.from({ length: read }, () => ({})) : read).toEqual(
        expected,
      );
    }),
  );
});

test('partyOf() makes somebody of any text', () => {
  const text = fc.option(fc.string(), { nil: undefined });
  fc.assert(
    fc.property(text, text, text, (passengers, ages, cards) => {
      const party = partyOf({ passengers, ages, cards });
      expect(party.length).toBeGreaterThan(0);
      expect(party.length).toBeLessThanOrEqual(MOST_PASSENGERS);
    }),
  );
  expect(partyOf({})).toEqual([{ group: 'adult' }]);
  expect(partyOf({ ages: ',8' }).map(({ group }) => group)).toEqual(['adult', 'child']);
});

test('steps: one more and one fewer of a group, from 1 to 9 people, everybody else stays', () => {
  fc.assert(
    fc.property(aParty, fc.constantFrom(...GROUPS), (party, group) => {
      const more = withOneMore(party, group);
      const isFull = party.length === MOST_PASSENGERS;
      expect([canStep(party, group, 'more'), more.length]).toEqual([
        !isFull,
        party.length + (isFull ? 0 : 1),
      ]);
      expect(countOf(more, group)).toBe(countOf(party, group) + (isFull ? 0 : 1));
      for (const one of party) expect(more).toContain(one);
      const fewer = withOneFewer(party, group);
      expect(canStep(party, group, 'fewer')).toBe(fewer.length < party.length);
      expect(fewer.length).toBeGreaterThan(0);
      // A new one has an age of its group, or none.
      for (const { age, group: own } of more) {
        const { from, to } = AGE_GROUPS[own];
        if (age !== undefined) expect(age >= from && age <= to).toBe(true);
      }
    }),
  );
  expect(partyText(partyOf({ passengers: '4', ages: ',,14,8' }))).toBe(
    '2 adults, 1 young person, 1 child',
  );
});

test('each passenger has the fields that one needs; an unknown card stays', () => {
  const cards = [{ code: 'BC50', name: 'BahnCard 50' }];
  const fields = (ages: string, own = '', known = cards): string[] =>
    [
      ...String(passengerFields(partyOf({ ages, cards: own }), known)).matchAll(
        /<span>([^<]+)<\/span>/g,
      ),
    ].map(([, label = '']) => label);
  expect(fields(',')).toEqual(['Card of adult 1', 'Card of adult 2']);
  expect(fields(',14,8')).toEqual([
    'Card of adult',
    'Age of young person',
    'Card of young person',
    'Age of child',
  ]);
  expect(fields(',8', ',', [])).toEqual(['Age of child']);
  expect(String(passengerFields(partyOf({ cards: 'OWN' }), cards))).toContain(
    '<option value="OWN" selected>OWN',
  );
});

const names = {
  placeOf: (text: string) => (text === 'uic:1' ? 'Atocha' : text),
  usualDay: '2026-11-28',
};

test('title, heading and line of a search carry the route and the day', () => {
  const form = { origin: 'uic:1', destination: 'Barcelona', date: '2026-11-27' };
  expect(titleOf(form, names)).toBe('Atocha → Barcelona, Fri 27 Nov · Ticketing');
  expect(headingOf(form, names)).toBe('Atocha to Barcelona, Friday 27 November');
  expect(tripText({ ...form, date: '', ages: ',8' }, names)).toBe('Sat 28 Nov · 1 adult, 1 child');
  expect(titleOf({}, names)).toBe('Trains of many carriers, asked at once · Ticketing');
  expect(titleOf({ ...form, date: 'today' }, names)).toBe('Atocha → Barcelona, today · Ticketing');
});

test('a chip shows its setting', () => {
  const texts = (values: Parameters<typeof chipTexts>[0]) =>
    Object.values(chipTexts(values, names.placeOf)).map(
      ({ text, isOn }) => `${text}${isOn ? '!' : ''}`,
    );
  expect(texts({})).toEqual(['One way', 'Any time', 'Any class', 'Any changes', 'Currency', 'Via']);
  expect(
    texts({
      ...{ time: '08:30', class: 'first', maxTransfers: '0', via: 'uic:1', stops: '1' },
      returnDate: '2027-01-24',
    }),
  ).toEqual([
    'Back Sun 24 Jan!',
    'Leave after 08:30!',
    'First class!',
    'Direct only!',
    'Currency',
    'Via Atocha, stops!',
  ]);
  expect(texts({ time: '20:00', arriveBy: '1', maxTransfers: '1', stops: '1' })).toEqual([
    ...['One way', 'Arrive by 20:00!', 'Any class', 'At most 1 change!', 'Currency', 'With stops!'],
  ]);
  expect(texts({ currency: 'chf' })).toContain('Prices in CHF!');
  expect(texts({ split: '1' })[3]).toBe('With two tickets!');
  expect(texts({ split: 'true', maxTransfers: '2' })[3]).toBe('At most 2 changes, two tickets!');
  expect(texts({ split: '0' })[3]).toBe('Any changes');
});

test('placeName() is the name that somebody wrote, as it is written, or the place’s own', () => {
  const atocha = { name: 'Madrid Puerta de Atocha', aliases: ['Atocha'] };
  expect(
    ['atocha', 'ATOCHA', 'uic:7160000', 'atotcha'].map((text) => placeName(text, atocha)),
  ).toEqual([...['Atocha', 'Atocha', 'Madrid Puerta de Atocha', 'Madrid Puerta de Atocha']]);
});

const suggested = (id: string, more: Partial<Suggested> = {}): Suggested => ({
  kind: id.startsWith('city') ? 'city' : 'station',
  id,
  name: id,
  label: `${id}, all`,
  country: 'ES',
  matched: [],
  searchName: id,
  ...more,
});

test('inCities() lists each place once, and stations directly after their city', () => {
  const list = [
    suggested('city:a', { stations: 2 }),
    suggested('x'),
    suggested('a2', { city: 'city:a' }),
    suggested('x'),
    suggested('a1', { city: 'city:a' }),
    suggested('b1', { city: 'city:b' }),
  ];
  expect(inCities(list).map(({ id }) => id)).toEqual(['city:a', 'a2', 'a1', 'x', 'b1']);
});

test('suggestions mark what was typed, name a country where it is another one, and escape', () => {
  const markup = String(
    suggestionItems('list', [
      suggested('city:a', { name: '<Barc>elona', matched: [[1, 5]], stations: 5 }),
      suggested('a1', { city: 'city:a' }),
      suggested('c', { name: 'Barcelos', country: 'PT', matched: [[0, 4]] }),
      suggested('z', { name: 'Zaragoza', alias: 'Saragossa', matched: [[0, 4]] }),
    ]),
  );
  expect(markup).toContain(
    '<span>&lt;<mark>Barc</mark>&gt;elona</span><small>all 5 stations</small>',
  );
  expect(markup).toContain('class="station"');
  expect(markup).toContain('<mark>Barc</mark>elos</span><small>Portugal</small>');
  expect(markup).toContain('<span>Zaragoza</span><small><mark>Sara</mark>gossa</small>');
  expect(markup.match(/Spain/)).toBeNull();
  expect(shownText(suggested('uic:1', { label: 'Essen' }))).toBe('Essen');
  const [own] = suggestedOf(
    [{ name: 'Córdoba', folded: 'cordoba', of: undefined, kind: 'station' }],
    'cor',
  );
  expect(own?.matched).toEqual([[0, 3]]);
});

const SPANISH: readonly CarrierName[] = ['renfe', 'ouigo', 'avlo'];

test('examples find something on every day, with just the carriers that they name', () => {
  // Neither the seed nor the day changes who runs a line.
  const timetable = createTimetable({ seed: 'any' });
  const trainsOf = (carrier: CarrierName, query: Parameters<typeof timetable.trains>[0]) =>
    carrier === 'gtfs' ? [] : timetable.trains({ ...query, carrier });
  const uics = (text: string): string[] => {
    const match = stationTable.find(text);
    if (match.kind !== 'found') throw new Error(`Cannot test: ${text} is ${match.kind}`);
    const stations = 'members' in match.station ? match.station.members : [match.station];
    return stations.map(({ id }) => id.slice('uic:'.length));
  };
  const days = Array.from(
    { length: 14 },
    (_, day) => `2026-12-${String(day + 1).padStart(2, '0')}`,
  );
  for (const { origin, destination, by, isAbroad = false } of EXAMPLES) {
    const countries = [origin, destination].map((text) => {
      const match = stationTable.find(text);
      return match.kind === 'found' ? match.station.country : '';
    });
    expect([origin, countries[0] !== countries[1]]).toEqual([origin, isAbroad]);
    for (const date of days) {
      const selling: CarrierName[] = UPSTREAM_NAMES.filter((carrier) =>
        uics(origin).some((from) =>
          uics(destination).some(
            (to) => trainsOf(carrier, { origin: from, destination: to, date }).length > 0,
          ),
        ),
      );
      // The feed has every line beyond the Spanish network, whoever sells it.
      if (selling.some((carrier) => !SPANISH.includes(carrier))) selling.push('gtfs');
      expect([origin, destination, date, selling]).toEqual([origin, destination, date, by]);
    }
  }
  for (const carrier of CARRIER_NAMES) {
    const shown = examplesOf([carrier]);
    expect([carrier, shown.length]).toEqual([carrier, 3]);
    for (const { by } of shown) expect(by).toEqual([carrier]);
  }
  expect(examplesOf(CARRIER_NAMES)).toHaveLength(3);
  expect(examplesOf([])).toEqual([]);
});

const ROUTE = 'origin=Madrid&destination=Barcelona';
test.each([
  ['origin=Madird&destination=Barcelona', 'origin', 'We do not know “Madird”.'],
  [
    'origin=qwxyz&destination=Barcelona',
    'origin',
    'We do not know “qwxyz”. Choose a place from the list.',
  ],
  ['origin=Essen&destination=Barcelona', 'origin', '“Essen” is the name of several places.'],
  ['origin=&destination=Madrid', 'origin', 'Where do you start?'],
  ['origin=Madrid', 'destination', 'Where do you want to go?'],
  ['origin=Madrid&destination=Madrid', 'destination', 'From and To are the same place.'],
  [`origin=Madrid&destination=${'x'.repeat(120)}`, 'destination', 'Use a shorter name.'],
  [`${ROUTE}&via=Madrid`, 'via', 'Choose a place between From and To, not one of them.'],
  [`${ROUTE}&via=qwxyz`, 'via', 'We do not know “qwxyz”. Choose a place from the list.'],
  [`${ROUTE}&date=someday`, 'date', 'Choose a day.'],
  [
    `${ROUTE}&date=2020-01-01`,
    'date',
    /^Choose a day from today, \w{3} \d+ \w{3,4}, to \w{3} \d+ \w{3,4} 20\d\d\.$/,
  ],
  [`${ROUTE}&arriveBy=1`, 'time', 'When do you want to be there?'],
  [`${ROUTE}&time=0800`, 'time', 'Give a time such as 08:30.'],
  [`${ROUTE}&maxTransfers=99`, 'maxTransfers', 'Choose how many changes are fine, 8 at most.'],
  [`${ROUTE}&class=third`, 'class', 'Choose first or second class.'],
  [`${ROUTE}&passengers=0`, 'passengers', 'We can search for 1 to 9 people.'],
  [`${ROUTE}&passengers=ten`, 'passengers', 'We can search for 1 to 9 people.'],
  [
    `${ROUTE}&passengers=1&ages=1,2`,
    'ages',
    'Give an age for each passenger; adults may go without.',
  ],
  [`${ROUTE}&ages=old`, 'ages', 'Give ages in whole years, up to 120.'],
  [`${ROUTE}&ages=200`, 'ages', 'Give ages in whole years, up to 120.'],
  [`${ROUTE}&cards=1+2+3+4+5+6+7+8+9`, 'cards', 'Give the cards of each passenger, 8 at most.'],
] as const)('GET /?%s says beside %s what is wrong', async (query, field, text) => {
  const { status, body } = await server().get(`/?${query}&plain=1`);
  expect(status).toBe(400);
  const [, id, said = ''] =
    /<p class="field-error" id="(\w+)-note"><span>([^<]*)<\/span>/.exec(body as string) ?? [];
  expect(id).toBe(field);
  const expected = typeof text === 'string' ? text : expect.stringMatching(text);
  expect(said).toEqual(expected);
  expect(body).toMatch(
    new RegExp(`aria-describedby="${field}-note"|<details class="drop"[^>]* open>|id="party"`),
  );
  expect(body).toContain('data-view="home"');
  // The browser gets the same problem of the API, and says the same.
  const problem = (await server().get(`/search?${query}`)).body as ShownProblem;
  expect([fieldOf(problem), problemText(problem)]).toEqual([field, expected]);
});

test('a wrong place leads to the search with the likely one, as the address has all else', async () => {
  const { body } = await server().get('/?origin=Madird&destination=Barcelona&ages=35,8&plain=1');
  const [, href = ''] = /class="button small" href="([^"]+)"/.exec(body as string) ?? [];
  const address = new URL(href.replaceAll('&amp;', '&'), 'http://localhost');
  expect(Object.fromEntries(address.searchParams)).toEqual({
    origin: 'Madrid',
    destination: 'Barcelona',
    ages: '35,8',
    plain: '1',
  });
});

test('GET /?… carries its route in title and share text, and folds the form; a wrong field keeps it open', async () => {
  const page = async (query: string): Promise<string> =>
    (await server().get(`/?${query}`)).body as string;
  const search = await page('origin=madrid&destination=uic:7171801&date=2026-12-24');
  const title = 'Madrid → Barcelona Sants, Thu 24 Dec · Ticketing';
  expect(search).toContain(`<title>${title}</title>`);
  expect(search).toContain(`<meta property="og:title" content="${title}">`);
  expect(search).toContain('content="Madrid to Barcelona Sants, Thursday 24 December: ');
  expect(search).toContain('data-view="results"');
  expect(search).toMatch(/<details id="folded" class="drop folded-form">.*<form id="search"/s);
  const home = await page('');
  expect(home).toMatch(
    /<details id="folded"[^>]* hidden>.*<main.*data-view="home".*<form id="search"/s,
  );
  expect(home).toContain('Three carriers are asked at once');
  expect(await page('origin=Madird&destination=Barcelona')).toContain('data-view="home"');
});
