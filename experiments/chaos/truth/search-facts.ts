/** What an answer to a search states, beside what the timetable has. Plain data. */
export interface SearchFacts {
  /** `complete` of the answer. */
  readonly complete: boolean;
  /** Carriers that the answer names as missing. */
  readonly missing: readonly string[];
  /** Missing carriers that are not asked for a while because of earlier answers: `circuit-open`, `rate-limited`. */
  readonly paused: readonly string[];
  /** Difference between the question and the one that the answer repeats. */
  readonly otherQuestion?: string | undefined;
  /** Differences from the timetable of carriers that are not missing, and trains that no timetable has. */
  readonly differences: readonly Difference[];
  /** How a stream ended; absent: a document. */
  readonly stream?: 'done' | 'failed' | 'open' | undefined;
  /** Age of the oldest kept answer in it. */
  readonly ageMs: number;
}

/** Train that an answer has and the timetable has not, or the other way round. */
export interface Difference {
  readonly carrier: string;
  readonly kind: 'extra' | 'lacking';
  readonly line: string;
}
