import type { CallStats, EndsBySource, LatencyBySource, SourceStatus } from './source-status.ts';

/** Answers by the ids of the sources that answered. */
export type AnswersOf<Answers> = { readonly [Id in keyof Answers]?: Answers[Id] };

/** Answers of all sources until the deadline. */
export interface ScatterResult<Query, Answers> {
  readonly query: Query;
  /** Answers by id, in the order of the sources, of each whose state is `ok`. */
  readonly answers: AnswersOf<Answers>;
  /** One per source that was asked, in the order of the sources. */
  readonly sources: readonly SourceStatus<keyof Answers & string>[];
  /** True if every source answered: each state is `ok` or `empty`. */
  readonly complete: boolean;
  readonly ms: number;
}

/** An event of a stream: started, then each source's status and answer as they come, then done. */
export type ScatterEvent<Query, Answers> =
  | {
      readonly type: 'scatter-started';
      readonly query: Query;
      readonly sources: readonly SourceStatus<keyof Answers & string>[];
      /** Epoch ms. */
      readonly deadline: number;
    }
  | {
      readonly type: 'source-status';
      readonly status: SourceStatus<keyof Answers & string>;
    }
  | AnswerEvent<Answers>
  | ({ readonly type: 'scatter-done' } & Omit<ScatterResult<Query, Answers>, 'answers' | 'query'>);

/** An answer of one source; it follows the status of that source. */
type AnswerEvent<Answers> = {
  [Id in keyof Answers & string]: {
    readonly type: 'source-answer';
    readonly source: Id;
    readonly answer: Answers[Id];
  };
}[keyof Answers & string];

/** Counters since the start, of calls and of each source. */
export interface ScatterStats extends CallStats {
  /** Number of ends of each source, by state. */
  readonly sources: EndsBySource;
  /** Durations of each source (`SourceStatus.ms`), by the state in which it ended. */
  readonly latency: LatencyBySource;
  /** Runs of each source that have not settled, also of calls that have ended without them. */
  readonly inFlight: Readonly<Record<string, number>>;
}
