import type { Ending } from '../events/event.ts';
import { gradeOf, unexplained } from './grade.ts';
import type { Breach, Invariant, Terms } from './invariant.ts';
import {
  type LoggedFault,
  type LoggedRequest,
  overlapMs,
  starvedMs,
  type Timeline,
} from './timeline.ts';

/** Time beyond its deadline in which a request must end. */
const GRACE_MS = 1500;

function name({ sent: { id, route, client, target } }: LoggedRequest): string {
  return `request ${id} (${route}, ${client}, ${target})`;
}

/** Makes an invariant of a rule for each request. */
function ofEach(
  id: string,
  claim: string,
  rule: (request: LoggedRequest, timeline: Timeline, terms: Terms) => string | undefined,
): Invariant {
  return {
    ...{ id, claim },
    check: (timeline, terms) =>
      timeline.requests.flatMap((request): Breach[] => {
        const what = rule(request, timeline, terms);
        return what === undefined
          ? []
          : [{ atMs: request.toMs, key: `${request.sent.id}`, what: `${name(request)} ${what}` }];
      }),
  };
}

/** Makes an invariant about times. */
function ofTime(...rule: Parameters<typeof ofEach>): Invariant {
  return { ...ofEach(...rule), isOfTime: true };
}

/** True for a fault of a process that serves clients: while it is stopped, its requests cannot end. */
const stopsServing = ({ began: { name: fault, part } }: LoggedFault): boolean =>
  fault === 'SIGSTOP' && (part === 'server' || part === 'primary');

/** True if the head of an answer came. */
function hasBegun(ending: Ending | undefined): boolean {
  if (ending === undefined || ending.how === 'refused') return false;
  return ending.how === 'left' ? ending.answering : ending.status !== undefined;
}

export const endsInTime: Invariant = ofTime(
  'ends-in-time',
  `Each accepted request ends within its deadline + ${GRACE_MS} ms`,
  (request, timeline, { deadlineMs }) => {
    const { fromMs, toMs, ending, heldMs, sent } = request;
    // The operator's events have no end: their client leaves. The first byte of them is in time.
    if (sent.route === 'events' && hasBegun(ending)) return undefined;
    if (ending?.how === 'refused') return undefined;
    // A stream of events that is open is not late by that.
    if (sent.route === 'events' && ending === undefined) return undefined;
    const tookMs = toMs - fromMs;
    const usualMs = deadlineMs + GRACE_MS + heldMs;
    if (tookMs <= usualMs) return undefined;
    const stoppedMs = overlapMs(request, timeline.faults.filter(stopsServing));
    const limitMs = usualMs + stoppedMs + starvedMs(request, timeline);
    if (tookMs <= limitMs) return undefined;
    const how = ending === undefined ? 'is open' : `ended (${ending.how})`;
    return `${how} after more than ${Math.round(limitMs)} ms`;
  },
);

export const noConnectionRefused = ofEach(
  'no-connection-refused',
  'No connection is refused while the primary lives',
  ({ ending, toMs }, timeline) => {
    const stopping = timeline.phaseFrom('stopping') ?? Number.POSITIVE_INFINITY;
    return ending?.how === 'refused' && toMs < stopping ? 'was refused by the system' : undefined;
  },
);

export const completeIsTrue = ofEach(
  'complete-is-true',
  'A complete answer equals the timetable',
  (request, timeline, terms) => {
    const search = request.ending?.how === 'answered' ? request.ending.search : undefined;
    if (!search?.complete) return undefined;
    if (search.missing.length > 0) return `is complete without ${search.missing.join()}`;
    const [first] = unexplained(request, search, { timeline, terms });
    return first && `is complete, and ${first.carrier} has a train ${first.kind}: ${first.line}`;
  },
);

export const partialNamesMissing = ofEach(
  'partial-names-missing',
  'A partial answer is a subset of the timetable, and names who is missing',
  (request, timeline, terms) => {
    const search = request.ending?.how === 'answered' ? request.ending.search : undefined;
    if (search === undefined || search.complete || search.stream === 'failed') return undefined;
    if (search.stream === 'open') return undefined;
    if (search.missing.length === 0) return 'is partial, and names no carrier as missing';
    const [first] = unexplained(request, search, { timeline, terms });
    return first && `is partial, and ${first.carrier} has a train ${first.kind}: ${first.line}`;
  },
);

export const ownQuestion = ofEach(
  'own-question',
  "No answer is that of another's question",
  ({ ending }) => {
    if (ending?.how !== 'answered') return undefined;
    return ending.search?.otherQuestion ?? ending.wrong;
  },
);

export const streamsEnd = ofEach(
  'streams-end',
  'A stream ends with its last event',
  ({ ending }) =>
    ending?.how === 'answered' && ending.search?.stream === 'open'
      ? 'ended without search-done or search-failed'
      : undefined,
);

export const refusedSaysWhen = ofEach(
  'refused-says-when',
  'A refusal has Retry-After',
  ({ ending }) =>
    ending?.how === 'answered' &&
    (ending.status === 503 || ending.status === 429) &&
    ending.retryAfter === undefined
      ? `is ${ending.status} without Retry-After`
      : undefined,
);

export const noDefect = ofEach('no-defect', 'No answer is a 500', ({ ending }) =>
  ending?.how === 'answered' && ending.status === 500 ? 'is a 500' : undefined,
);

/** Time after which a worker that does not answer its checks has been killed: two heartbeats. */
const HEARTBEATS_MS = 10_000;
/** Time in which a connection that was on its way to a process that died ends. */
const LOSS_MS = 1000;

export const cutHasCause: Invariant = ofTime(
  'cut-has-cause',
  'No answer is cut but by the loss of the process that had it',
  ({ ending, fromMs, toMs }, { faults, phaseFrom }) => {
    if (ending?.how !== 'cut') return undefined;
    if (toMs >= (phaseFrom('stopping') ?? Number.POSITIVE_INFINITY)) return undefined;
    const causes = faults.filter(({ began, ...fault }) => {
      const isServing = began.part === 'server' || began.part === 'primary';
      const reach = { SIGKILL: LOSS_MS, SIGSTOP: HEARTBEATS_MS, 'descriptors short': LOSS_MS };
      const afterMs = reach[began.name as keyof typeof reach];
      if (!isServing || afterMs === undefined) return false;
      return fault.fromMs <= toMs && fault.toMs + afterMs >= fromMs;
    });
    return causes.length === 0 ? `was cut (${ending.code}) without a cause` : undefined;
  },
);

/** Time after the last fault in which everything is well again. */
export const RECOVERY_MS = 5000;

export const goodAfterFaults: Invariant = ofTime(
  'good-after-faults',
  `After the faults every answer is good within ${RECOVERY_MS} ms`,
  (request, timeline, terms) => {
    const calm = timeline.phaseFrom('calm');
    if (calm === undefined || request.fromMs < calm + RECOVERY_MS) return undefined;
    if (request.fromMs >= (timeline.phaseFrom('idle') ?? Number.POSITIVE_INFINITY))
      return undefined;
    const grade = gradeOf(request, { timeline, terms });
    if (['good', 'left', 'open'].includes(grade)) return undefined;
    if (grade === 'partial' && isPausedAlone(request)) return undefined;
    const isSlowness = ['refused', 'failed', 'partial'].includes(grade);
    return isSlowness && wasStarved(request, timeline, terms) ? undefined : `is ${grade}`;
  },
);

/** True if all that is missing are carriers that are not asked for a while: what they answered under the faults is honoured. */
function isPausedAlone({ ending }: LoggedRequest): boolean {
  const search = ending?.how === 'answered' ? ending.search : undefined;
  return search?.missing.every((carrier) => search.paused.includes(carrier)) === true;
}

/** True if the machine had no core before a request for so long that the server refuses what would be late. */
function wasStarved(
  { fromMs, toMs }: LoggedRequest,
  timeline: Timeline,
  { deadlineMs }: Terms,
): boolean {
  return starvedMs({ fromMs: fromMs - deadlineMs, toMs }, timeline) >= deadlineMs / 3;
}

/** Returns the milliseconds from the end of the faults to the last request that was not good. */
export function recoveryMs(timeline: Timeline, terms: Terms): number {
  const calm = timeline.phaseFrom('calm');
  if (calm === undefined) return Number.NaN;
  const bad = timeline.requests.filter(
    (request) =>
      request.fromMs >= calm &&
      !['good', 'left', 'open'].includes(gradeOf(request, { timeline, terms })) &&
      !wasStarved(request, timeline, terms),
  );
  return Math.max(0, ...bad.map(({ fromMs }) => fromMs - calm));
}
