import { three } from '@ticketing/bench-kit';
import type { Call } from '../programs/messages.ts';
import type { FleetSetting } from '../setting-5.ts';
import { begunTwice, LOST, mostLoadsOfAKey, timeOf } from './calls.ts';
import type { Observed } from './fleet.ts';

/** Claim about a row, and the figure that decides it. */
export interface Check {
  readonly claim: string;
  readonly measured: string;
  readonly holds: boolean;
}

/** Observations of a row, and the times of its faults. */
export interface Evidence extends Observed {
  readonly setting: FleetSetting;
  /** Epoch milliseconds by name: `fault`, `healed`, and others of the row. */
  readonly marks: ReadonlyMap<string, number>;
  /** Calls that should have been asked, of hosts that lived to the end. */
  readonly asked: number;
  /** Observations of the same load without a fault, if the row is compared with it. */
  readonly steady?: Observed | undefined;
}

/** Milliseconds for the command that takes a link down, which is a process. */
const FAULT_TAKES_MS = 30;
/** Milliseconds within which a store of leases is used again. */
const BACK_MS = 2000;
/** Length of the windows in which loads are counted, and the time between two of them. */
const COUNTED_MS = 1000;
const COUNTED_EACH_MS = 50;

/** Milliseconds that a loss may take to be told, a bit more than a beat, and than four of them. */
export const TOLD_MS = { death: 300, silence: 1000 } as const;

function faultOf({ marks }: Evidence): number {
  return marks.get('fault') ?? Number.NaN;
}

function lostOf({ calls }: Pick<Observed, 'calls'>): Call[] {
  return calls.filter(({ code }) => code === LOST);
}

function check(claim: string, measured: string, holds: boolean): Check {
  return { claim, measured, holds };
}

/** Returns the checks of every row. */
export function nothingForgotten({ calls, journal, asked }: Evidence): Check[] {
  const byId = new Map(calls.map((call) => [call.id, call]));
  const twice = [...begunTwice(journal)].filter((id) => !id.startsWith('load '));
  const without = twice.filter((id) => byId.get(id)?.mayTwice === false);
  return [
    check('each call ends once', `${calls.length} of ${asked}`, calls.length === asked),
    check(
      'no task runs twice without permission',
      `${twice.length} ran twice, ${without.length} without`,
      without.length === 0,
    ),
  ];
}

export function noneBeginsLate({ journal }: Evidence): Check[] {
  const late = journal.filter(({ what, at, deadline }) => what === 'begin' && at > deadline);
  return [check('no task begins after its deadline', `${late.length}`, late.length === 0)];
}

/** Checks that only calls are lost that a host had, or that were on their way to it, and that may not run twice. */
export function lostWhatItHad(evidence: Evidence, host: string): Check[] {
  const { journal, calls } = evidence;
  const fault = faultOf(evidence);
  const had = new Set<string>();
  for (const { what, id, host: where, at } of journal) {
    // What it ended in the moments that the fault takes to happen, it may have answered.
    if (where !== host || at > fault + (what === 'begin' ? 0 : FAULT_TAKES_MS)) continue;
    if (what === 'begin') had.add(id);
    else had.delete(id);
  }
  const lost = lostOf(evidence);
  const byId = new Map(calls.map((call) => [call.id, call]));
  const notIdempotent = [...had].filter((id) => byId.get(id)?.mayTwice === false);
  const sent = lost.filter(({ id }) => !had.has(id)).length;
  return [
    check(
      'lost: what it had that may not run twice',
      `${lost.length} lost: ${lost.length - sent} of ${notIdempotent.length} that it had, ${sent} on their way; it had ${had.size - notIdempotent.length} that may`,
      lost.every(({ mayTwice }) => !mayTwice) && lost.length - sent === notIdempotent.length,
    ),
  ];
}

/** Checks the time from the fault to the last loss, and that no later call is lost. */
export function toldWithin(evidence: Evidence, ms: number): Check[] {
  const fault = faultOf(evidence);
  const lost = lostOf(evidence);
  const told = Math.max(0, ...lost.map((call) => call.at + call.ms - fault));
  const later = lost.filter(({ at }) => at > fault + ms);
  return [
    check(`told within ${ms} ms`, `${three(told)} ms`, told <= ms),
    check('nothing is lost later', `${later.length}`, later.length === 0),
  ];
}

/** Checks that no call ends neither by an answer nor by a loss. */
export function noOtherFailure({ calls }: Evidence): Check[] {
  const failed = calls.filter(({ code }) => code !== '' && code !== LOST);
  const codes = [...new Set(failed.map(({ code }) => code))].join(', ');
  return [
    check('no call fails otherwise', `${failed.length} ${codes}`.trim(), failed.length === 0),
  ];
}

export function noneFails({ calls }: Evidence): Check[] {
  const failed = calls.filter(({ code }) => code !== '');
  const codes = [...new Set(failed.map(({ code }) => code))].join(', ');
  return [
    check(
      'no call fails',
      `${failed.length} of ${calls.length} ${codes}`.trim(),
      failed.length === 0,
    ),
  ];
}

export function idempotentAnswered({ calls }: Evidence): Check[] {
  const all = calls.filter(({ mayTwice }) => mayTwice);
  const failed = all.filter(({ code }) => code !== '');
  const codes = [...new Set(failed.map(({ code }) => code))].join(', ');
  return [
    check(
      'calls that may run twice are all answered',
      `${all.length - failed.length} of ${all.length} ${codes}`.trim(),
      failed.length === 0,
    ),
  ];
}

/** Compares answers per second between one and three seconds after the fault with the calls asked. */
export function throughputBack(evidence: Evidence, callsPerSecond: number): Check[] {
  const from = faultOf(evidence) + 1000;
  const answers = evidence.calls.filter(
    ({ at, ms, code }) => code === '' && at + ms >= from && at + ms < from + 2000,
  );
  const share = answers.length / 2 / callsPerSecond;
  return [
    check(
      'throughput is back in 1 s',
      `${Math.round(100 * share)} % of what is asked`,
      share >= 0.95,
    ),
  ];
}

export function noCallWaits({ calls, setting }: Evidence): Check[] {
  const longest = Math.max(...calls.map(({ ms }) => ms));
  return [
    check(
      'no call waits for its own timeout',
      `the longest took ${three(longest)} ms of ${setting.timeoutMs}`,
      longest < setting.timeoutMs * 0.9,
    ),
  ];
}

/** Checks that a healed host gets calls again. */
export function comesBack({ journal, marks }: Evidence, host: string): Check[] {
  const healed = marks.get('healed') ?? Number.NaN;
  const first = journal.find(
    ({ what, host: where, at, deadline }) =>
      what === 'begin' && where === host && at > healed && deadline - at > 4900,
  );
  const after = first === undefined ? Number.POSITIVE_INFINITY : first.at - healed;
  return [check('it comes back by itself', `works again after ${three(after)} ms`, after < 5000)];
}

/** Compares the p99 of calls after the fault with the p99 before it. */
export function tailAtMost(evidence: Evidence, factor: number): Check[] {
  const fault = faultOf(evidence);
  const before = evidence.calls.filter(({ at }) => at > evidence.startedAt + 1000 && at < fault);
  // A second for the dispatchers to learn of it.
  const after = evidence.calls.filter(({ at }) => at > fault + 1000);
  const [p99Before, p99After] = [timeOf(before, 0.99), timeOf(after, 0.99)];
  return [
    check(
      `p99 at most ${factor}x`,
      `${three(p99Before)} to ${three(p99After)} ms, ${three(p99After / p99Before)}x`,
      p99After <= factor * p99Before,
    ),
  ];
}

/** Checks the answers per second from three seconds after the fault on. */
export function keepsUp(
  evidence: Evidence,
  { least, seconds }: { least: number; seconds: number },
): Check[] {
  const from = faultOf(evidence) + 3000;
  const to = evidence.startedAt + seconds * 1000;
  const answers = evidence.calls.filter(
    ({ at, ms, code }) => code === '' && at + ms >= from && at + ms < to,
  );
  const rate = answers.length / ((to - from) / 1000);
  return [check(`at least ${Math.round(least)}/s are answered`, `${three(rate)}/s`, rate >= least)];
}

/** Checks that a host behind a bad link gets fewer tasks, and the others are as fast as without it. */
export function passesOver({ calls, steady }: Evidence, host: string): Check[] {
  const answers = calls.filter(({ code }) => code === '');
  const share = answers.filter((call) => call.host === host).length / answers.length;
  const others = (all: readonly Call[]): Call[] => all.filter((call) => call.host !== host);
  const [own, base] = [timeOf(others(answers), 0.99), timeOf(others(steady?.calls ?? []), 0.99)];
  return [
    check(
      'it gets fewer tasks',
      `${Math.round(100 * share)} % of three hosts' tasks`,
      share < 1 / 3,
    ),
    check(
      'p99 of the others is unchanged',
      `${three(own)} ms, ${three(base)} without it`,
      own <= 1.2 * base,
    ),
  ];
}

/** Checks the loads of one key at a time, by the workers' journal. */
export function loadsPerKey(evidence: Evidence): Check[] {
  const { journal, calls } = evidence;
  const fault = faultOf(evidence);
  const before = mostLoadsOfAKey(journal.filter(({ at }) => at < fault));
  const all = mostLoadsOfAKey(journal);
  const loads = journal.filter(({ what }) => what === 'begin').length;
  return [
    check('one load per key while steady', `${before} at a time at most`, before <= 1),
    check('two loads per key at most', `${all} at a time at most`, all <= 2),
    check(
      'equal questions share loads',
      `${loads} loads for ${calls.length} calls`,
      loads < calls.length / 2,
    ),
  ];
}

/**
 * Loads while a store of leases is away, and how soon they are shared again when it is back. A store that is late counts as away,
 * so a busy machine shares less at any time: only the first second that is as good as before is looked for.
 */
export function loadsWithout(evidence: Evidence, processes: number): Check[] {
  const { journal, calls, marks, startedAt } = evidence;
  const [fault = 0, healed = 0] = [marks.get('fault'), marks.get('healed')];
  const begun = journal.filter(({ what }) => what === 'begin');
  const perSecond = (from: number, to: number): number =>
    begun.filter(({ at }) => at >= from && at < to).length / ((to - from) / 1000);
  // Nothing is kept at first.
  const before = perSecond(startedAt + 1000, fault);
  const away = perSecond(fault, healed);
  const last = Math.max(...calls.map(({ at }) => at)) - COUNTED_MS;
  let backAt = healed;
  while (backAt < last && perSecond(backAt, backAt + COUNTED_MS) > 1.25 * before) {
    backAt += COUNTED_EACH_MS;
  }
  const after = perSecond(backAt, last + COUNTED_MS);
  const backMs = backAt - healed;
  const most = mostLoadsOfAKey(journal);
  return [
    check('at most one load of a key in each process', `${most} at a time`, most <= processes),
    check(
      'loads are shared again within 2 s',
      `after ${three(backMs)} ms: ${three(before)} loads a second before, ${three(away)} without it, ${three(after)} from then on, of ${Math.round(evidence.setting.callsPerSecond)} questions`,
      backMs <= BACK_MS,
    ),
  ];
}
