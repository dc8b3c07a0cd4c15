import {
  aFunction,
  aName,
  aSignal,
  between,
  checkByRules,
  orInfinity,
  type Rule,
  required,
  resolveByRules,
  whole,
  wrongOption,
} from '@ticketing/kit';
import { presentFields } from '../model/present-fields.ts';
import type { SourceContext } from './scatter-face.ts';

/** Asks one source; may answer at once or by a promise. */
export type AskSource<in Query, out Answer> = (
  query: Query,
  context: SourceContext,
) => Answer | PromiseLike<Answer>;

/** One source of a list. */
export interface Source<in Query, out Answer, out Id extends string = string> {
  readonly id: Id;
  readonly run: AskSource<Query, Answer>;
}

/** Any {@link AskSource}: that of a method compares its query both ways, so that each source may narrow it. */
type AnyAsk = { ask(query: unknown, context: SourceContext): unknown }['ask'];

/** The sources of a scatter: functions by id, or a list. Each may have an answer of its own type. */
export type Sources =
  | Readonly<Record<string, AnyAsk>>
  | readonly { readonly id: string; readonly run: AnyAsk }[];

/** The functions of {@link Sources} by id. */
type AsksOf<S extends Sources> = S extends readonly { readonly id: string; readonly run: AnyAsk }[]
  ? { readonly [One in S[number] as One['id']]: One['run'] }
  : { readonly [Id in keyof S]: S[Id] };

/** Answer types of the sources, by id. */
export type SourceAnswers<S extends Sources> = {
  readonly [Id in keyof AsksOf<S>]: AsksOf<S>[Id] extends (...of: never) => infer Answer
    ? Awaited<Answer>
    : never;
};

/** The query that every source takes. */
export type SourceQuery<S extends Sources> = {
  [Id in keyof AsksOf<S>]: AsksOf<S>[Id] extends (query: infer Query, context: never) => unknown
    ? (query: Query) => void
    : never;
}[keyof AsksOf<S>] extends (query: infer Query) => void
  ? Query
  : never;

/** Options of `createScatter`. */
export interface ScatterOptions<S extends Sources = Sources> {
  /** Sources by id, or a list of `{ id, run }` with unique ids; at least one. */
  readonly sources: S;
  /** Milliseconds for a whole call, 1 to 600,000. Default 2,000. */
  readonly deadlineMs?: number | undefined;
  /**
   * Runs of one source that may be under way, 1 or more; one more is refused, as `rejected-busy`. A run counts until it
   * settles, also after the deadline: a source that hangs and ignores its signal fills up. Default `Infinity`.
   */
  readonly maxInFlight?: number | undefined;
  /** Names the scatter in messages of diagnostics channels. Default `scatter`. */
  readonly name?: string | undefined;
  /** Epoch ms. Default `Date.now`. The timer of the deadline is the platform's. */
  readonly now?: (() => number) | undefined;
}

/** Options of one call; they override the options of the scatter. */
export interface ScatterCallOptions<Id extends string = string> {
  /** Signal whose abort rejects the call with its reason, and aborts the sources. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds, 1 to 600,000. */
  readonly deadlineMs?: number | undefined;
  /** Ids of the sources to ask, at least one. Default: all. They are asked in the order of the scatter. */
  readonly sources?: readonly Id[] | undefined;
}

/** A source whose query and answer only its author knows. */
export type AnySource = Source<unknown, unknown>;

export interface ResolvedScatterOptions {
  readonly sources: readonly AnySource[];
  readonly deadlineMs: number;
  readonly maxInFlight: number;
  readonly name: string;
  readonly now: () => number;
}

export interface ResolvedScatterCall {
  readonly signal: AbortSignal | undefined;
  readonly deadlineMs: number;
  readonly sources: readonly AnySource[];
}

/** Rule of a deadline, for all kinds of scatter. */
export const aDeadline: Rule = /* @__PURE__ */ between(1, 600_000, 2000);

/** Rule of the ids that a call asks. */
export const someIds: Rule = {
  expected: 'a list of at least one id',
  test: (value) => Array.isArray(value) && value.length > 0,
};

const CREATE = 'create scatter';

const someSources: Rule = {
  expected: 'at least one source, by id or in a list',
  test: (value) => typeof value === 'object' && value !== null && Object.keys(value).length > 0,
};

const aSource: Rule = {
  expected: 'a source with id and run',
  test: (value) => {
    const { id, run } = Object(value) as Partial<AnySource>;
    return aName.test(id) && typeof run === 'function';
  },
};

/** Fills and checks the options of a scatter. */
export function resolveScatterOptions(options: unknown): ResolvedScatterOptions {
  const resolved = resolveByRules<Omit<ResolvedScatterOptions, 'sources'> & { sources: object }>(
    CREATE,
    options,
    {
      sources: required(someSources),
      deadlineMs: aDeadline,
      maxInFlight: orInfinity(whole(Number.POSITIVE_INFINITY)),
      name: { ...aName, fallback: 'scatter' },
      now: { ...aFunction, fallback: () => Date.now() },
    },
  );
  return { ...resolved, sources: listSources(resolved.sources) };
}

function listSources(sources: object): readonly AnySource[] {
  if (!Array.isArray(sources)) {
    return Object.entries(sources).map(([id, run]) => {
      if (!aFunction.test(run)) throw wrongOption(CREATE, `sources.${id}`, aFunction, run);
      return { id, run: run as AnySource['run'] };
    });
  }
  checkIds({ action: CREATE, option: 'sources', rule: aSource }, sources);
  return sources.map((source: AnySource) => ({
    id: source.id,
    run: (query, context) => source.run(query, context),
  }));
}

/** Checks that each entry of a list passes its rule, and that no id is there twice. @throws TypeError */
export function checkIds(
  { action, option, rule }: { action: string; option: string; rule: Rule },
  entries: readonly { readonly id: string }[],
): void {
  const ids = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    if (!rule.test(entry)) throw wrongOption(action, `${option}[${index}]`, rule, entry);
    const { id } = entry;
    if (ids.has(id)) throw new TypeError(`Cannot ${action}: \`${option}\` has \`${id}\` twice`);
    ids.add(id);
  }
}

/** Fills and checks the options of one call. */
export function resolveScatterCall(
  options: unknown,
  { deadlineMs, sources }: ResolvedScatterOptions,
): ResolvedScatterCall {
  const rules = { signal: aSignal, deadlineMs: aDeadline, sources: someIds };
  const checked = checkByRules('ask', options, rules) as ScatterCallOptions;
  const chosen = chooseById({ action: 'ask', option: 'sources', ids: checked.sources }, sources);
  return { signal: undefined, deadlineMs, ...presentFields(checked), sources: chosen };
}

/** Returns the entries that a call names, in their own order, or all. @throws TypeError for an id that none has */
export function chooseById<T extends { readonly id: string }>(
  { action, option, ids }: { action: string; option: string; ids: readonly string[] | undefined },
  all: readonly T[],
): readonly T[] {
  if (ids === undefined) return all;
  for (const [index, id] of ids.entries()) {
    if (all.some((one) => one.id === id)) continue;
    const expected = `one of ${all.map((one) => one.id).join(', ')}`;
    throw wrongOption(action, `${option}[${index}]`, { expected }, id);
  }
  return all.filter(({ id }) => ids.includes(id));
}
