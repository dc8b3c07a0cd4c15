import { abortCases } from './cases/abort-cases.ts';
import { closeCases, drainCases } from './cases/close-cases.ts';
import { broadcastCases } from './cases/each-worker/broadcast-cases.ts';
import { workerDataCases } from './cases/each-worker/worker-data-cases.ts';
import { errorCases, optionCases } from './cases/error-cases.ts';
import { fleetCases } from './cases/fleet-cases.ts';
import { heldUpCases, killCases } from './cases/kill-cases.ts';
import { lossCases, retryCases } from './cases/loss-cases.ts';
import { mapCases, mapEndCases } from './cases/map-cases.ts';
import { contextCases, progressCases } from './cases/progress-cases.ts';
import { capacityCases, orderCases, queueCases } from './cases/queue-cases.ts';
import { recycleCases, reloadCases } from './cases/reload-cases.ts';
import { hostCases, startCases } from './cases/start-cases.ts';
import { statsCases } from './cases/stats-cases.ts';
import { streamCases } from './cases/streams/stream-cases.ts';
import { streamEndCases } from './cases/streams/stream-end-cases.ts';
import { timeoutCases } from './cases/timeout-cases.ts';
import { transferCases } from './cases/transfer-cases.ts';
import { copyCases, valueCases } from './cases/value-cases.ts';
import type { CaseDraft, ConformanceCase } from './conformance-case.ts';
import { within } from './nothing-left.ts';
import { type ConformanceSubject, Stage } from './stage.ts';

const groups: readonly (readonly [group: string, drafts: readonly CaseDraft[]])[] = [
  ['queue', queueCases],
  ['capacity', capacityCases],
  ['order', orderCases],
  ['abort', abortCases],
  ['kill', killCases],
  ['timeouts', timeoutCases],
  ['held up', heldUpCases],
  ['loss', lossCases],
  ['retries', retryCases],
  ['start', startCases],
  ['host', hostCases],
  ['values', valueCases],
  ['copies', copyCases],
  ['transfer', transferCases],
  ['errors', errorCases],
  ['progress', progressCases],
  ['context', contextCases],
  ['worker data', workerDataCases],
  ['map', mapCases],
  ['map ends', mapEndCases],
  ['broadcast', broadcastCases],
  ['streams', [...streamCases, ...streamEndCases]],
  ['drain', drainCases],
  ['reload', reloadCases],
  ['recycle', recycleCases],
  ['close', closeCases],
  ['statistics', statsCases],
  ['options', optionCases],
  ['fleet', fleetCases],
];

/**
 * Returns the guarantees of the contract as cases, in a fixed order. A case takes `longestMs` at most; run one at a time,
 * since each compares the handles of this process before and after. A case fails if it leaves a worker, a handle or a
 * listener, or causes an uncaught exception or an unhandled rejection.
 *
 * @example
 * for (const { name, skip, run } of conformanceCases(subject)) test(name, { skip, timeout: 60_000 }, run);
 */
export function conformanceCases(subject: ConformanceSubject): readonly ConformanceCase[] {
  return groups.flatMap(([group, drafts]) =>
    drafts.map((draft) => ({
      name: `${group}: ${draft.name}`,
      skip: skipOf(draft, subject),
      run: () => perform(draft, subject),
    })),
  );
}

function skipOf(
  { unless, needsSmallHeap, needsReclaim, needsWorkerData, needsFleet }: CaseDraft,
  subject: ConformanceSubject,
): string | undefined {
  const { capabilities, copies = capabilities.isolation !== 'none' } = subject;
  const reason = unless?.({ ...capabilities, copies });
  if (reason === undefined && needsReclaim && !subject.reclaims) return 'reclaims is not given';
  if (reason === undefined && needsWorkerData && subject.givesWorkerData === false) {
    return 'its workers get no workerData';
  }
  if (needsFleet !== undefined && subject.fleet?.[needsFleet] === undefined) {
    return `fleet.${needsFleet} is not given`;
  }
  if (reason !== undefined || !needsSmallHeap) return reason;
  return subject.createWithSmallHeap === undefined ? 'createWithSmallHeap is not given' : undefined;
}

async function perform({ name, act }: CaseDraft, subject: ConformanceSubject): Promise<void> {
  const stage = new Stage(subject);
  let failure: { readonly error: unknown } | undefined;
  try {
    await within(stage.longestMs, () => `the end of "${name}" (${stage.describe()})`, act(stage));
  } catch (error) {
    failure = { error };
  }
  // After a failure an error of `clear` is only its consequence.
  await stage.clear().catch((error: unknown) => {
    failure ??= { error };
  });
  if (failure !== undefined) throw failure.error;
}

/** Cases in two parts, each in the order of the suite. */
export interface SplitCases {
  readonly chosen: readonly ConformanceCase[];
  readonly others: readonly ConformanceCase[];
}

/**
 * Splits cases: chosen are those whose names begin with one of the texts. For a transport whose suite takes too long to run
 * after each change.
 *
 * @throws RangeError for a text that no name begins with
 * @example
 * const { chosen, others } = splitCases(conformanceCases(subject), ['start:', 'loss:']);
 */
export function splitCases(
  cases: readonly ConformanceCase[],
  beginnings: readonly string[],
): SplitCases {
  for (const text of beginnings) {
    if (cases.some(({ name }) => name.startsWith(text))) continue;
    throw new RangeError(`Cannot split cases: no case begins with \`${text}\``);
  }
  const isChosen = ({ name }: ConformanceCase) => beginnings.some((text) => name.startsWith(text));
  return {
    chosen: cases.filter(isChosen),
    others: cases.filter((each) => !isChosen(each)),
  };
}
