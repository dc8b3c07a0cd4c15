import type { Journey, Offer, RideLeg, RoundTripResult, SearchResult } from '@ticketing/core';
import { type Problem, problemBody } from '../../problem/problem.ts';
import type { SearchAnswerEvent } from '../../search/search-answer.ts';

// Answers as readers of the OpenAPI document see them. A test holds them against the schemas.

/** One answer in the OpenAPI document. */
interface Example<Value> {
  readonly summary: string;
  readonly value: Value;
}

const [madrid, barcelona, zaragoza] = ['uic:7160000', 'uic:7171801', 'uic:7104040'] as const;
const departure = { ms: 1795410900000, iso: '2026-11-23T06:15:00+01:00[Europe/Madrid]' };
const arrival = { ms: 1795420380000, iso: '2026-11-23T08:53:00+01:00[Europe/Madrid]' };
const journey: Journey = {
  id: 'j-7xji0y17mblra',
  legs: [
    {
      kind: 'ride',
      origin: madrid,
      destination: barcelona,
      departure,
      arrival,
      brand: 'AVE',
      number: '3071',
      operator: 'renfe',
      operatingDay: '2026-11-23',
    },
  ],
  departure,
  arrival,
  durationMinutes: 158,
  transfers: 0,
  offers: [
    {
      id: 'N1010',
      seller: 'renfe',
      total: { amount: 3630, currency: 'EUR' },
      travelClass: 'second',
      fareName: 'Básico',
      flexibility: 'semi',
      fetchedAt: 1795344557355,
    },
  ],
  sources: ['renfe'],
  // 505 km x 1.2 x 35.46 g.
  co2: { grams: 21_357, estimated: true },
};
const [first] = journey.legs as [RideLeg];
const [fare] = journey.offers as [Offer];
const changeAt = { ms: 1795416000000, iso: '2026-11-23T07:40:00+01:00[Europe/Madrid]' };
const bookUntil = { ms: 1795406400000, iso: '2026-11-23T05:00:00+01:00[Europe/Madrid]' };
/** Most details that a carrier may have, of a late train and a bus that is ordered. */
const detailed: Journey = {
  ...journey,
  id: 'j-1n9fdl0kqzv3e',
  legs: [
    {
      kind: 'transfer',
      origin: 'hafas:A=2@O=Calle Mayor 1@',
      destination: madrid,
      minutes: 9,
    },
    {
      ...first,
      destination: zaragoza,
      arrival: changeAt,
      expectedArrival: { ms: 1795416540000, iso: '2026-11-23T07:49:00+01:00[Europe/Madrid]' },
      otherNumbers: ['3073'],
      departurePlatform: { planned: '5', expected: '7' },
      arrivalPlatform: { planned: '2' },
      remarks: [{ kind: 'disruption', text: 'Works near Calatayud', code: 'HIM', language: 'en' }],
      stops: [
        {
          station: 'uic:7104007',
          arrival: { ms: 1795412880000, iso: '2026-11-23T06:48:00+01:00[Europe/Madrid]' },
          departure: { ms: 1795412940000, iso: '2026-11-23T06:49:00+01:00[Europe/Madrid]' },
          platform: { planned: '1' },
        },
      ],
    },
    { kind: 'transfer', origin: zaragoza, destination: zaragoza, minutes: 10, risk: 'tight' },
    {
      kind: 'ride',
      mode: 'bus',
      brand: 'Bus',
      number: '12',
      origin: zaragoza,
      destination: barcelona,
      departure: { ms: 1795416900000, iso: '2026-11-23T07:55:00+01:00[Europe/Madrid]' },
      arrival,
      booking: { until: bookUntil, text: 'By telephone' },
    },
  ],
  durationMinutes: 167,
  transfers: 1,
  offers: [
    {
      ...fare,
      id: 'adult',
      passengers: [0],
      conditions: { refund: 'fee', exchange: 'yes', text: 'Until the train leaves' },
    },
    { ...fare, id: 'child', total: { amount: 1450, currency: 'EUR' }, passengers: [1] },
  ],
  remarks: [{ kind: 'info', text: 'Two tickets' }],
  passengers: 2,
};
const zone = { zone: 'Europe/Madrid', country: 'ES' };
const query: SearchResult['query'] = {
  origin: {
    id: madrid,
    name: 'Madrid Puerta de Atocha-Almudena Grandes',
    ...zone,
    latitude: 40.4064,
    longitude: -3.6909,
    codes: { uic: '7160000', renfe: '60000' },
    aliases: ['Atocha', 'Madrid Atocha'],
  },
  destination: {
    id: barcelona,
    name: 'Barcelona Sants',
    ...zone,
    latitude: 41.3799,
    longitude: 2.141,
    codes: { uic: '7171801', renfe: '71801' },
    aliases: ['Barcelona', 'Sants'],
  },
  date: '2026-11-23',
  passengers: [{}],
};
const late = {
  code: 'TIMEOUT',
  retryable: true,
  message: 'No answer within `deadlineMs` (2000 ms)',
} as const;
const renfe = { carrier: 'renfe', state: 'ok', ms: 246, found: 1 } as const;
const ouigo = { carrier: 'ouigo', state: 'empty', ms: 118, found: 0 } as const;
const hung = { carrier: 'ouigo', state: 'timeout', ms: 2000, found: 0, error: late } as const;

const places: SearchResult['places'] = Object.fromEntries(
  [query.origin, query.destination].map(({ id, name, zone, latitude, longitude }) => [
    id,
    { id, name, zone, latitude, longitude },
  ]),
);
const found = { query, journeys: [journey], places, operators: { renfe: 'Renfe Viajeros' } };

const back: Journey = {
  ...journey,
  id: 'j-2k0c4v9r1xw7d',
  legs: [
    {
      ...first,
      origin: barcelona,
      destination: madrid,
      number: '3132',
      operatingDay: '2026-11-27',
      departure: { ms: 1795791600000, iso: '2026-11-27T16:00:00+01:00[Europe/Madrid]' },
      arrival: { ms: 1795801080000, iso: '2026-11-27T18:38:00+01:00[Europe/Madrid]' },
    },
  ],
  departure: { ms: 1795791600000, iso: '2026-11-27T16:00:00+01:00[Europe/Madrid]' },
  arrival: { ms: 1795801080000, iso: '2026-11-27T18:38:00+01:00[Europe/Madrid]' },
};
const ended = { carriers: [renfe, ouigo], complete: true, ms: 246 };

/** Documents of `GET /search`. */
export const answerExamples: Readonly<Record<string, Example<SearchResult | RoundTripResult>>> = {
  complete: {
    summary: 'Every carrier answered',
    value: { ...found, carriers: [renfe, ouigo], complete: true, ms: 246 },
  },
  partial: {
    summary: 'One carrier did not answer within the deadline; the others did',
    value: { ...found, carriers: [renfe, hung], complete: false, ms: 2000 },
  },
  converted: {
    summary: 'With `currency=CHF`: prices are converted beside those of the sellers',
    value: {
      ...found,
      query: { ...query, currency: 'CHF' },
      journeys: [
        { ...journey, offers: [{ ...fare, converted: { amount: 3417, currency: 'CHF' } }] },
      ],
      carriers: [renfe, ouigo],
      complete: true,
      ms: 246,
      rates: { asOf: '2026-11-20', source: 'European Central Bank', currency: 'CHF' },
    },
  },
  details: {
    summary: 'With `stops`, for an adult and a child: what a carrier may say of a journey',
    value: {
      ...found,
      query: { ...query, passengers: [{}, { age: 8 }], stops: true },
      journeys: [detailed],
      places: {
        ...places,
        [zaragoza]: { id: zaragoza, name: 'Zaragoza Delicias' },
        'uic:7104007': { id: 'uic:7104007', name: 'Guadalajara-Yebes' },
        'hafas:A=2@O=Calle Mayor 1@': { id: 'hafas:A=2@O=Calle Mayor 1@', name: 'Calle Mayor 1' },
      },
      carriers: [renfe, ouigo],
      complete: true,
      ms: 246,
    },
  },
  roundTrip: {
    summary: 'With `returnDate`: both ways, and one offer of a seller for both together',
    value: {
      outbound: { ...found, ...ended },
      inbound: {
        ...found,
        query: {
          ...query,
          origin: query.destination,
          destination: query.origin,
          date: '2026-11-27',
        },
        journeys: [back],
        ...ended,
      },
      pairs: [
        {
          outbound: journey.id,
          inbound: back.id,
          offer: { ...fare, id: 'N1010+N1010', total: { amount: 5810, currency: 'EUR' } },
        },
      ],
      pairing: [renfe],
      complete: true,
      ms: 312,
    },
  },
};

const asked = { state: 'running', ms: 0, found: 0 } as const;
const events: readonly SearchAnswerEvent[] = [
  {
    type: 'search-started',
    query,
    carriers: [
      { carrier: 'renfe', ...asked },
      { carrier: 'ouigo', ...asked },
    ],
    deadline: 1795344559109,
  },
  { type: 'carrier-status', status: renfe },
  {
    type: 'journeys-upsert',
    seq: 1,
    journeys: [journey],
    removed: [],
    places,
    operators: found.operators,
  },
  { type: 'search-done', carriers: [renfe, hung], complete: false, found: 1, ms: 2000 },
  {
    type: 'search-failed',
    problem: problemBody(
      503,
      { detail: 'Worker 3 ended while it ran task `searchEvents`' },
      '/search',
    ),
  },
];

/** Each event of a streamed search, by its type. */
export const eventExamples: Readonly<Record<string, Example<SearchAnswerEvent>>> =
  Object.fromEntries(
    events.map((value) => [value.type, { summary: `Event ${value.type}`, value }]),
  );

/** Refusals of `GET /search`, by status. */
export const refusalExamples: Readonly<Record<400 | 503 | 504, Record<string, Example<Problem>>>> =
  {
    400: {
      missing: {
        summary: 'A parameter is missing',
        value: {
          type: 'urn:ticketing:problem:bad-request',
          title: 'Bad request',
          status: 400,
          instance: '/search',
          detail: 'Parameter destination must be given, got none',
          parameter: 'destination',
          expected: 'given',
          got: null,
          see: '/docs',
        },
      },
      unknownStation: {
        summary: 'A station is unknown; the nearest names are listed',
        value: {
          type: 'urn:ticketing:problem:bad-request',
          title: 'Bad request',
          status: 400,
          instance: '/search',
          detail: 'Parameter origin must be a known station, got "Barcelna"',
          parameter: 'origin',
          expected: 'a known station',
          got: 'Barcelna',
          nearest: [{ id: barcelona, name: 'Barcelona Sants' }],
        },
      },
    },
    503: {
      busy: {
        summary: 'The server is too busy; Retry-After says when to come back',
        value: {
          type: 'urn:ticketing:problem:too-busy',
          title: 'Too busy',
          status: 503,
          instance: '/search',
          detail: 'More requests are waiting than can be answered in time',
          code: 'ERR_OVERLOADED',
        },
      },
    },
    504: {
      late: {
        summary: 'No carrier answered in time',
        value: {
          type: 'urn:ticketing:problem:no-carrier-answered-in-time',
          title: 'No carrier answered in time',
          status: 504,
          instance: '/search',
          detail:
            'renfe: No answer within `deadlineMs` (2000 ms); ouigo: No answer within `deadlineMs` (2000 ms)',
          carriers: [{ ...hung, carrier: 'renfe' }, hung],
        },
      },
    },
  };
