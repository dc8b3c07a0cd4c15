// The rail model, the carrier contract, and a scatter-gather search with one deadline.

// For those who search.

export {
  CarrierError,
  type CarrierErrorCode,
  RailError,
  type RailErrorCode,
  type RailErrorData,
} from './errors.ts';
export type {
  CarrierId,
  Journey,
  Leg,
  Offer,
  RideLeg,
  TimeConflict,
  TransferLeg,
} from './journey.ts';
export { addDays, isLocalDate, type LocalDate, type TimeAt } from './local-clock.ts';
export { addMoney, formatMoney, type Money } from './money.ts';
export { JOURNEY_ORDERS, type JourneyOrder, sortJourneys } from './order.ts';
export { createSearch, type Search } from './search.ts';
export type { RunCarrier, SearchCallOptions, SearchOptions } from './search-options.ts';
export type { ResolvedQuery, SearchQuery } from './search-query.ts';
export type { CarrierState, CarrierStatus, SearchEvent, SearchResult } from './search-result.ts';
export type { SearchStats } from './search-stats.ts';
export type { Station, StationId } from './station.ts';
export {
  createStationIndex,
  MAX_STATION_TEXT,
  type StationIndex,
  type StationMatch,
} from './station-index.ts';

// For authors of carriers and dispatchers.

export type {
  Carrier,
  CarrierAnswer,
  CarrierContext,
  CarrierHttp,
  CarrierHttpRequest,
  CarrierHttpResponse,
} from './carrier.ts';
export type { CarrierErrorOptions } from './errors.ts';
export { createJourney, type JourneyParts } from './journey.ts';
export { createLocalClock, type LocalClock } from './local-clock.ts';
export { mergeJourneys } from './merge.ts';
export { currencyExponent, type MoneyFormat, moneyFromNumber, parseMoney } from './money.ts';
