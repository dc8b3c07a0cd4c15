import type { ServerView } from '../figures/view-schema.ts';
import { ANSWERED_STATES, FAILED_STATES } from '../search/carrier-states.ts';
import type { Rates } from './rates.ts';
import { BUSY, type Sign } from './signs.ts';

/** Facts of a carrier that one view does not show. */
export interface CarrierMemory {
  /**
   * Record of a carrier that has been asked and has answered nothing. `since`: the first such time; `askedAt`: when a call was
   * last open, or ended without an answer.
   */
  readonly quiet?: {
    readonly since: number;
    readonly timeouts: number;
    /** Requests by HTTP. */
    readonly sent: number;
    /** Calls that were open before. */
    readonly begun: number;
    readonly askedAt: number;
  };
  /** Last time at which it was quiet: calls of then have failed, and that is over. */
  readonly quietUntil?: number;
  /** Times within which three of four answers came, while it was not slow. */
  readonly usualMs: readonly number[];
  /** Calls that are open. */
  readonly open: number;
  /** Calls that were answered since one failed or was sent again. */
  readonly answered: number;
}

const noMemory: CarrierMemory = { usualMs: [], open: 0, answered: 0 };
/** States in which a carrier has answered, if only by an error. */
const HEARD = [...ANSWERED_STATES, 'error', 'rate-limited'];
/** One call without an answer may be the fault of a network. */
const LEAST_TIMEOUTS = 2;
/** Time for which a carrier without calls stays as it was last known. */
const REMEMBER_MS = 60_000;
/** One that was asked within this time is asked still. */
const ASKED_MS = 5000;
/** Rates count failures for so long. */
const RECENT_MS = 10_000;
const REQUESTS_IF_LATE = 1.5;
/** Requests that a call may have sent before its carrier began to hang. */
const REQUESTS_BEFORE = 3;
/** Answers in a row after which failures are over. */
const SOUND = 12;
/** Views in which a busy process counts: rates have them. */
const STRAINED = 10;
const LEAST_FAILURES = 3;
const MANY = 0.2;
/** Calls from which a quantile is worth a comparison. */
const LEAST_CALLS = 20;
/** Views from which a usual time is known, and for which it is kept. */
const LEAST_USUAL = 10;
const MOST_USUAL = 120;
/** The slowest quarter of the answers shows it: fewer may be chance, or one bad second in the last ten. */
const QUANTILE = 0.75;
const TIMES_USUAL = 2;
const MS_ABOVE_USUAL = 50;

const atOnce = { afterMs: 0, untilMs: 0 } as const;
const unasked = {
  open: { state: 'fails', severity: 'bad', says: 'fails', detail: 'circuit open', ...atOnce },
  paused: { state: 'full', severity: 'warn', says: 'asks for a pause', ...atOnce },
} as const;

interface Found {
  readonly signs: readonly Sign[];
  readonly memory: CarrierMemory;
}

/** Returns what a view shows of each carrier, and what to remember of it. */
export function carrierSigns(
  view: ServerView,
  rates: Rates,
  before: ReadonlyMap<string, CarrierMemory>,
): { readonly signs: Sign[]; readonly memories: ReadonlyMap<string, CarrierMemory> } {
  const ids = [...new Set(view.carriers.map(({ id }) => id))];
  const slowness = new Map(
    ids.flatMap((id) => {
      const times = slownessOf(id, rates, before.get(id) ?? noMemory);
      return times === undefined ? [] : [[id, times] as const];
    }),
  );
  const found = ids.map((id): readonly [string, Found] => {
    // Where all carriers are slower than usual, this machine is.
    const others = [...slowness].flatMap(([other, { times }]) => (other === id ? [] : [times]));
    const common = Math.max(1, medianOf(others) ?? 1);
    const context = { view, rates, slowness: slowness.get(id), common };
    return [id, signsOfOne(id, context, before.get(id) ?? noMemory)];
  });
  return {
    signs: found.flatMap(([, { signs }]) => signs),
    memories: new Map(found.map(([id, { memory }]) => [id, memory])),
  };
}

interface Slowness {
  readonly ms: number;
  /** Usual time; `undefined` before it is known. */
  readonly usual: number | undefined;
  /** Multiple of the usual time. */
  readonly times: number;
}

function slownessOf(id: string, rates: Rates, { usualMs }: CarrierMemory): Slowness | undefined {
  if (rates.recent(`calls ${id}`) < LEAST_CALLS) return undefined;
  const ms = rates.quantile(`carrier ${id}`, QUANTILE);
  if (ms === undefined) return undefined;
  const usual = usualMs.length < LEAST_USUAL ? undefined : medianOf(usualMs);
  return { ms, usual, times: usual === undefined ? 1 : ms / Math.max(1, usual) };
}

interface Context {
  readonly view: ServerView;
  readonly rates: Rates;
  readonly slowness: Slowness | undefined;
  /** Multiple of the usual time that the other carriers take. */
  readonly common: number;
}

function signsOfOne(id: string, context: Context, before: CarrierMemory): Found {
  const { view, rates, slowness, common } = context;
  const { at, modes } = view;
  const of = { subject: 'carrier', id, name: modes.carriers[id] ?? id } as const;
  const quiet = quietOf(id, context, before);
  const own = view.carriers.filter((each) => each.id === id);
  const open = total(own.map(({ http }) => http.inFlight));
  const isOpenTooLong = open > 0 && quiet !== undefined && at - quiet.since > modes.deadlineMs;
  const strained = isStrained(view, rates);
  const isQuiet = quiet !== undefined && (quiet.timeouts >= LEAST_TIMEOUTS || isOpenTooLong);
  // A search that takes several requests, and has sent the next, has had answers.
  const isLate =
    isQuiet &&
    quiet.sent > REQUESTS_IF_LATE * (quiet.timeouts + open) + REQUESTS_BEFORE * quiet.begun;
  if (isQuiet && !(isLate && strained)) {
    const words = isLate
      ? ({ state: 'fails', says: 'answers too late' } as const)
      : ({ state: 'hangs', says: 'hangs' } as const);
    const detail = quietDetail(open, at, quiet);
    const lasting = { severity: 'bad', since: quiet.since, afterMs: 0, untilMs: 0 } as const;
    const signs = [{ ...of, ...words, detail, ...lasting }];
    return { signs, memory: { ...before, quiet, quietUntil: at, open } };
  }
  const isOver = before.quietUntil === undefined || at - before.quietUntil > RECENT_MS;
  const signs: Sign[] = guardSigns(own).map((sign) => ({ ...of, ...sign }));
  const isSlow =
    slowness?.usual !== undefined &&
    slowness.times / common > TIMES_USUAL &&
    slowness.ms - slowness.usual * common > MS_ABOVE_USUAL;
  if (isSlow) {
    const detail = `${Math.round(slowness.ms)} ms, usually ${Math.round(slowness.usual ?? 0)}`;
    const lasting = { afterMs: 10_000, untilMs: 3000 };
    signs.push({ ...of, state: 'slow', severity: 'warn', says: 'is slow', detail, ...lasting });
  }
  const failures = strained ? FAILED_STATES : [...FAILED_STATES, 'timeout'];
  const failed = total(failures.map((state) => rates.recent(`state ${id} ${state}`)));
  const ended =
    failed + total(ANSWERED_STATES.map((state) => rates.recent(`state ${id} ${state}`)));
  const retried = rates.recent(`retried ${id}`);
  const troubles = [...failures.map((state) => `state ${id} ${state}`), `retried ${id}`];
  const isTroubled = troubles.some((name) => rates.latest(name) > 0);
  const good = total(ANSWERED_STATES.map((state) => rates.latest(`state ${id} ${state}`)));
  const answered = isTroubled ? 0 : before.answered + good;
  const hasFailed = isOver && answered < SOUND;
  if (hasFailed && failed >= LEAST_FAILURES && failed / ended >= MANY) {
    const detail = `${percent(failed / ended)} of its calls`;
    const lasting = { afterMs: 2000, untilMs: 3000 };
    signs.push({ ...of, state: 'fails', severity: 'bad', says: 'fails', detail, ...lasting });
  }
  const sent = Math.max(1, rates.recent(`sent ${id}`));
  if (hasFailed && signs.length === 0 && retried >= LEAST_FAILURES && retried / sent >= MANY) {
    const detail = `${percent(retried / sent)} of its calls are retried`;
    const lasting = { afterMs: 2000, untilMs: 3000 };
    signs.push({ ...of, state: 'fails', severity: 'warn', says: 'fails', detail, ...lasting });
  }
  const isUsual = slowness !== undefined && isOver && signs.length === 0 && failed + retried === 0;
  const usualMs = isUsual ? [...before.usualMs, slowness.ms].slice(-MOST_USUAL) : before.usualMs;
  const { quietUntil } = before;
  const memory = {
    ...(quiet && { quiet }),
    ...(quietUntil && { quietUntil }),
    usualMs,
    open,
    answered,
  };
  return { signs, memory };
}

/** Returns what the guards of a carrier show: it is not asked. An open circuit has reasons that rates may have forgotten. */
function guardSigns(rows: ServerView['carriers']): Omit<Sign, 'subject' | 'id' | 'name'>[] {
  if (rows.some(({ guard }) => guard !== undefined && guard.circuit !== 'closed')) {
    return [unasked.open];
  }
  return rows.some(({ guard }) => (guard?.pausedMs ?? 0) > 0) ? [unasked.paused] : [];
}

/** Returns whether answers may be late because a process here has had no time to read them in the last ten views. */
function isStrained({ processes }: ServerView, rates: Rates): boolean {
  return processes.some(
    ({ id }) =>
      rates
        .busy(id)
        .slice(-STRAINED)
        .some((share) => share > BUSY) || rates.recent(`refused ${id}`) > 0,
  );
}

function quietOf(
  id: string,
  { view: { at, carriers }, rates }: Context,
  { quiet, open }: CarrierMemory,
): CarrierMemory['quiet'] {
  const answers = total(HEARD.map((state) => rates.latest(`state ${id} ${state}`)));
  if (answers > 0) return undefined;
  const timeouts = rates.latest(`state ${id} timeout`);
  const isOpen = carriers.some((each) => each.id === id && each.http.inFlight > 0);
  if (timeouts === 0 && !isOpen) {
    const isKnown = quiet !== undefined && quiet.timeouts >= LEAST_TIMEOUTS;
    return isKnown && at - quiet.askedAt <= REMEMBER_MS ? quiet : undefined;
  }
  const sent = rates.latest(`sent ${id}`);
  const before = quiet ?? { since: at, timeouts: 0, sent: 0, begun: open };
  return {
    since: before.since,
    timeouts: before.timeouts + timeouts,
    sent: before.sent + sent,
    begun: before.begun,
    askedAt: at,
  };
}

function quietDetail(open: number, at: number, quiet: NonNullable<CarrierMemory['quiet']>): string {
  if (open > 0) return counted(open, 'call', 'open');
  return at - quiet.askedAt < ASKED_MS
    ? counted(quiet.timeouts, 'call', 'without an answer')
    : 'not asked now';
}

function medianOf(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}

function counted(count: number, noun: string, state: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'} ${state}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function total(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0);
}
