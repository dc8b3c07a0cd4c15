import { abortCases } from './cases/abort-cases.ts';
import { capacityCases } from './cases/capacity-cases.ts';
import { closeCases } from './cases/close-cases.ts';
import { contextCases } from './cases/context-cases.ts';
import { copyCases } from './cases/copy-cases.ts';
import { drainCases } from './cases/drain-cases.ts';
import { errorCases } from './cases/error-cases.ts';
import { heldUpCases } from './cases/held-up-cases.ts';
import { hostCases } from './cases/host-cases.ts';
import { killCases } from './cases/kill-cases.ts';
import { lossCases } from './cases/loss-cases.ts';
import { mapCases } from './cases/map-cases.ts';
import { mapEndCases } from './cases/map-end-cases.ts';
import { optionCases } from './cases/option-cases.ts';
import { orderCases } from './cases/order-cases.ts';
import { progressCases } from './cases/progress-cases.ts';
import { queueCases } from './cases/queue-cases.ts';
import { recycleCases } from './cases/recycle-cases.ts';
import { reloadCases } from './cases/reload-cases.ts';
import { retryCases } from './cases/retry-cases.ts';
import { startCases } from './cases/start-cases.ts';
import { statsCases } from './cases/stats-cases.ts';
import { timeoutCases } from './cases/timeout-cases.ts';
import { transferCases } from './cases/transfer-cases.ts';
import { valueCases } from './cases/value-cases.ts';
import type { CaseDraft, ConformanceCase } from './conformance-case.ts';
import type { ConformanceSubject } from './conformance-subject.ts';
import { Stage } from './stage.ts';
import { within } from './within.ts';

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
  ['map', mapCases],
  ['map ends', mapEndCases],
  ['drain', drainCases],
  ['reload', reloadCases],
  ['recycle', recycleCases],
  ['close', closeCases],
  ['statistics', statsCases],
  ['options', optionCases],
];

/**
 * Gives the promises of the contract as cases, in a fixed order. A case takes `longestMs` at most; run one
 * at a time, since each compares the handles of this process with those before it. Each fails if it leaves a worker, a
 * handle or a listener, or if this process meets an uncaught exception or an unhandled rejection.
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
  { unless, needsSmallHeap, needsReclaim }: CaseDraft,
  subject: ConformanceSubject,
): string | undefined {
  const reason = unless?.(subject.capabilities);
  if (reason === undefined && needsReclaim && !subject.reclaims) return 'reclaims is not given';
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
  // What is left after a failure is its consequence.
  await stage.clear().catch((error: unknown) => {
    failure ??= { error };
  });
  if (failure !== undefined) throw failure.error;
}
