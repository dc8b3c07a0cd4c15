import { channel } from 'node:diagnostics_channel';
import { traceChannel } from '@ticketing/kit';
import type { Carrier } from '../../contract/carrier.ts';
import { RailError } from '../../errors.ts';
import { getOrAdd } from '../../model/get-or-add.ts';
import type { CarrierId } from '../../model/journey.ts';
import type { LocalClock, LocalDate } from '../../model/local-clock.ts';
import { conversionOf } from '../../prices/convert-prices.ts';
import type { ConvertMoney } from '../../prices/exact-rate.ts';
import { createScatterCalls, type ScatterCall } from '../../scatter/scatter-calls.ts';
import type { CallTrace, ScatterChannels, ScatterFace } from '../../scatter/scatter-face.ts';
import { isComplete, stateOfCode } from '../../scatter/source-status.ts';
import { createCarrierFace, errorOf } from '../carrier-face.ts';
import { searchDays } from '../resolve-query.ts';
import type { ResolvedSearchOptions } from '../search-options.ts';
import type { CarrierStatus } from '../search-result.ts';
import { askDays, type DaysEnd } from './ask-days.ts';
import { type CalendarOptions, resolveCalendarOptions } from './calendar-options.ts';
import {
  type CalendarQuery,
  type CalendarQuestion,
  type ResolvedCalendarQuery,
  resolveCalendar,
} from './calendar-query.ts';
import type { CalendarDay, CalendarEvent, CalendarResult } from './calendar-result.ts';
import { dayOf, type Finding } from './day-of.ts';

/** Calendars of the carriers of a search. */
export interface Calendars {
  calendar(query: CalendarQuery, options?: CalendarOptions): Promise<CalendarResult>;
  calendarStream(
    query: CalendarQuery,
    options?: CalendarOptions,
  ): AsyncIterableIterator<CalendarEvent>;
  close(): Promise<void>;
}

/** One calendar: what is asked, and what was learned. */
interface CalendarCall extends CalendarQuestion {
  readonly byDay: ReadonlySet<CarrierId>;
  learn(carrier: CarrierId, date: LocalDate, finding: Finding): void;
}

/** One calendar, as subscribers of `tracing:ticketing:core:calendar:*` see it. */
interface CalendarTrace extends CallTrace {
  /** Unique among all processes. */
  readonly calendarId: string;
  readonly query: ResolvedCalendarQuery;
  readonly deadlineMs: number;
  ended?: Ended & { readonly aborted: boolean };
}

/** One carrier in one calendar, as subscribers of `tracing:ticketing:core:calendar-carrier:*` see it. */
interface CalendarCarrierTrace extends Omit<CalendarTrace, 'ended'> {
  readonly carrier: CarrierId;
  status?: CarrierStatus;
}

interface CheckedCall {
  readonly call: ScatterCall<Carrier, CalendarCall>;
  readonly days: CalendarDays;
  readonly rates: Pick<CalendarResult, 'rates'> | undefined;
}

type Ended = Omit<CalendarResult, 'days'>;

const channels: ScatterChannels = {
  call: /* @__PURE__ */ traceChannel('ticketing:core:calendar'),
  source: /* @__PURE__ */ traceChannel('ticketing:core:calendar-carrier'),
  settled: /* @__PURE__ */ channel('ticketing:core:calendar-carrier-settled'),
  done: /* @__PURE__ */ channel('ticketing:core:calendar-done'),
};

/** Creates the calendars of a search: one task per carrier, one deadline, days as soon as a carrier knows them. */
export function createCalendars(options: ResolvedSearchOptions, clock: LocalClock): Calendars {
  const calls = createScatterCalls(createCalendarFace(options, clock));

  function check(
    query: CalendarQuery,
    own: CalendarOptions,
    onDays: (dates: ReadonlySet<LocalDate>) => void,
  ): CheckedCall {
    const { byDay, carriers, signal, deadlineMs } = resolveCalendarOptions(own, options);
    const startedAt = calls.enter();
    const question = resolveCalendar(query, startedAt, clock);
    const conversion = conversionOf(options.rates, question.query.currency, startedAt);
    const days = createDays(question, { carriers, convert: conversion?.convert, onDays });
    const asked: CalendarCall = { ...question, byDay, learn: days.learn };
    return {
      call: { sources: carriers, query: asked, startedAt, deadlineMs, signal },
      days,
      rates: conversion && { rates: conversion.applied },
    };
  }

  return {
    calendar(query, own = {}) {
      return new Promise((resolve, reject) => {
        const { call, days, rates } = check(query, own, () => {});
        calls.begin(call, {
          settled: ({ carrier }) => days.settle(carrier),
          done: ({ carriers, ...ended }) =>
            resolve({
              ...ended,
              days: days.all(),
              ...days.summary(carriers),
              ...rates,
            }),
          aborted: reject,
        });
      });
    },
    calendarStream(query, own = {}) {
      let tell = (_dates: ReadonlySet<LocalDate>): void => {};
      const { call, days, rates } = check(query, own, (dates) => tell(dates));
      return calls.stream<CalendarEvent>(call, (events) => {
        const changed = new Set<LocalDate>();
        const flush = (): void => {
          if (changed.size === 0) return;
          const list = call.query.dates.filter((date) => changed.has(date)).map(days.day);
          changed.clear();
          events.push({ type: 'calendar-days', days: list });
        };
        tell = (dates) => {
          // Days that come in one turn are one event.
          if (changed.size === 0) queueMicrotask(flush);
          for (const date of dates) changed.add(date);
        };
        return {
          started({ statuses, deadline }) {
            events.push({
              type: 'calendar-started',
              query: call.query.query,
              days: days.all(),
              carriers: [...statuses],
              deadline,
              ...rates,
            });
          },
          settled(status) {
            flush();
            days.settle(status.carrier);
            events.push({ type: 'carrier-status', status: days.statusOf(status) });
          },
          done({ carriers, ms }) {
            flush();
            events.push({ type: 'calendar-done', ...days.summary(carriers), ms });
            events.end();
          },
        };
      });
    },
    close: calls.close,
  };
}

/** Days of one calendar, as far as they are known. */
interface CalendarDays {
  /** Ignored of a carrier that has settled: what comes too late is in no result. */
  learn(carrier: CarrierId, date: LocalDate, finding: Finding): void;
  settle(carrier: CarrierId): void;
  day(date: LocalDate): CalendarDay;
  all(): readonly CalendarDay[];
  /** Returns a status with the number of days that the carrier is known of. */
  statusOf(status: CarrierStatus): CarrierStatus;
  summary(statuses: readonly CarrierStatus[]): Pick<CalendarResult, 'carriers' | 'complete'>;
}

function createDays(
  { dates, searchOf }: CalendarQuestion,
  {
    carriers,
    convert,
    onDays,
  }: Pick<ResolvedSearchOptions, 'carriers'> & {
    readonly convert: ConvertMoney | undefined;
    readonly onDays: (dates: ReadonlySet<LocalDate>) => void;
  },
): CalendarDays {
  const findings = new Map<LocalDate, Map<CarrierId, Finding>>();
  const made = new Map<LocalDate, CalendarDay>();
  const counts = new Map<CarrierId, number>();
  const settled = new Set<CarrierId>();
  const none: ReadonlyMap<CarrierId, Finding> = new Map();
  const day = (date: LocalDate): CalendarDay =>
    getOrAdd(made, date, () =>
      dayOf(findings.get(date) ?? none, { date, query: searchOf(date), carriers, convert }),
    );
  const statusOf = (status: CarrierStatus): CarrierStatus => ({
    ...status,
    found: counts.get(status.carrier) ?? 0,
  });
  return {
    learn(carrier, date, finding) {
      if (settled.has(carrier)) return;
      getOrAdd(findings, date, () => new Map<CarrierId, Finding>()).set(carrier, finding);
      counts.set(carrier, (counts.get(carrier) ?? 0) + 1);
      made.delete(date);
      onDays(new Set([date]));
    },
    settle: (carrier) => void settled.add(carrier),
    day,
    all: () => dates.map(day),
    statusOf,
    summary: (statuses) => ({
      carriers: statuses.map(statusOf),
      complete: isComplete(statuses) && dates.every((date) => day(date).unknown === undefined),
    }),
  };
}

/** Returns the face of carriers that are asked for days. Errors and messages equal a search's. */
function createCalendarFace(
  options: ResolvedSearchOptions,
  clock: LocalClock,
): ScatterFace<Carrier, CalendarCall, DaysEnd, CarrierStatus, Ended> {
  const { now, run, known, http, maxJourneys } = options;
  return {
    ...createCarrierFace(options, clock),
    channels,
    async ask(carrier, { query, dates, searchOf, byDay, learn }, { signal, deadline, note }) {
      const task = {
        query,
        dates,
        searchOf,
        byDay: byDay.has(carrier.id),
        learn: (date: LocalDate, finding: Finding) => learn(carrier.id, date, finding),
      };
      return askDays(carrier, task, {
        context: { signal, deadline, http: http(carrier.id), note },
        run,
        known,
        clock,
        maxJourneys,
        days: () => searchDays(query, now(), clock),
      });
    },
    answered(carrier, ms, { error: cause }) {
      const error = cause && errorOf(cause);
      const state = error ? stateOfCode(error.code) : 'ok';
      return { carrier, state, ms, found: 0, ...(error && { error }) };
    },
    closed: () => new RailError('ERR_CLOSED', 'Cannot make calendar: the search is closed'),
    ended: ({ query }, statuses, ms) => ({
      query,
      carriers: statuses,
      complete: isComplete(statuses),
      ms,
    }),
    settled: ({ query }, status) => ({ query, status }),
    traceCall: ({ query }, deadlineMs): CalendarTrace => ({
      calendarId: crypto.randomUUID(),
      query,
      deadlineMs,
    }),
    traceSource(call, carrier): CalendarCarrierTrace {
      const { calendarId, query, deadlineMs } = call as CalendarTrace;
      return { calendarId, query, deadlineMs, carrier };
    },
  };
}
