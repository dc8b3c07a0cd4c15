import {
  type CarrierSim,
  type CarrierSimId,
  startCarrierSim,
  type Train,
} from '@ticketing/carrier-sim';
import {
  addDays,
  type Carrier,
  CarrierError,
  type CarrierHttp,
  type CarrierStatus,
  createLocalClock,
  createSearch,
  type Journey,
  type SearchPage,
  type SearchQuery,
  type SearchResult,
  type Station,
  type StationGroup,
} from '@ticketing/core';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrierHttp } from '../src/index.ts';
import { anyCase, DAYS_ON_SALE, type PageCase } from './page-cases.ts';
import { runs } from './scale.ts';
import { carrierIds, createCarriers } from './upstream.ts';

const clock = createLocalClock();
/** More pages than any walk here needs. */
const MOST_PAGES = 300;

/** What a carrier runs between two stations, around the day of a search. */
interface Line {
  readonly carrier: Carrier;
  readonly trains: readonly Train[];
  /** Those that leave on the day. */
  readonly ofDay: readonly Train[];
}

const membersOf = (end: Station | StationGroup): readonly Station[] =>
  'members' in end ? end.members : [end];

/** Returns the truth: what each carrier runs between each pair of stations that it has codes for. */
function linesOf(sim: CarrierSim, carriers: readonly Carrier[], asked: PageCase): readonly Line[] {
  const { origin, destination, date, maxTransfers = 1 } = asked;
  return carriers.flatMap((carrier) => {
    const system = carrier.capabilities?.stationSystem ?? carrier.id;
    const coded = (end: Station | StationGroup) =>
      membersOf(end).filter(({ codes }) => codes[system]);
    return coded(origin).flatMap((from) =>
      coded(destination).map((to): Line => {
        const on = (day: string) =>
          sim
            .trains({
              carrier: carrier.id as CarrierSimId,
              origin: from.codes['uic'] as string,
              destination: to.codes['uic'] as string,
              date: day,
            })
            .filter(({ connection }) => maxTransfers > 0 || connection === undefined);
        const around = [-2, -1, 0, 1, 2].map((days) => addDays(date, days));
        const first = clock.dateOf(asked.todayMs, from.zone);
        const sold = around.filter((day) => day >= first && day <= addDays(first, DAYS_ON_SALE));
        return { carrier, trains: sold.flatMap(on), ofDay: on(date) };
      }),
    );
  });
}

/** Names a journey of a pair of stations: no two of one carrier leave in one minute. */
const nameOf = (origin: string, destination: string, ms: number): string =>
  `${origin} ${destination} ${new Date(ms).toISOString().slice(0, 16)}`;
const nameOfTrain = ({ origin, destination, departureMs }: Train): string =>
  nameOf(`uic:${origin}`, `uic:${destination}`, departureMs);
const nameOfJourney = ({ legs, departure }: Journey): string =>
  nameOf(legs[0]?.origin ?? '', legs.at(-1)?.destination ?? '', departure.ms);

const hasPages = ({ capabilities }: Carrier): boolean => capabilities?.window === 'page';

type Direction = 'earlier' | 'later';

/** Pages in turn, and the journeys of each carrier on them. */
interface Walk {
  readonly results: SearchResult[];
  readonly names: Map<string, Set<string>>;
}

const createWalk = (): Walk => ({ results: [], names: new Map() });

/** Adds a page, whose journeys must be on no other. */
function addPage({ results, names }: Walk, result: SearchResult): void {
  results.push(result);
  for (const journey of result.journeys) {
    for (const source of journey.sources) {
      const seen = names.get(source) ?? new Set();
      names.set(source, seen);
      const name = nameOfJourney(journey);
      if (seen.has(name)) throw new Error(`${source} repeats ${name}`);
      seen.add(name);
    }
  }
}

test('pages both ways over any mix of wires are the day, each journey once', async () => {
  let nowMs = 0;
  const now = () => nowMs;
  const latency = { kind: 'fixed', ms: 0 } as const;
  const plan = Object.fromEntries(carrierIds.map((id) => [id, { latency }]));
  const sim = await startCarrierSim({ now, plan });
  const http = createCarrierHttp({ now });
  onTestFinished(async () => {
    await http.close();
    await sim.close();
  });
  await fc.assert(
    fc.asyncProperty(anyCase(carrierIds), async (asked) => {
      nowMs = asked.todayMs;
      for (const id of asked.wires) {
        const { serverSize, journeys, results } = asked;
        const pageSize = id in results ? serverSize : null;
        sim.setPlan(id, { pageSize, journeys });
      }
      const { results, maxPages, mode } = asked;
      const all = createCarriers(sim.url, { now, results, maxPages, mode });
      const carriers = asked.wires.map((id) => all[id]);
      let calls = Number.NEGATIVE_INFINITY;
      const clientOf = (id: string): CarrierHttp => ({
        async send(request) {
          const isPaged = carriers.some((one) => one.id === id && hasPages(one));
          if (isPaged && asked.failures.includes(calls++)) {
            throw new CarrierError('NETWORK', 'Cut by this test');
          }
          return http.clientOf(id).send(request);
        },
      });
      const search = createSearch({ carriers, http: clientOf, deadlineMs: 60_000, now });
      await comparePages(asked, linesOf(sim, carriers, asked), async (query) => {
        if (query.page !== undefined && calls < 0) calls = 0;
        const result = await search.search(query);
        const cut = result.carriers.filter(({ error }) => error?.message === 'Cut by this test');
        const isAnswered = ({ state }: CarrierStatus) => state === 'ok' || state === 'empty';
        const others = result.carriers.filter((status) => !cut.includes(status));
        expect(others.every(isAnswered), JSON.stringify(others)).toBe(true);
        return result;
      });
    }),
    { numRuns: runs(200) },
  );
}, 600_000);

async function comparePages(
  asked: PageCase,
  lines: readonly Line[],
  search: (query: SearchQuery) => Promise<SearchResult>,
): Promise<void> {
  const { origin, destination, date, time, arriveBy, maxTransfers } = asked;
  const query: SearchQuery = {
    origin,
    destination,
    date,
    ...(time !== undefined && { time, arriveBy }),
    ...(maxTransfers !== undefined && { maxTransfers }),
  };
  const first = await search(query);
  const walks = { earlier: createWalk(), later: createWalk() };
  for (const direction of ['earlier', 'later'] as const) {
    const walk = walks[direction];
    addPage(walk, first);
    compareCovers(asked, lines, { walk, direction });
    for (let page = first.pages?.[direction]; page !== undefined; ) {
      if (walk.results.length > MOST_PAGES) throw new Error(`The ${direction} pages do not end`);
      if (isPast(lines, { walk, page, direction, asked })) break;
      const result = await search({ ...query, page: JSON.parse(JSON.stringify(page)) });
      addPage(walk, result);
      compareCovers(asked, lines, { walk, direction });
      page = result.pages?.[direction];
    }
  }
  const [, ...laterOnes] = walks.later.results;
  const both = createWalk();
  for (const result of [...walks.earlier.results, ...laterOnes]) addPage(both, result);
  for (const { carrier, ofDay } of lines) {
    const seen = both.names.get(carrier.id);
    const missed = ofDay.map(nameOfTrain).filter((name) => !seen?.has(name));
    expect(missed, `missed by ${carrier.id}`).toEqual([]);
  }
  compareIds(lines, both);
}

/** Journeys of several pages are merged by id: there are as many as trains, each with all who sell it. */
function compareIds(lines: readonly Line[], { results }: Walk): void {
  const trains: Group[] = lines.flatMap(({ carrier, ofDay }) =>
    ofDay.map((train) => ({
      key: [train.operator, train.number, train.connection?.[1].number].join(' '),
      name: nameOfTrain(train),
      sellers: [carrier.id],
    })),
  );
  const names = new Set(trains.map(({ name }) => name));
  const journeys = results
    .flatMap((result) => result.journeys)
    .map((journey): Group => {
      return { key: journey.id, name: nameOfJourney(journey), sellers: journey.sources };
    })
    .filter(({ name }) => names.has(name));
  expect(grouped(journeys)).toEqual(grouped(trains));
}

interface Group {
  readonly key: string;
  readonly name: string;
  readonly sellers: readonly string[];
}

/** Returns every train by its departure, with all who sell it. */
function grouped(list: readonly Group[]): readonly string[] {
  const groups = new Map<string, { readonly name: string; readonly sellers: Set<string> }>();
  for (const { key, name, sellers } of list) {
    const group = groups.get(`${name} ${key}`) ?? { name, sellers: new Set() };
    groups.set(`${name} ${key}`, group);
    for (const seller of sellers) group.sellers.add(seller);
  }
  return [...groups.values()]
    .map(({ name, sellers }) => `${name} of ${[...sellers].sort().join(', ')}`)
    .sort();
}

/** What a page says that it covers is in it, or in those before it. */
function compareCovers(
  { time, arriveBy, date, destination: { zone } }: PageCase,
  lines: readonly Line[],
  { walk, direction }: { walk: Walk; direction: Direction },
): void {
  const { carriers } = walk.results.at(-1) as SearchResult;
  // A train that arrives later than was asked for is on a later page.
  const isLimited = arriveBy && (walk.results.length === 1 || direction === 'earlier');
  const latestMs = isLimited ? clock.epoch(`${date}T${time}`, zone) : Infinity;
  for (const { carrier, covers } of carriers) {
    if (covers === undefined) continue;
    const within = lines
      .filter((line) => line.carrier.id === carrier)
      .flatMap(({ trains }) => trains)
      .filter(
        ({ departureMs, arrivalMs }) =>
          departureMs >= covers.fromMs && departureMs < covers.untilMs && arrivalMs <= latestMs,
      )
      .map(nameOfTrain);
    const seen = walk.names.get(carrier);
    const missed = within.filter((name) => !seen?.has(name));
    const interval = [covers.fromMs, covers.untilMs].map((ms) => new Date(ms).toISOString());
    expect(missed, `${carrier} covers ${interval.join(' to ')}`).toEqual([]);
  }
}

/** Whether all that still have pages have left the day: no train of it can be missing. */
function isPast(
  lines: readonly Line[],
  {
    walk,
    page,
    direction,
    asked,
  }: { walk: Walk; page: SearchPage; direction: Direction; asked: PageCase },
): boolean {
  const by = asked.arriveBy ? 'arrival' : 'departure';
  const journeys = walk.results.flatMap((result) => result.journeys);
  return lines.every(({ carrier, ofDay }) => {
    const tokens = page.byCarrier[carrier.id];
    const [first] = ofDay;
    if (tokens === undefined || first === undefined) return true;
    if (!hasPages(carrier)) {
      const day = tokens[0]?.slice(0, 10) ?? '';
      return direction === 'later' ? day > asked.date : day < asked.date;
    }
    const times = ofDay.map((train) => train[`${by}Ms`]);
    const [least, most] = [Math.min(...times), Math.max(...times)];
    return journeys.some(
      (journey) =>
        journey.sources.includes(carrier.id) &&
        journey.legs[0]?.origin === `uic:${first.origin}` &&
        journey.legs.at(-1)?.destination === `uic:${first.destination}` &&
        (direction === 'later' ? journey[by].ms > most : journey[by].ms < least),
    );
  });
}
