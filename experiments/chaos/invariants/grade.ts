import type { SearchFacts } from '../truth/search-facts.ts';
import type { Terms } from './invariant.ts';
import type { LoggedRequest, Timeline } from './timeline.ts';

/** How a request ended, as the table of results counts it. */
export type Grade =
  | 'good'
  | 'partial'
  | 'refused'
  | 'failed'
  | 'cut'
  | 'left'
  | 'hung'
  | 'wrong'
  | 'open';

/** Returns the differences of an answer from the timetable that no fault of the carrier explains. */
export function unexplained(
  request: LoggedRequest,
  { differences, ageMs }: SearchFacts,
  { timeline: { faults }, terms }: { readonly timeline: Timeline; readonly terms: Terms },
): SearchFacts['differences'] {
  if (differences.length === 0) return differences;
  // An equal search that had begun a deadline before may have been joined, and an answer may have been kept.
  const fromMs = request.fromMs - terms.deadlineMs - ageMs;
  const altered = faults
    .filter(
      ({ began, ...span }) => began.alters && span.fromMs <= request.toMs && span.toMs >= fromMs,
    )
    .map(({ began }) => began.carrier);
  return differences.filter(({ carrier }) => !altered.includes(carrier));
}

/** Grades a request. */
export function gradeOf(
  request: LoggedRequest,
  context: { readonly timeline: Timeline; readonly terms: Terms },
): Grade {
  const { ending } = request;
  if (ending === undefined) return 'open';
  if (ending.how !== 'answered') return ending.how;
  const { status, wrong, search } = ending;
  if (status === 503 || status === 429) return 'refused';
  if (status === 502 || status === 504) return 'failed';
  if (status !== 200 || wrong !== undefined) return 'wrong';
  if (search === undefined) return 'good';
  if (search.otherQuestion !== undefined || search.stream === 'open') return 'wrong';
  if (search.stream === 'failed') return 'failed';
  if (unexplained(request, search, context).length > 0) return 'wrong';
  return search.complete ? 'good' : 'partial';
}
