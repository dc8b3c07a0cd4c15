import type { Carrier } from '../../contract/carrier.ts';
import type { CarrierDay } from '../../contract/carrier-day.ts';
import type { CarrierQuery } from '../../contract/search-query.ts';
import { CarrierError } from '../../errors.ts';
import type { LocalDate } from '../../model/local-clock.ts';
import { stateOfCode } from '../../scatter/source-status.ts';
import { answeredCalendar } from '../answered-carrier.ts';
import { askCarrier, type CarrierAsk } from '../ask-carrier.ts';
import type { KnownAnswer, RunCarrier } from '../search-options.ts';
import { stationPairs } from '../station-pairs.ts';
import type { CalendarQuestion } from './calendar-query.ts';
import type { Finding } from './day-of.ts';

/** Days of one calendar, as one carrier is asked for them. */
export interface DaysTask extends CalendarQuestion {
  /** Gets each day as soon as it is known. */
  readonly learn: (date: LocalDate, finding: Finding) => void;
  /** True if the days that are not known otherwise are searched. */
  readonly byDay: boolean;
}

/** Settings for asking a carrier for days. */
export interface DaysAsk extends CarrierAsk {
  /** Returns an answer that is kept. */
  readonly known: KnownAnswer;
}

/** Failure of a carrier that is asked for days; the days that were learned before stay. */
export interface DaysEnd {
  readonly error: CarrierError | undefined;
}

/** Day searches of one carrier at the same time. */
const AT_ONCE = 2;

/**
 * Learns days from one carrier, the cheapest way first: its own calendar, then answers that are kept, then, if wanted, a search for each
 * day that is left, two at a time. A failure ends the searches, unless it is of one answer that could not be read.
 *
 * @throws CarrierError `NOT_SERVED` after all days were learned as days without its trains
 */
export async function askDays(carrier: Carrier, task: DaysTask, ask: DaysAsk): Promise<DaysEnd> {
  const open = new Set(task.dates);
  const learn = (date: LocalDate, finding: Finding): void => {
    open.delete(date);
    task.learn(date, finding);
  };
  let error: CarrierError | undefined;
  /** Remembers a failure, and returns whether it ends the searches. */
  const fail = (thrown: unknown): boolean => {
    const failure = CarrierError.from(thrown);
    if (failure.code === 'NOT_SERVED') throw failure;
    if (stateOfCode(failure.code) === 'empty') return false;
    error ??= failure;
    return failure.code !== 'PROTOCOL';
  };
  try {
    let ended = false;
    if (carrier.capabilities?.asks?.includes('calendar')) {
      try {
        for (const day of await ownCalendar(carrier, task, ask)) {
          if (open.has(day.date) && day.state !== 'unknown') {
            learn(day.date, { kind: 'told', day });
          }
        }
      } catch (thrown) {
        ended = fail(thrown);
      }
    }
    await Promise.all([...open].map((date) => learnKept(carrier, date, { task, ask, learn })));
    if (!task.byDay || ended) return { error };
    const left = [...open];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let date = left.shift(); date !== undefined && !ended; date = left.shift()) {
          try {
            const answer = await askCarrier(carrier, task.searchOf(date), ask);
            if (answer.failure) ended = fail(answer.failure) || ended;
            learn(date, journeysOf(answer));
          } catch (thrown) {
            // A failure that ends the searches is thrown where the pair is not served.
            const isOver = fail(thrown);
            if (hasNoTrains(thrown)) learn(date, journeysOf({ journeys: [] }));
            ended = isOver || ended;
          }
        }
      }),
    );
    return { error };
  } catch (thrown) {
    if (CarrierError.from(thrown).code === 'NOT_SERVED') {
      for (const date of [...open]) learn(date, journeysOf({ journeys: [] }));
    }
    throw thrown;
  }
}

const NO_TRAINS: readonly string[] = ['NO_RESULTS', 'NOT_SERVED'];

function hasNoTrains(thrown: unknown): boolean {
  return NO_TRAINS.includes(CarrierError.from(thrown).code);
}

function journeysOf({
  journeys,
  places,
  failure,
}: Omit<Extract<Finding, { kind: 'journeys' }>, 'kind' | 'whole'> & {
  readonly failure?: unknown;
}): Finding {
  return { kind: 'journeys', journeys, places, whole: failure === undefined };
}

/** Thrown within this file where an answer is not kept. */
class NotKept extends Error {}

/** Learns a day from kept answers, if there are any for each question that a search of the day would ask. */
async function learnKept(
  carrier: Carrier,
  date: LocalDate,
  {
    task,
    ask,
    learn,
  }: {
    readonly task: DaysTask;
    readonly ask: DaysAsk;
    readonly learn: DaysTask['learn'];
  },
): Promise<void> {
  const run: RunCarrier = async (asked, query) => {
    const answer = await ask.known(asked, query);
    if (answer === undefined) throw new NotKept();
    return answer;
  };
  try {
    learn(date, journeysOf(await askCarrier(carrier, task.searchOf(date), { ...ask, run })));
  } catch (thrown) {
    // What is wrong with a kept answer is no failure of the carrier.
    if (hasNoTrains(thrown)) learn(date, journeysOf({ journeys: [] }));
  }
}

/** Returns the days of a carrier's own calendar; of a group the days of all its pairs of stations as one. */
async function ownCalendar(
  carrier: Carrier,
  { dates, searchOf }: DaysTask,
  { context, run }: DaysAsk,
): Promise<readonly CarrierDay[]> {
  const [date, until] = [dates[0] as LocalDate, dates.at(-1) as LocalDate];
  const search = searchOf(date);
  const { passengers } = search;
  let unserved: unknown;
  const answers = await Promise.all(
    stationPairs(carrier, search).map(async ([origin, destination]) => {
      const asked: CarrierQuery = { origin, destination, date, calendarUntil: until, passengers };
      try {
        return answeredCalendar(carrier.id, await run(carrier, asked, context));
      } catch (thrown) {
        if (CarrierError.from(thrown).code !== 'NOT_SERVED') throw thrown;
        unserved = thrown;
        return undefined;
      }
    }),
  );
  const served = answers.filter((days) => days !== undefined);
  const [only] = served;
  if (only === undefined) throw unserved;
  return served.length === 1 ? only : joinCalendars(served, dates);
}

/** A day is priced if it is for one pair of stations; without a price the word of each pair counts. */
function joinCalendars(
  calendars: readonly (readonly CarrierDay[])[],
  dates: readonly LocalDate[],
): readonly CarrierDay[] {
  const byDate = calendars.map((days) => new Map(days.map((day) => [day.date, day])));
  return dates.flatMap((date): readonly CarrierDay[] => {
    const days = byDate.flatMap((calendar) => calendar.get(date) ?? []);
    const [first, ...others] = days.filter(({ lowest }) => lowest !== undefined);
    if (first !== undefined) {
      const currency = first.lowest?.currency;
      if (others.some(({ lowest }) => lowest?.currency !== currency)) return [];
      return [
        others.reduce((least, day) => (amountOf(day) < amountOf(least) ? day : least), first),
      ];
    }
    // A pair that does not say leaves the day open.
    if (days.length < byDate.length || days.some(({ state }) => state === 'unknown')) return [];
    return [days.find(({ state }) => state === 'sold-out') ?? (days[0] as CarrierDay)];
  });
}

function amountOf({ lowest }: CarrierDay): number {
  return lowest?.amount ?? Number.POSITIVE_INFINITY;
}
