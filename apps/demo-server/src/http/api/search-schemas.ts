import { MAX_REMARK_LENGTH, MAX_REMARKS } from '@ticketing/core';
import { type TSchema, Type } from 'typebox';
import { Problem } from '../../problem/problem.ts';
import { SETTLED_STATES } from '../../search/carrier-states.ts';

// The answers of GET /search, as the OpenAPI document shows them. A test holds real answers against these schemas.

const text = Type.String();

const TimeAt = Type.Object(
  {
    ms: Type.Integer({ description: 'Epoch milliseconds' }),
    iso: Type.String({ description: 'RFC 9557, with the zone of the station' }),
  },
  { $id: 'TimeAt' },
);
export const Money = Type.Object(
  {
    amount: Type.Integer({ description: 'Minor units' }),
    currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  },
  { $id: 'Money' },
);
const stationFields = {
  id: Type.String({ examples: ['uic:7160000'] }),
  name: text,
  zone: Type.String({ description: 'IANA time zone' }),
  country: Type.String({ description: 'ISO 3166-1 alpha-2' }),
  latitude: Type.Number(),
  longitude: Type.Number(),
  codes: Type.Record(text, text, { description: 'Its code in each system that has one' }),
  aliases: Type.Optional(Type.Array(text)),
};
export const Station = Type.Object(
  {
    ...stationFields,
    members: Type.Optional(
      Type.Array(Type.Object(stationFields), { description: 'Of a city: its stations' }),
    ),
  },
  { $id: 'Station' },
);
const shownText = Type.String({ minLength: 1, maxLength: MAX_REMARK_LENGTH });
const Platform = Type.Object(
  {
    planned: Type.Optional(shownText),
    expected: Type.Optional(shownText),
  },
  {
    $id: 'Platform',
    description:
      'As it is written at the station. Expected is another one than planned: it changed',
  },
);
const Remark = Type.Object(
  {
    kind: Type.Enum(['disruption', 'info']),
    text: Type.String({
      minLength: 1,
      maxLength: MAX_REMARK_LENGTH,
      description: 'Plain text of the carrier: to be escaped where it is shown',
    }),
    code: Type.Optional(shownText),
    language: Type.Optional(shownText),
  },
  { $id: 'Remark' },
);
const Remarks = Type.Array(Remark, { maxItems: MAX_REMARKS });
const RideStop = Type.Object(
  {
    station: text,
    arrival: Type.Optional(TimeAt),
    departure: Type.Optional(TimeAt),
    expectedArrival: Type.Optional(TimeAt),
    expectedDeparture: Type.Optional(TimeAt),
    platform: Type.Optional(Platform),
    cancelled: Type.Optional(Type.Literal(true, { description: 'The train does not call here' })),
  },
  { $id: 'RideStop', description: 'A station where a train calls on the way' },
);
const RideBooking = Type.Object(
  {
    until: Type.Optional(TimeAt),
    text: Type.Optional(shownText),
  },
  { $id: 'RideBooking', description: 'It runs only if it was booked' },
);
const rideFields = {
  origin: text,
  destination: text,
  departure: TimeAt,
  arrival: TimeAt,
  expectedDeparture: Type.Optional(TimeAt),
  expectedArrival: Type.Optional(TimeAt),
  cancelled: Type.Optional(Type.Literal(true)),
  mode: Type.Optional(
    Type.Enum(['bus', 'tram', 'metro', 'ferry', 'other'], { description: 'Absent: a train' }),
  ),
  brand: Type.Optional(text),
  number: Type.Optional(text),
  otherNumbers: Type.Optional(Type.Array(text, { description: 'Of trains coupled to it' })),
  operator: Type.Optional(Type.String({ description: 'Its name may be in `operators`' })),
  operatingDay: Type.Optional(text),
  departurePlatform: Type.Optional(Platform),
  arrivalPlatform: Type.Optional(Platform),
  remarks: Type.Optional(Remarks),
  stops: Type.Optional(
    Type.Array(RideStop, { description: 'With parameter `stops`, where the carrier says them' }),
  ),
  booking: Type.Optional(RideBooking),
  co2Grams: Type.Optional(
    Type.Number({ description: 'CO2 equivalent for each passenger, as the carrier answers it' }),
  ),
};
const RideLeg = Type.Object(
  {
    kind: Type.Literal('ride'),
    ...rideFields,
    sections: Type.Optional(
      Type.Array(Type.Object(rideFields), {
        description: 'Trains that people stay in, in turn. Absent: it is one train',
      }),
    ),
  },
  {
    $id: 'RideLeg',
    description: 'One train or other vehicle, with its planned times; stations are ids of `places`',
  },
);
const TransferLeg = Type.Object(
  {
    kind: Type.Literal('transfer'),
    origin: text,
    destination: text,
    minutes: Type.Integer(),
    nearby: Type.Optional(
      Type.Literal(true, {
        description: 'The trains begin or end near the station that was asked for; no way is known',
      }),
    ),
    risk: Type.Optional(
      Type.Union([Type.Literal('tight'), Type.Literal('missed')], {
        description:
          'As expected now: missed: the next train leaves before; tight: it leaves before the way is done',
      }),
    ),
    selfTransfer: Type.Optional(
      Type.Literal(true, {
        description:
          'Both sides are sold apart, with parameter `split`: nobody protects a missed connection. The minutes are the least that it has',
      }),
    ),
  },
  { $id: 'TransferLeg', description: 'The way between two trains, to the first or from the last' },
);
const condition = Type.Enum(['yes', 'fee', 'no', 'unknown']);
export const Offer = Type.Object(
  {
    id: text,
    seller: Type.String({ description: 'Name of the carrier' }),
    total: Money,
    converted: Type.Optional(Money),
    rides: Type.Optional(
      Type.Array(Type.Integer(), { description: 'The rides that it covers, from 0; absent: all' }),
    ),
    travelClass: Type.Enum(['first', 'second', 'any']),
    fareName: Type.Optional(text),
    flexibility: Type.Enum(['full', 'semi', 'none', 'unknown']),
    seatsLeft: Type.Optional(Type.Integer()),
    passengers: Type.Optional(
      Type.Array(Type.Integer(), {
        description: 'Whom it is for, by their places in the query, from 0; absent: all',
      }),
    ),
    conditions: Type.Optional(
      Type.Object(
        { refund: condition, exchange: condition, text: Type.Optional(shownText) },
        { description: 'What may be done with the ticket; fee: for a part of the price' },
      ),
    ),
    validUntil: Type.Optional(Type.Integer({ description: 'Epoch milliseconds' })),
    fetchedAt: Type.Integer({ description: 'Epoch milliseconds' }),
  },
  {
    $id: 'Offer',
    description:
      'What one seller asks, for all passengers or some of them; `converted`: `total` in the currency of the search, where there is a rate for it',
  },
);
const TimeConflict = Type.Object(
  {
    field: Type.Enum(['departure', 'arrival']),
    source: text,
    value: TimeAt,
  },
  { $id: 'TimeConflict', description: 'Another source says another time' },
);
const Journey = Type.Object(
  {
    id: Type.String({ description: 'The same for the same trains on the same day' }),
    legs: Type.Array(Type.Union([RideLeg, TransferLeg])),
    departure: TimeAt,
    arrival: TimeAt,
    durationMinutes: Type.Integer(),
    transfers: Type.Integer(),
    offers: Type.Array(Offer, {
      description:
        'Cheapest first, by converted prices or of each currency by itself; none: sold out, but for sources in `unpriced`',
    }),
    sources: Type.Array(text, { description: 'Carriers that list it' }),
    unpriced: Type.Optional(
      Type.Array(text, { description: 'Those of them that know its times and no price' }),
    ),
    conflicts: Type.Optional(Type.Array(TimeConflict)),
    remarks: Type.Optional(Remarks),
    passengers: Type.Optional(
      Type.Integer({ description: 'How many travel, beside offers for some of them' }),
    ),
    co2: Type.Optional(
      Type.Object(
        {
          grams: Type.Integer(),
          estimated: Type.Boolean({
            description: 'Whether any ride is estimated by its distance and its kind of vehicle',
          }),
        },
        { description: 'CO2 equivalent for each passenger; absent: a ride cannot be estimated' },
      ),
    ),
  },
  { $id: 'Journey' },
);
export const CarrierStatus = Type.Object(
  {
    carrier: text,
    state: Type.Enum(['running', ...SETTLED_STATES]),
    ms: Type.Number({ description: 'Milliseconds from the start of the search' }),
    found: Type.Integer(),
    filtered: Type.Optional(
      Type.Integer({ description: 'Journeys of its answer that could not be shown' }),
    ),
    leftOut: Type.Optional(
      Type.Record(text, Type.Integer(), { description: 'Their number by the reason, in words' }),
    ),
    covers: Type.Optional(
      Type.Object(
        { fromMs: Type.Integer(), untilMs: Type.Integer() },
        { description: 'Departures that its answer covers, epoch milliseconds; absent: the day' },
      ),
    ),
    cache: Type.Optional(
      Type.Enum(['fresh', 'stale'], {
        description:
          'A kept answer; stale: the carrier is asked again, or did not answer for the reason in `error`',
      }),
    ),
    ageMs: Type.Optional(
      Type.Number({ description: 'Milliseconds since the carrier gave the kept answer' }),
    ),
    ignored: Type.Optional(
      Type.Array(Type.Enum(['ages', 'cards']), {
        description: 'What its prices do not heed: they are of adults, or without cards',
      }),
    ),
    error: Type.Optional(
      Type.Object({
        code: text,
        retryable: Type.Boolean(),
        message: text,
        retryAfterMs: Type.Optional(
          Type.Number({ description: 'Milliseconds until the carrier may be asked again' }),
        ),
      }),
    ),
    attempts: Type.Optional(
      Type.Integer({ minimum: 2, description: 'How often it was asked; absent: once, or not' }),
    ),
    hedged: Type.Optional(
      Type.Literal(true, { description: 'It was asked once more because it was slow' }),
    ),
  },
  { $id: 'CarrierStatus' },
);
const HubResult = Type.Object(
  {
    at: Type.String({ description: 'Id of the station or city' }),
    minMinutes: Type.Integer({ description: 'Least minutes of a connection' }),
    maxMinutes: Type.Integer(),
    found: Type.Integer({ description: 'Journeys of the answer that change there' }),
    to: Type.Array(CarrierStatus, { description: 'Answers to the hub' }),
    from: Type.Array(CarrierStatus, { description: 'Answers from the hub' }),
  },
  { $id: 'HubResult', description: 'A place where two tickets meet' },
);
const Hubs = Type.Array(HubResult, {
  description: 'With parameter `split`: the hubs between the ends',
});
export const Passenger = Type.Object(
  { age: Type.Optional(Type.Integer()), cards: Type.Optional(Type.Array(text)) },
  { $id: 'Passenger', description: 'One traveller; without an age an adult' },
);
const Page = Type.Object(
  {
    v: Type.Literal(1),
    query: text,
    direction: Type.Enum(['earlier', 'later']),
    byCarrier: Type.Record(text, Type.Array(Type.Union([text, Type.Null()]))),
  },
  { $id: 'Page', description: 'The page that was asked for, opened' },
);
const Query = Type.Object(
  {
    origin: Station,
    destination: Station,
    date: text,
    time: Type.Optional(text),
    arriveBy: Type.Optional(Type.Boolean()),
    via: Type.Optional(Station),
    maxTransfers: Type.Optional(Type.Integer()),
    travelClass: Type.Optional(Type.Enum(['first', 'second'])),
    passengers: Type.Array(Passenger),
    stops: Type.Optional(Type.Boolean()),
    currency: Type.Optional(text),
    page: Type.Optional(Page),
  },
  { $id: 'Query' },
);
const Place = Type.Object(
  {
    id: text,
    name: text,
    zone: Type.Optional(Type.String({ description: 'IANA time zone' })),
    latitude: Type.Optional(Type.Number()),
    longitude: Type.Optional(Type.Number()),
  },
  { $id: 'Place' },
);
const Places = Type.Record(text, Place, {
  $id: 'Places',
  description: 'Every station that legs and their stops name, by its id',
});
const Operators = Type.Record(text, text, {
  $id: 'Operators',
  description: 'Names of operators that legs name, by their ids',
});
export const AppliedRates = Type.Object(
  {
    asOf: Type.String({ description: 'Day of the rates, YYYY-MM-DD' }),
    source: Type.String({ description: 'Who publishes them' }),
    currency: Type.String({ description: 'Currency of converted prices' }),
    unused: Type.Optional(
      Type.Enum(['too-old', 'too-new', 'no-rate'], { description: 'Why no price is converted' }),
    ),
  },
  { $id: 'AppliedRates', description: 'Exchange rates by which prices are converted' },
);
const Pages = Type.Object(
  {
    earlier: Type.Optional(Type.String({ description: 'For `page`, with all else as before' })),
    later: Type.Optional(text),
  },
  { $id: 'Pages', description: 'Where earlier and later journeys are; absent: nowhere' },
);
const facet = (value: TSchema) =>
  Type.Array(
    Type.Object({
      value,
      count: Type.Integer(),
      lowest: Type.Array(Money, { description: 'One per currency' }),
    }),
  );
const Facets = Type.Object(
  {
    carrier: facet(text),
    brand: facet(text),
    transfers: facet(Type.Integer()),
    hour: facet(Type.Integer()),
    travelClass: facet(text),
    flexibility: facet(text),
  },
  { $id: 'Facets', description: 'Journeys before the filters, by what they can be narrowed to' },
);

/** The answer as one document. */
export const SearchAnswer = Type.Object(
  {
    query: Query,
    journeys: Type.Array(Journey),
    places: Places,
    operators: Operators,
    carriers: Type.Array(CarrierStatus),
    complete: Type.Boolean({ description: 'Whether every carrier answered' }),
    ms: Type.Number(),
    rates: Type.Optional(AppliedRates),
    pages: Type.Optional(Pages),
    facets: Type.Optional(Facets),
    hubs: Type.Optional(Hubs),
  },
  { $id: 'SearchAnswer', description: 'The journeys of all carriers, merged' },
);

const SearchStarted = Type.Object(
  {
    type: Type.Literal('search-started'),
    query: Query,
    carriers: Type.Array(CarrierStatus),
    deadline: Type.Number({ description: 'Epoch milliseconds' }),
    rates: Type.Optional(AppliedRates),
  },
  { $id: 'SearchStarted', description: 'The first event' },
);
export const CarrierStatusEvent = Type.Object(
  { type: Type.Literal('carrier-status'), status: CarrierStatus },
  { $id: 'CarrierStatusEvent', description: 'A carrier answered, or failed' },
);
const JourneysUpsert = Type.Object(
  {
    type: Type.Literal('journeys-upsert'),
    seq: Type.Integer({ description: '1, 2, 3 … within one search' }),
    journeys: Type.Array(Journey, { description: 'New ones, and new states of known ones, by id' }),
    removed: Type.Array(text, { description: 'Ids that were merged into others' }),
    places: Places,
    operators: Operators,
  },
  { $id: 'JourneysUpsert', description: 'Changes to the list' },
);
const SearchDone = Type.Object(
  {
    type: Type.Literal('search-done'),
    carriers: Type.Array(CarrierStatus),
    complete: Type.Boolean(),
    found: Type.Integer(),
    ms: Type.Number(),
    pages: Type.Optional(Pages),
    facets: Type.Optional(Facets),
    hubs: Type.Optional(Hubs),
  },
  { $id: 'SearchDone', description: 'The last event' },
);

export const SearchFailed = Type.Object(
  { type: Type.Literal('search-failed'), problem: Problem },
  { $id: 'SearchFailed', description: 'The last event of a search that was lost with its worker' },
);

/** One event of a streamed answer. */
export const SearchStreamEvent = Type.Union(
  [SearchStarted, CarrierStatusEvent, JourneysUpsert, SearchDone, SearchFailed],
  { $id: 'SearchEvent' },
);
