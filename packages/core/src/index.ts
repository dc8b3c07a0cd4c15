// Scatter-gather with one deadline for any sources, and the rail model, carrier contract and search built on it.

// For those who ask many sources of any kind.

export { createScatter, type Scatter } from './scatter/create-scatter.ts';
export type { SourceContext } from './scatter/scatter-face.ts';
export type {
  AskSource,
  ScatterCallOptions,
  ScatterOptions,
  Source,
  SourceAnswers,
  SourceQuery,
  Sources,
} from './scatter/scatter-options.ts';
export type {
  AnswersOf,
  ScatterEvent,
  ScatterResult,
  ScatterStats,
} from './scatter/scatter-result.ts';
export type { SourceFacts, SourceNote } from './scatter/source-note.ts';
export type {
  CallStats,
  EndsBySource,
  LatencyBySource,
  SettledState,
  SourceError,
  SourceState,
  SourceStatus,
} from './scatter/source-status.ts';

// For those who search.

export type { BucketCounts } from '@ticketing/kit';
export { EMISSION_FACTORS, type EmissionFactors } from './co2/emission-factors.ts';
export type { DayState } from './contract/carrier-day.ts';
export type { PageTokens, SearchPage, SearchPages } from './contract/search-page.ts';
export type { Passenger, ResolvedQuery, SearchQuery } from './contract/search-query.ts';
export {
  CarrierError,
  type CarrierErrorCode,
  RailError,
  type RailErrorCode,
  type RailErrorData,
} from './errors.ts';
export {
  cheapestTotal,
  type LowestPrice,
  lowestPrices,
  lowestTotals,
  type PricedJourney,
} from './journeys/cheapest-total.ts';
export { type Facet, facetsOf, type JourneyFacets } from './journeys/facets.ts';
export { filterJourneys, type JourneyFilter } from './journeys/filter-journeys.ts';
export {
  JOURNEY_ORDERS,
  type JourneyOrder,
  sortJourneys,
} from './journeys/order.ts';
export type {
  CarrierId,
  Condition,
  Journey,
  JourneyCo2,
  Leg,
  Offer,
  OfferConditions,
  Platform,
  RideBooking,
  RideLeg,
  RideMode,
  RideSection,
  RideStop,
  TimeConflict,
  TransferLeg,
  TravelClass,
} from './model/journey.ts';
export { addDays, isLocalDate, type LocalDate, type TimeAt } from './model/local-clock.ts';
export { addMoney, formatMoney, type Money } from './model/money.ts';
export type { Remark } from './model/remark.ts';
export { type AppliedRates, type ConvertOptions, convertPrices } from './prices/convert-prices.ts';
export type { RateOption, RateSource } from './prices/rate-source.ts';
export type { CalendarOptions } from './search/calendar/calendar-options.ts';
export type { CalendarQuery, ResolvedCalendarQuery } from './search/calendar/calendar-query.ts';
export type {
  CalendarDay,
  CalendarEvent,
  CalendarResult,
} from './search/calendar/calendar-result.ts';
export type { SplitOptions, SplitResult } from './search/hubs/split-search.ts';
export type { RoundTripQuery } from './search/round-trip/round-trip-query.ts';
export type { JourneyPair, RoundTripResult } from './search/round-trip/round-trip-result.ts';
export { createSearch, type Search } from './search/search.ts';
export type {
  KnownAnswer,
  RunCarrier,
  RunContext,
  SearchCallOptions,
  SearchOptions,
} from './search/search-options.ts';
export type {
  CarrierState,
  CarrierStatus,
  HubResult,
  SearchEvent,
  SearchResult,
  SearchStats,
} from './search/search-result.ts';
export { type CombineOptions, combineJourneys } from './split/combine-journeys.ts';
export type { Hub } from './split/hubs.ts';

export type { Place, Station, StationGroup, StationId } from './stations/station-index.ts';
export {
  createStationIndex,
  MAX_STATION_TEXT,
  type StationIndex,
  type StationMatch,
} from './stations/station-index.ts';

// For authors of carriers and dispatchers.

export type {
  Carrier,
  CarrierAnswer,
  CarrierCapabilities,
  CarrierContext,
  CarrierFailure,
  CarrierHttp,
  CarrierHttpRequest,
  CarrierHttpResponse,
  CarrierPages,
  Covered,
  NativeField,
} from './contract/carrier.ts';
export type { CarrierDay } from './contract/carrier-day.ts';
export type { CarrierPair, CarrierReturns } from './contract/carrier-returns.ts';
export type { CarrierQuery, ReturnLeg } from './contract/search-query.ts';
export type { CarrierErrorOptions } from './errors.ts';
export { type MergeOptions, mergeJourneys } from './journeys/merge.ts';
export { createJourney, type JourneyParts } from './model/create-journey.ts';
export { createLocalClock, type LocalClock } from './model/local-clock.ts';
export { currencyExponent, type MoneyFormat, moneyFromNumber, parseMoney } from './model/money.ts';
export { MAX_REMARK_LENGTH, MAX_REMARKS } from './model/remark.ts';
