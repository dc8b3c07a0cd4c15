import { Type } from 'typebox';

// The answers of GET /search, as the OpenAPI document shows them. A test holds real answers against these schemas.

const text = Type.String();

const TimeAt = Type.Object(
  {
    ms: Type.Integer({ description: 'Epoch milliseconds' }),
    iso: Type.String({ description: 'RFC 9557, with the zone of the station' }),
  },
  { $id: 'TimeAt' },
);
const Money = Type.Object(
  {
    amount: Type.Integer({ description: 'Minor units' }),
    currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  },
  { $id: 'Money' },
);
const Station = Type.Object(
  {
    id: Type.String({ examples: ['uic:7160000'] }),
    name: text,
    zone: Type.String({ description: 'IANA time zone' }),
    country: Type.String({ description: 'ISO 3166-1 alpha-2' }),
    latitude: Type.Number(),
    longitude: Type.Number(),
    codes: Type.Record(text, text, { description: 'Its code in each system that has one' }),
    aliases: Type.Optional(Type.Array(text)),
  },
  { $id: 'Station' },
);
const RideLeg = Type.Object(
  {
    kind: Type.Literal('ride'),
    origin: text,
    destination: text,
    departure: TimeAt,
    arrival: TimeAt,
    brand: Type.Optional(text),
    number: Type.Optional(text),
    operator: Type.Optional(text),
    operatingDay: Type.Optional(text),
  },
  { $id: 'RideLeg', description: 'One train; stations are ids' },
);
const TransferLeg = Type.Object(
  {
    kind: Type.Literal('transfer'),
    origin: text,
    destination: text,
    minutes: Type.Integer(),
  },
  { $id: 'TransferLeg', description: 'The way between two trains' },
);
const Offer = Type.Object(
  {
    id: text,
    seller: Type.String({ description: 'Name of the carrier' }),
    total: Money,
    travelClass: Type.Enum(['first', 'second', 'any']),
    fareName: Type.Optional(text),
    flexibility: Type.Enum(['full', 'semi', 'none', 'unknown']),
    seatsLeft: Type.Optional(Type.Integer()),
    validUntil: Type.Optional(Type.Integer({ description: 'Epoch milliseconds' })),
    fetchedAt: Type.Integer({ description: 'Epoch milliseconds' }),
  },
  { $id: 'Offer', description: 'What one seller asks, for all passengers' },
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
    offers: Type.Array(Offer, { description: 'Cheapest first; none: sold out' }),
    sources: Type.Array(text, { description: 'Carriers that list it' }),
    conflicts: Type.Optional(Type.Array(TimeConflict)),
  },
  { $id: 'Journey' },
);
const CarrierStatus = Type.Object(
  {
    carrier: text,
    state: Type.Enum(['running', 'ok', 'empty', 'timeout', 'error', 'cancelled', 'rejected-busy']),
    ms: Type.Number({ description: 'Milliseconds from the start of the search' }),
    found: Type.Integer(),
    error: Type.Optional(Type.Object({ code: text, retryable: Type.Boolean(), message: text })),
  },
  { $id: 'CarrierStatus' },
);
const Query = Type.Object(
  { origin: Station, destination: Station, date: text, passengers: Type.Integer() },
  { $id: 'Query' },
);

/** The answer as one document. */
export const SearchAnswer = Type.Object(
  {
    query: Query,
    journeys: Type.Array(Journey),
    carriers: Type.Array(CarrierStatus),
    complete: Type.Boolean({ description: 'Whether every carrier answered' }),
    ms: Type.Number(),
  },
  { $id: 'SearchAnswer', description: 'The journeys of all carriers, merged' },
);

const SearchStarted = Type.Object(
  {
    type: Type.Literal('search-started'),
    query: Query,
    carriers: Type.Array(CarrierStatus),
    deadline: Type.Number({ description: 'Epoch milliseconds' }),
  },
  { $id: 'SearchStarted', description: 'The first event' },
);
const CarrierStatusEvent = Type.Object(
  { type: Type.Literal('carrier-status'), status: CarrierStatus },
  { $id: 'CarrierStatusEvent', description: 'A carrier answered, or failed' },
);
const JourneysUpsert = Type.Object(
  {
    type: Type.Literal('journeys-upsert'),
    seq: Type.Integer({ description: '1, 2, 3 … within one search' }),
    journeys: Type.Array(Journey, { description: 'New ones, and new states of known ones, by id' }),
    removed: Type.Array(text, { description: 'Ids that were merged into others' }),
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
  },
  { $id: 'SearchDone', description: 'The last event' },
);

/** One event of a streamed answer. */
export const SearchStreamEvent = Type.Union(
  [SearchStarted, CarrierStatusEvent, JourneysUpsert, SearchDone],
  { $id: 'SearchEvent' },
);
