import { createScatterCalls, type ScatterCall } from './scatter-calls.ts';
import {
  type AnySource,
  resolveScatterCall,
  resolveScatterOptions,
  type ScatterCallOptions,
  type ScatterOptions,
  type SourceAnswers,
  type SourceQuery,
  type Sources,
} from './scatter-options.ts';
import type { AnswersOf, ScatterEvent, ScatterResult, ScatterStats } from './scatter-result.ts';
import { createSourceFace } from './source-face.ts';
import type { SourceStatus } from './source-status.ts';

/** A query that may be absent when no source needs one. */
type CallArguments<Query, Options> = undefined extends Query
  ? [query?: Query, options?: Options]
  : [query: Query, options?: Options];

/** Asks many sources one question. Holds timers, and listeners on signals, only while calls run. */
export interface Scatter<Query, Answers> extends AsyncDisposable {
  /**
   * Resolves when every source has settled, at the deadline at the latest. A source that fails or is late is a status in
   * the result, never a rejection.
   *
   * @throws RailError `ERR_CLOSED` after `close()`
   * @throws TypeError or RangeError for options that are unknown or out of range
   * @throws the reason of `signal`, at once when it aborts
   */
  ask(
    ...call: CallArguments<Query, ScatterCallOptions<keyof Answers & string>>
  ): Promise<ScatterResult<Query, Answers>>;
  /**
   * Returns the same call as events, the status and the answer of each source as soon as it settles. Leaving the loop
   * aborts the rest. `scatter-done` comes last; the answers add up to the answers of `ask`.
   *
   * @throws when called, what `ask` rejects with; while iterating, the reason of `signal`
   */
  stream(
    ...call: CallArguments<Query, ScatterCallOptions<keyof Answers & string>>
  ): AsyncIterableIterator<ScatterEvent<Query, Answers>>;
  /** Counters since the start. */
  stats(): ScatterStats;
  /** Refuses new calls and resolves when those in flight have ended. Idempotent. */
  close(): Promise<void>;
}

/**
 * Creates a scatter: asks many sources one question under one deadline and one signal, and gathers what they answer. One
 * source that fails, throws, hangs or is full is a status, never a rejection. Answers are passed on as they are.
 * Diagnostics channels: `ticketing:core:source-settled`, `ticketing:core:scatter-done`, and the tracing channels
 * `ticketing:core:scatter` and `ticketing:core:source`, inside whose bound stores sources run.
 *
 * @throws TypeError or RangeError for options that are unknown or out of range
 * @example
 * const prices = createScatter({
 *   deadlineMs: 800,
 *   sources: {
 *     booking: (hotel: string, { signal }) => fetchPrice(hotel, signal),
 *     direct: (hotel: string) => 120,
 *   },
 * });
 * const { answers, sources, complete } = await prices.ask('ritz');
 */
export function createScatter<const S extends Sources>(
  options: ScatterOptions<S>,
): Scatter<SourceQuery<S>, SourceAnswers<S>>;
export function createScatter(options: unknown): Scatter<unknown, Record<string, unknown>> {
  type Answers = Record<string, unknown>;
  const resolved = resolveScatterOptions(options);
  const inFlight = new Map(resolved.sources.map(({ id }) => [id, 0]));
  const calls = createScatterCalls(createSourceFace(resolved, inFlight));

  function check(query: unknown, options: ScatterCallOptions): ScatterCall<AnySource, unknown> {
    const checked = resolveScatterCall(options, resolved);
    return { ...checked, query, startedAt: calls.enter() };
  }

  return {
    ask(query?: unknown, options: ScatterCallOptions = {}) {
      return new Promise<ScatterResult<unknown, Answers>>((resolve, reject) => {
        const answers = new Map<string, unknown>();
        calls.begin(check(query, options), {
          settled({ source, state }, { answer }) {
            if (state === 'ok') answers.set(source, answer);
          },
          done: ({ sources, complete, ms }) =>
            resolve({ query, answers: inOrder(sources, answers), sources, complete, ms }),
          aborted: reject,
        });
      });
    },
    stream(query?: unknown, options: ScatterCallOptions = {}) {
      return calls.stream<ScatterEvent<unknown, Answers>>(check(query, options), (events) => ({
        started({ statuses, deadline }) {
          events.push({ type: 'scatter-started', query, sources: [...statuses], deadline });
        },
        settled(status, { answer }) {
          events.push({ type: 'source-status', status });
          if (status.state !== 'ok') return;
          events.push({ type: 'source-answer', source: status.source, answer });
        },
        done({ sources, complete, ms }) {
          events.push({ type: 'scatter-done', sources, complete, ms });
          events.end();
        },
      }));
    },
    stats() {
      const { calls: counts, ends, latency } = calls.stats();
      return { ...counts, sources: ends, latency, inFlight: Object.fromEntries(inFlight) };
    },
    close: calls.close,
    [Symbol.asyncDispose]: calls.close,
  };
}

/** Returns the answers as an object, the same whoever answered first. */
function inOrder(
  sources: readonly SourceStatus[],
  answers: ReadonlyMap<string, unknown>,
): AnswersOf<Record<string, unknown>> {
  return Object.fromEntries(
    sources.flatMap(({ source }) =>
      answers.has(source) ? [[source, answers.get(source)] as const] : [],
    ),
  );
}
