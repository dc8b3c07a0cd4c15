import { Type } from 'typebox';
import {
  AppliedRates,
  CarrierStatus,
  CarrierStatusEvent,
  Money,
  Offer,
  Passenger,
  SearchAnswer,
  SearchFailed,
  Station,
} from './search-schemas.ts';

// The answers of GET /calendar, and of GET /search with a way back, as the OpenAPI document shows them. A test holds real answers against these schemas.

const text = Type.String();
const CalendarDay = Type.Object(
  {
    date: Type.String({ description: 'YYYY-MM-DD' }),
    state: Type.Enum(['priced', 'sold-out', 'no-trains', 'unknown'], {
      description:
        'One price is enough for priced; sold-out and no-trains need the word of every carrier',
    }),
    lowest: Type.Optional(Money),
    converted: Type.Optional(Money),
    carrier: Type.Optional(Type.String({ description: 'Seller of the lowest price' })),
    basis: Type.Optional(
      Type.Enum(['offer', 'calendar'], {
        description:
          "An offer that was found, or a carrier's own calendar, whose prices need not last until a search",
      }),
    ),
    fetchedAt: Type.Optional(Type.Number({ description: 'Epoch milliseconds' })),
    totals: Type.Optional(Type.Array(Money, { description: 'Least price of each currency' })),
    unknown: Type.Optional(
      Type.Array(text, { description: 'Carriers that do not say, or not all' }),
    ),
  },
  { $id: 'CalendarDay' },
);
const CalendarQuery = Type.Object(
  {
    origin: Station,
    destination: Station,
    month: Type.String({ description: 'YYYY-MM' }),
    passengers: Type.Array(Passenger),
    currency: Type.Optional(text),
  },
  { $id: 'CalendarQuery' },
);
const days = Type.Array(CalendarDay);
const carriers = Type.Array(CarrierStatus);
const complete = Type.Boolean({ description: 'Whether every carrier is known of every day' });
const rates = Type.Optional(AppliedRates);

/** A calendar as one document. */
export const CalendarAnswer = Type.Object(
  { query: CalendarQuery, days, carriers, complete, ms: Type.Number(), rates },
  { $id: 'CalendarAnswer', description: 'The days of a month that can still be asked for' },
);

/** One event of a streamed calendar. */
export const CalendarStreamEvent = Type.Union(
  [
    Type.Object(
      {
        type: Type.Literal('calendar-started'),
        query: CalendarQuery,
        days,
        carriers,
        deadline: Type.Number({ description: 'Epoch milliseconds' }),
        rates,
      },
      { $id: 'CalendarStarted', description: 'The first event; each day is unknown' },
    ),
    Type.Object(
      { type: Type.Literal('calendar-days'), days },
      { $id: 'CalendarDays', description: 'New states of days, by date' },
    ),
    CarrierStatusEvent,
    Type.Object(
      { type: Type.Literal('calendar-done'), carriers, complete, ms: Type.Number() },
      { $id: 'CalendarDone', description: 'The last event' },
    ),
    SearchFailed,
  ],
  { $id: 'CalendarEvent' },
);

const JourneyPair = Type.Object(
  {
    outbound: Type.String({ description: 'Id of a journey of the way out' }),
    inbound: Type.String({ description: 'Id of a journey of the way back' }),
    offer: Offer,
  },
  { $id: 'JourneyPair', description: 'One offer for both ways' },
);

/** Both ways of a round trip as one document. */
export const RoundTripAnswer = Type.Object(
  {
    outbound: SearchAnswer,
    inbound: SearchAnswer,
    pairs: Type.Optional(
      Type.Array(JourneyPair, {
        description: 'Offers of sellers that price both ways together. Absent: none does',
      }),
    ),
    pairing: Type.Optional(
      Type.Array(CarrierStatus, { description: 'Carriers that were asked for pairs' }),
    ),
    complete: Type.Boolean(),
    ms: Type.Number(),
  },
  { $id: 'RoundTripAnswer', description: 'With `returnDate`: both ways' },
);
