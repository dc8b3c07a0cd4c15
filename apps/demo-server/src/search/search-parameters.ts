import { JOURNEY_ORDERS, MAX_STATION_TEXT } from '@ticketing/core';
import { type Static, Type } from 'typebox';

/** Longest text of `page`, in characters: below the limit of a request's head. */
const MAX_PAGE_TEXT = 12_000;

const stationText = (what: string, ...examples: string[]) =>
  Type.String({
    minLength: 1,
    maxLength: MAX_STATION_TEXT,
    description: `${what}: a name, a station id, or a carrier's code`,
    ...(examples.length > 0 && { examples }),
  });
const shortText = (description: string, examples: string[] = []) =>
  Type.Optional(
    Type.String({ maxLength: 40, description, ...(examples.length > 0 && { examples }) }),
  );
const yesOrNo = (description: string) =>
  Type.Optional(Type.Enum(['1', 'true', '0', 'false'], { description }));

/** Parameters that carriers are asked with. Equal ones are one search. */
const question = {
  origin: stationText('Where the journey begins', 'Madrid', 'uic:7160000', 'renfe:60000'),
  destination: stationText('Where it ends', 'Barcelona', 'uic:7171801'),
  date: shortText(
    'Day of departure at the origin, with `arriveBy` of arrival, YYYY-MM-DD; default: tomorrow',
  ),
  time: shortText('Departures from then on, HH:MM at the origin', ['08:30']),
  arriveBy: yesOrNo('Arrivals until `time` at the destination, instead of departures from then on'),
  via: Type.Optional(stationText('Where a change of trains is')),
  maxTransfers: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 8, description: 'Most changes of trains' }),
  ),
  class: Type.Optional(
    Type.Enum(['first', 'second'], { description: 'Offers of the other class are left out' }),
  ),
  // A default in the schema would count beside `ages`.
  passengers: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 9, description: 'Default: as many as `ages`, or 1' }),
  ),
  ages: shortText('Age of each passenger, with commas between them; an empty one is an adult', [
    '35,8',
  ]),
  cards: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Cards of each passenger that reduce fares, with commas between passengers and + between cards',
      examples: ['BC50,'],
    }),
  ),
  stops: yesOrNo('Adds the stations where trains call on the way: answers are larger'),
  currency: shortText(
    'ISO 4217 code: prices are converted to it beside those of the sellers; default: the base of the rates',
    ['EUR', 'CHF'],
  ),
  split: yesOrNo(
    'Adds journeys of two tickets over a hub that are cheaper or faster than all others; nobody protects their connection',
  ),
  page: Type.Optional(
    Type.String({
      maxLength: MAX_PAGE_TEXT,
      description: 'Of `pages` of an answer: the journeys before or after; all else as before',
    }),
  ),
  fresh: yesOrNo('Asks every carrier now, whatever answers are kept, and keeps the new ones'),
  order: Type.Optional(Type.Enum(JOURNEY_ORDERS, { default: 'departure' })),
  carriers: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Names of the carriers to ask, with commas between them; default: all',
      examples: ['renfe', 'renfe,ouigo'],
    }),
  ),
};

/** Parameters that decide what one client sees of a search: they are no part of its key. */
const view = {
  maxPrice: shortText(
    'Journeys that cost at most this; in `currency`, or else euros, unless it names one',
    ['199.90', '45 CHF'],
  ),
  departAfter: shortText('Departures from this time of day on, HH:MM', ['06:00']),
  departBefore: shortText('Departures until this time of day, HH:MM', ['12:00']),
  arriveBefore: shortText('Arrivals until this time of day, HH:MM', ['20:00']),
  direct: yesOrNo('Journeys without a change of trains'),
  flexible: yesOrNo('Journeys with an offer that can be exchanged or refunded'),
  facets: yesOrNo(
    'Adds how many journeys there are, and their lowest prices, by carrier, brand, changes, hour, class and flexibility, before these filters',
  ),
};

/** Parameters of `GET /search`. */
export const SearchParameters = Type.Object(
  { ...question, ...view },
  { additionalProperties: false },
);
export type SearchParameters = Static<typeof SearchParameters>;

/** Names of the parameters that are integers. */
export const INTEGER_PARAMETERS: ReadonlySet<string> = new Set<keyof SearchParameters>([
  'maxTransfers',
  'passengers',
]);

/** True for the text of a parameter that is `1` or `true`. */
export function isSet(text: string | undefined): boolean {
  return text === '1' || text === 'true';
}
