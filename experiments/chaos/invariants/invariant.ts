import type { Timeline } from './timeline.ts';

/** A breach of an invariant. */
export interface Breach {
  readonly atMs: number;
  /** Same text whenever the same breach is found in a longer log. */
  readonly key: string;
  readonly what: string;
}

/** Facts that a log does not have. */
export interface Terms {
  readonly deadlineMs: number;
}

/** A rule that a run must obey at any time: a pure function over its log so far. */
export interface Invariant {
  readonly id: string;
  readonly claim: string;
  /** True if it is about times: where the machine has no time for anybody, it says nothing of the server. */
  readonly isOfTime?: boolean;
  check(timeline: Timeline, terms: Terms): readonly Breach[];
}
