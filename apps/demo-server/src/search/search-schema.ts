import { JOURNEY_ORDERS, MAX_STATION_TEXT } from '@ticketing/core';
import { type Static, Type } from 'typebox';

// The wire of GET /search, as OpenAPI shows it. A test holds real answers against these schemas.

const stationText = (what: string) =>
  Type.String({
    minLength: 1,
    maxLength: MAX_STATION_TEXT,
    description: `${what}: a name, a station id, or a carrier's code`,
    examples: ['Madrid', 'uic:7160000', 'renfe:60000'],
  });

export const SearchParameters = Type.Object(
  {
    origin: stationText('Where the journey begins'),
    destination: stationText('Where it ends'),
    date: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'Day at the origin, YYYY-MM-DD; default: tomorrow',
      }),
    ),
    passengers: Type.Optional(Type.Integer({ minimum: 1, maximum: 9, default: 1 })),
    order: Type.Optional(Type.Enum(JOURNEY_ORDERS, { default: 'departure' })),
  },
  { additionalProperties: false },
);
export type SearchParameters = Static<typeof SearchParameters>;

const TimeAt = Type.Object({
  ms: Type.Integer({ description: 'Epoch milliseconds' }),
  iso: Type.String({ description: 'RFC 9557, with the zone of the station' }),
});
const Money = Type.Object({
  amount: Type.Integer({ description: 'Minor units' }),
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
});
const Station = Type.Object({
  id: Type.String(),
  name: Type.String(),
  zone: Type.String(),
  country: Type.String(),
  latitude: Type.Number(),
  longitude: Type.Number(),
  codes: Type.Record(Type.String(), Type.String()),
  aliases: Type.Optional(Type.Array(Type.String())),
});
const Leg = Type.Union([
  Type.Object({
    kind: Type.Literal('ride'),
    origin: Type.String(),
    destination: Type.String(),
    departure: TimeAt,
    arrival: TimeAt,
    brand: Type.Optional(Type.String()),
    number: Type.Optional(Type.String()),
    operator: Type.Optional(Type.String()),
    operatingDay: Type.Optional(Type.String()),
  }),
  Type.Object({
    kind: Type.Literal('transfer'),
    origin: Type.String(),
    destination: Type.String(),
    minutes: Type.Integer(),
  }),
]);
const Offer = Type.Object({
  id: Type.String(),
  seller: Type.String(),
  total: Money,
  travelClass: Type.Enum(['first', 'second', 'any']),
  fareName: Type.Optional(Type.String()),
  flexibility: Type.Enum(['full', 'semi', 'none', 'unknown']),
  seatsLeft: Type.Optional(Type.Integer()),
  validUntil: Type.Optional(Type.Integer()),
  fetchedAt: Type.Integer(),
});
const Journey = Type.Object({
  id: Type.String(),
  legs: Type.Array(Leg),
  departure: TimeAt,
  arrival: TimeAt,
  durationMinutes: Type.Integer(),
  transfers: Type.Integer(),
  offers: Type.Array(Offer),
  sources: Type.Array(Type.String()),
  conflicts: Type.Optional(
    Type.Array(
      Type.Object({
        field: Type.Enum(['departure', 'arrival']),
        source: Type.String(),
        value: TimeAt,
      }),
    ),
  ),
});
const CarrierStatus = Type.Object({
  carrier: Type.String(),
  state: Type.Enum(['running', 'ok', 'empty', 'timeout', 'error', 'cancelled', 'rejected-busy']),
  ms: Type.Number({ description: 'Milliseconds from the start of the search' }),
  found: Type.Integer(),
  error: Type.Optional(
    Type.Object({ code: Type.String(), retryable: Type.Boolean(), message: Type.String() }),
  ),
});
const Query = Type.Object({
  origin: Station,
  destination: Station,
  date: Type.String(),
  passengers: Type.Integer(),
});

/** The answer as one document. */
export const SearchAnswer = Type.Object({
  query: Query,
  journeys: Type.Array(Journey),
  carriers: Type.Array(CarrierStatus),
  complete: Type.Boolean({ description: 'Whether every carrier answered' }),
  ms: Type.Number(),
});

/** One event of a streamed answer. */
export const SearchStreamEvent = Type.Union([
  Type.Object({
    type: Type.Literal('search-started'),
    query: Query,
    carriers: Type.Array(CarrierStatus),
    deadline: Type.Number(),
  }),
  Type.Object({ type: Type.Literal('carrier-status'), status: CarrierStatus }),
  Type.Object({
    type: Type.Literal('journeys-upsert'),
    seq: Type.Integer(),
    journeys: Type.Array(Journey),
    removed: Type.Array(Type.String()),
  }),
  Type.Object({
    type: Type.Literal('search-done'),
    carriers: Type.Array(CarrierStatus),
    complete: Type.Boolean(),
    found: Type.Integer(),
    ms: Type.Number(),
  }),
]);
