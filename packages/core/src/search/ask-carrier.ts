import type {
  Carrier,
  CarrierAnswer,
  CarrierCapabilities,
  CarrierContext,
  CarrierPages,
} from '../carrier.ts';
import { CarrierError } from '../errors.ts';
import { type Journey, ridesOf } from '../model/journey.ts';
import type { LocalDate } from '../model/local-clock.ts';
import type { Station, StationGroup } from '../stations/station-index.ts';
import { type AnsweredCarrier, answeredCarrier } from './answered-journeys.ts';
import { dayPages, inDayPart, readDayPart } from './pages.ts';
import type { RunCarrier } from './search-options.ts';
import type { CarrierQuery, ResolvedQuery } from './search-query.ts';

/** Stations of a group that one carrier is asked for, and pairs of stations in one search. */
const MOST = 4;

/** A wish of a query that neither the carrier answers nor its journeys tell. */
export type IgnoredWish = 'ages' | 'cards';

/** What a carrier found, after what the query asks beyond the carrier's own means. */
export interface CarrierFindings extends AnsweredCarrier {
  readonly ignored: readonly IgnoredWish[];
}

/** How a carrier is asked besides the query. */
export interface CarrierAsk {
  readonly context: CarrierContext;
  readonly run: RunCarrier;
  /** The days that searches may ask for. */
  readonly days: { readonly first: LocalDate; readonly last: LocalDate };
}

/**
 * Asks one carrier what a query means for it. A group is asked by its own code, where the carrier has one, else by
 * up to four members, at once; then the carrier answers when each of them has. What the carrier cannot answer
 * itself is left out of its answer here, where journeys tell it, and named in `ignored` where they do not.
 */
export async function askCarrier(
  carrier: Carrier,
  query: ResolvedQuery,
  { context, run, days }: CarrierAsk,
): Promise<CarrierFindings> {
  const { capabilities = {} } = carrier;
  const { page, ...wishes } = query;
  const token = page?.byCarrier[carrier.id];
  const ignored = ignoredOf(query, capabilities);
  // Its last page said that there is no more.
  if (page !== undefined && token === undefined) return { journeys: [], ignored };
  const ask = async (one: CarrierQuery): Promise<AnsweredCarrier> =>
    answeredCarrier(carrier.id, await run(carrier, one, context));
  const pairs = pairsOf(carrier, query);
  if (capabilities.window === 'page') {
    const tokens = pairs.length === 1 ? [token] : tokensOf(token);
    const answer = await joined(
      pairs.map(([origin, destination], index) => {
        const own = tokens[index];
        const paged = page && own !== undefined && { direction: page.direction, token: own };
        return ask({ ...wishes, origin, destination, ...(paged && { page: paged }) });
      }),
    );
    return { ...answer, journeys: withWishes(answer.journeys, query, capabilities), ignored };
  }
  const part = token === undefined ? undefined : readDayPart(token);
  const { time: _time, ...untimed } = query;
  const wanted = part === undefined ? query : { ...untimed, date: part.date };
  const answer = await joined(
    pairs.map(([origin, destination]) => {
      const { page: _page, ...rest } = wanted;
      return ask({ ...rest, origin, destination });
    }),
  );
  const inPart = part ? inDayPart(answer.journeys, part, query.arriveBy === true) : answer.journeys;
  return {
    ...answer,
    journeys: withWishes(inPart, wanted, capabilities),
    pages: dayPages(query, part, days),
    ignored,
  };
}

type Pair = readonly [origin: Station, destination: Station];

/** Returns the pairs of stations that a carrier is asked for, the most important first. */
function pairsOf(carrier: Carrier, { origin, destination }: ResolvedQuery): readonly Pair[] {
  if (!('members' in origin) && !('members' in destination)) return [[origin, destination]];
  const system = carrier.capabilities?.stationSystem ?? carrier.id;
  const origins = endsFor(carrier.id, system, origin);
  const destinations = endsFor(carrier.id, system, destination);
  return origins
    .flatMap((from, first) =>
      destinations.map((to, second) => ({ pair: [from, to] as const, rank: first + second })),
    )
    .filter(({ pair: [from, to] }) => from.id !== to.id)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map(({ pair }) => pair);
}

function endsFor(carrier: string, system: string, end: Station | StationGroup): readonly Station[] {
  if (!('members' in end)) return [end];
  const { members, ...group } = end;
  if (Object.hasOwn(group.codes, system)) return [group];
  const served = members.filter(({ codes }) => Object.hasOwn(codes, system));
  if (served.length > 0) return served.slice(0, MOST);
  throw new CarrierError('NOT_SERVED', `Carrier \`${carrier}\` serves no station of ${end.name}`);
}

/** Waits for all. One that says that it has no answer counts as one without journeys, unless all say so. */
async function joined(asked: readonly Promise<AnsweredCarrier>[]): Promise<AnsweredCarrier> {
  if (asked.length === 1) return asked[0] as Promise<AnsweredCarrier>;
  const settled = await Promise.allSettled(asked);
  const failed = settled.filter((one) => one.status === 'rejected');
  const faults = failed.filter(({ reason }) => !isEmpty(reason));
  const [first] =
    faults.length > 0 || failed.length === settled.length ? [...faults, ...failed] : [];
  if (first !== undefined) throw first.reason;
  return joinAnswers(
    settled.map((one) => (one.status === 'fulfilled' ? one.value : { journeys: [] })),
  );
}

function isEmpty(reason: unknown): boolean {
  const { code } = CarrierError.from(reason);
  return code === 'NO_RESULTS' || code === 'NOT_SERVED' || code === 'DATE_OUT_OF_RANGE';
}

function joinAnswers(answers: readonly AnsweredCarrier[]): AnsweredCarrier {
  const places = answers.flatMap((answer) => answer.places ?? []);
  const filtered = answers.reduce((sum, answer) => sum + (answer.filtered ?? 0), 0);
  const covers = answers.flatMap((answer) => answer.covers ?? []);
  const pages = joinPages(answers);
  return {
    journeys: answers.flatMap((answer) => answer.journeys),
    ...(places.length > 0 && { places }),
    ...(filtered > 0 && { filtered }),
    ...(pages !== undefined && { pages }),
    ...(covers.length === answers.length && {
      covers: {
        fromMs: Math.max(...covers.map(({ fromMs }) => fromMs)),
        untilMs: Math.min(...covers.map(({ untilMs }) => untilMs)),
      },
    }),
  };
}

/** Tokens of several answers as one, in the order of the pairs; a pair without one is asked from its start again. */
function joinPages(answers: readonly CarrierAnswer[]): CarrierPages | undefined {
  const tokenOf = (direction: 'earlier' | 'later'): string | undefined => {
    const tokens = answers.map(({ pages }) => pages?.[direction] ?? '');
    return tokens.every((token) => token === '') ? undefined : JSON.stringify(tokens);
  };
  const [earlier, later] = [tokenOf('earlier'), tokenOf('later')];
  if (earlier === undefined && later === undefined) return undefined;
  return { ...(earlier !== undefined && { earlier }), ...(later !== undefined && { later }) };
}

function tokensOf(token: string | undefined): readonly (string | undefined)[] {
  if (token === undefined) return [];
  try {
    const tokens: unknown = JSON.parse(token);
    return Array.isArray(tokens) ? tokens.map((one) => (one === '' ? undefined : String(one))) : [];
  } catch {
    return [];
  }
}

/** Leaves out what the query does not want and the carrier could not leave out itself. */
function withWishes(
  journeys: readonly Journey[],
  query: ResolvedQuery,
  { native = [] }: CarrierCapabilities,
): readonly Journey[] {
  const { time, arriveBy, via, maxTransfers, travelClass } = query;
  const tests: ((journey: Journey) => boolean)[] = [];
  if (time !== undefined && !native.includes(arriveBy ? 'arriveBy' : 'time')) {
    const at = `${query.date}T${time}`;
    tests.push(
      arriveBy
        ? ({ arrival }) => arrival.iso.slice(0, 16) <= at
        : ({ departure }) => departure.iso.slice(0, 16) >= at,
    );
  }
  if (via !== undefined && !native.includes('via')) {
    tests.push(({ legs }) =>
      ridesOf(legs).some(
        ({ destination }, index, rides) => destination === via.id && index < rides.length - 1,
      ),
    );
  }
  if (maxTransfers !== undefined && !native.includes('maxTransfers')) {
    tests.push(({ transfers }) => transfers <= maxTransfers);
  }
  const wanted =
    tests.length === 0
      ? journeys
      : journeys.filter((journey) => tests.every((test) => test(journey)));
  if (travelClass === undefined || native.includes('travelClass')) return wanted;
  return wanted.map((journey) => ({
    ...journey,
    offers: journey.offers.filter(
      (offer) => offer.travelClass === travelClass || offer.travelClass === 'any',
    ),
  }));
}

function ignoredOf(
  { passengers }: ResolvedQuery,
  { passengers: reads = 'count' }: CarrierCapabilities,
): readonly IgnoredWish[] {
  const ignored: IgnoredWish[] = [];
  if (reads === 'count' && passengers.some(({ age }) => age !== undefined)) ignored.push('ages');
  if (reads !== 'cards' && passengers.some(({ cards }) => cards !== undefined))
    ignored.push('cards');
  return ignored;
}
