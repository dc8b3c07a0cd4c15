import {
  addDays,
  createLocalClock,
  type Hub,
  type JourneyOrder,
  type LocalClock,
  type Passenger,
  type SearchPage,
  type SearchQuery,
  type Station,
} from '@ticketing/core';
import { nearest } from '@ticketing/kit';
import { CARRIER_NAMES, type CarrierName, carrierKinds } from '../carriers/carriers.ts';
import { type HubSetting, hubsBetween } from '../hubs/hubs-between.ts';
import { badParameter } from '../problem/problem.ts';
import type { PageTokens } from './page-tokens.ts';
import { isSet, type SearchParameters } from './search-parameters.ts';
import type { StationTexts } from './station-texts.ts';

/** A search, how its journeys are sorted, and who is asked. Plain data. */
export interface DocumentQuestion {
  readonly query: SearchQuery;
  readonly order: JourneyOrder;
  /** Carriers in the order of the registry. Absent: all that the server asks. */
  readonly carriers?: readonly CarrierName[];
  /** Present if journeys of two tickets are wanted too: hubs between the ends. */
  readonly hubs?: readonly Hub[];
  /** Present if each carrier is asked anew, whatever answers of it are kept. */
  readonly fresh?: true;
}

/** Tables that parameters are read with. */
export interface ReadContext {
  readonly stations: StationTexts;
  /** Carriers that the server asks. */
  readonly carriers: readonly CarrierName[];
  /** Epoch ms. */
  readonly nowMs: number;
  readonly pageTokens: Pick<PageTokens, 'open'>;
  /** Hubs of the settings. */
  readonly hubs: readonly HubSetting[];
}

const clock: LocalClock = createLocalClock();

/**
 * Makes a question of the parameters: stations by id, code or name; without a date, tomorrow at the origin. Equal questions
 * are equal however they were asked.
 *
 * @throws ProblemError for a station that is unknown, a name that several have, a carrier that is not asked here, or a page
 *   that this server did not make
 */
export function readSearchQuestion(
  parameters: SearchParameters,
  { stations, carriers: known, nowMs, pageTokens, hubs }: ReadContext,
): DocumentQuestion {
  const origin = stationOf('origin', parameters.origin, stations);
  const destination = stationOf('destination', parameters.destination, stations);
  const { date = addDays(clock.dateOf(nowMs, origin.zone), 1), order = 'departure' } = parameters;
  const { time, maxTransfers, class: travelClass } = parameters;
  const via = parameters.via === undefined ? undefined : stationOf('via', parameters.via, stations);
  const passengers = passengersOf(parameters);
  const currency = currencyOf(parameters);
  const page = pageOf(parameters.page, pageTokens);
  const carriers = carriersOf(parameters.carriers, known);
  const isSplit = isSet(parameters.split);
  if (isSplit) refuseWithSplit(parameters);
  return {
    query: {
      origin,
      destination,
      date,
      ...(time !== undefined && { time }),
      ...(isSet(parameters.arriveBy) && { arriveBy: true }),
      ...(via && { via }),
      ...(maxTransfers !== undefined && { maxTransfers }),
      ...(travelClass && { travelClass }),
      ...(passengers !== undefined && { passengers }),
      ...(isSet(parameters.stops) && { stops: true }),
      ...(currency !== undefined && { currency }),
      ...(page && { page }),
    },
    order,
    ...(carriers === undefined ? {} : { carriers }),
    ...(isSplit && { hubs: hubsBetween({ origin, destination }, hubs) }),
    ...(isSet(parameters.fresh) && { fresh: true }),
  };
}

/** Reads the currency that a client wants prices in, in letters of any size. */
export function currencyOf({ currency }: Pick<SearchParameters, 'currency'>): string | undefined {
  const code = currency?.trim().toUpperCase();
  if (code === undefined || /^[A-Z]{3}$/.test(code)) return code;
  throw badParameter('currency', 'an ISO 4217 code such as CHF', currency);
}

/** @throws ProblemError for a parameter that no journey of two halves can be asked with */
function refuseWithSplit(parameters: SearchParameters): void {
  for (const name of ['via', 'page'] as const) {
    const got = parameters[name];
    if (got !== undefined) throw badParameter(name, 'absent beside `split`', got);
  }
}

function passengersOf({
  passengers,
  ages,
  cards,
}: SearchParameters): number | readonly Passenger[] | undefined {
  if (ages === undefined && cards === undefined) return passengers;
  const [ageTexts, cardTexts] = [ages?.split(','), cards?.split(',')];
  const count = passengers ?? ageTexts?.length ?? cardTexts?.length ?? 1;
  if (ageTexts !== undefined && ageTexts.length !== count) {
    throw badParameter('ages', `as many as passengers, ${count}, with commas between them`, ages);
  }
  if (cardTexts !== undefined && cardTexts.length !== count) {
    throw badParameter('cards', `as many as passengers, ${count}, with commas between them`, cards);
  }
  return Array.from({ length: count }, (_, index) => {
    const age = ageTexts?.[index]?.trim() ?? '';
    if (!/^\d{0,3}$/.test(age)) {
      throw badParameter('ages', 'whole years, with commas between them', ages);
    }
    // In an address + is a space.
    const own = (cardTexts?.[index] ?? '').split(/[ +]+/).filter((card) => card !== '');
    return { ...(age !== '' && { age: Number(age) }), ...(own.length > 0 && { cards: own }) };
  });
}

function pageOf(
  text: string | undefined,
  tokens: Pick<PageTokens, 'open'>,
): SearchPage | undefined {
  if (text === undefined) return undefined;
  const page = tokens.open(text);
  if (page === undefined) throw badParameter('page', 'one of the pages of an answer', text);
  return page;
}

/** Returns `undefined` for all of them. */
function carriersOf(
  text: string | undefined,
  known: readonly CarrierName[],
): readonly CarrierName[] | undefined {
  if (text === undefined) return undefined;
  const names = new Set(text.split(',').map((name) => name.trim().toLowerCase()));
  const asked = CARRIER_NAMES.filter((name) => names.has(name));
  const unknown = [...names].find((name) => !known.some((one) => one === name));
  if (unknown !== undefined) {
    const near = known.find((name) => name === nearest(unknown, known));
    throw badParameter(
      'carriers',
      `some of ${known.join(', ')}`,
      text,
      near === undefined ? {} : { nearest: [{ id: near, name: carrierKinds[near].title }] },
    );
  }
  return asked.length === known.length ? undefined : asked;
}

function stationOf(
  parameter: 'origin' | 'destination' | 'via',
  text: string,
  stations: StationTexts,
): Station {
  const match = stations.find(text);
  switch (match.kind) {
    case 'found':
      return match.station;
    case 'unknown':
      throw badParameter(parameter, 'a known station', text, { nearest: brief(match.nearest) });
    case 'ambiguous':
      throw badParameter(parameter, 'the name of one station', text, {
        nearest: match.candidates.map((one) => {
          const found = stations.find(one.name);
          const isNamed = found.kind === 'found' && found.station.id === one.id;
          return { id: one.id, name: one.name, ...(!isNamed && { searchName: one.id }) };
        }),
      });
  }
}

function brief(stations: readonly Station[]): { id: string; name: string }[] {
  return stations.map(({ id, name }) => ({ id, name }));
}
