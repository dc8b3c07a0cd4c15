import type { Figure as Metric } from '@ticketing/otel/prometheus';
import { type Static, type TObject, type TObjectOptions, type TSchema, Type } from 'typebox';

/** One figure: a member of a source, and each place that shows it. */
export interface Figure {
  /** Schema of the figure in `/stats`. */
  readonly stats?: TSchema;
  /** Schema of the figure in the operator's view. */
  readonly view?: TSchema;
  /** Family of the figure in `/metrics`. Figures may share one: a label that is not of their table distinguishes them. Milliseconds become seconds. */
  readonly metric?: Metric | undefined;
  /** Value of that label. Default: the name of the figure; a figure that is a record has a series for each of its names. */
  readonly as?: string;
}

export type { Metric };
export type Figures = Readonly<Record<string, Figure>>;

/** The figures of one kind of source, such as pools. */
export interface Table<F extends Figures = Figures, L = Readonly<Record<string, string>>> {
  /** Labels in `/metrics`, each with the member of the source that is its value. */
  readonly labels: L;
  readonly figures: F;
}

type Place = 'stats' | 'view';
type Shown<P extends Place, S extends TSchema = TSchema> = { readonly [_ in P]: S };
type Schemas<F, P extends Place> = {
  [N in keyof F as F[N] extends Shown<P> ? N : never]: F[N] extends Shown<P, infer S> ? S : never;
};

/** Data that is only read: of what it may lack, anything may be undefined. */
export type Given<T> = T extends readonly (infer E)[]
  ? readonly Given<E>[]
  : T extends object
    ? { readonly [N in keyof T]: Given<T[N]> | (IsOptional<T, N> extends true ? undefined : never) }
    : T;
type IsOptional<T, N extends keyof T> = string extends N
  ? false
  : object extends Pick<T, N>
    ? true
    : false;

/** A source as `/stats` shows it. */
export type StatsOf<F> = Given<Static<TObject<Schemas<F, 'stats'>>>>;
/** A source as the view shows it. */
export type RowOf<F> = Static<TObject<Schemas<F, 'view'>>>;
/** Members that a row is made of. */
export type RowSource<F> = Given<RowOf<F>>;

/** Creates a table. */
export function table<F extends Figures, const L extends Readonly<Record<string, string>>>(
  labels: L,
  figures: F,
): Table<F, L> {
  return { labels, figures };
}

/** Returns the schemas of the figures that a place shows. */
export function schemasIn<P extends Place, F extends Figures>(
  place: P,
  { figures }: Pick<Table<F>, 'figures'>,
): Schemas<F, P> {
  const shown = Object.entries(figures).flatMap(([name, figure]) =>
    figure[place] === undefined ? [] : [[name, figure[place]] as const],
  );
  return Object.fromEntries(shown) as Schemas<F, P>;
}

/** Returns the schema of a source in `/stats`. */
export function statsSchema<F extends Figures>(
  of: Pick<Table<F>, 'figures'>,
  options?: TObjectOptions,
) {
  return Type.Object(schemasIn('stats', of), options);
}

/** Returns the schema of a source in the operator's view. */
export function rowSchema<F extends Figures>(
  of: Pick<Table<F>, 'figures'>,
  options?: TObjectOptions,
) {
  return Type.Object(schemasIn('view', of), options);
}

/** Returns a source as the view shows it. */
export function rowOf<F extends Figures>(
  { figures }: Pick<Table<F>, 'figures'>,
  source: RowSource<F>,
): RowOf<F> {
  const members = source as Readonly<Record<string, unknown>>;
  const shown = Object.entries(figures).flatMap(([name, { view }]) =>
    view === undefined || members[name] === undefined ? [] : [[name, members[name]] as const],
  );
  return Object.fromEntries(shown) as RowOf<F>;
}

/** Returns 0 for each count that the view shows. */
export function zerosOf<F extends Figures>(of: Pick<Table<F>, 'figures'>) {
  const counts = Object.entries<{ readonly type?: string }>(schemasIn('view', of)).filter(
    ([, { type }]) => type === 'integer',
  );
  return Object.fromEntries(counts.map(([name]) => [name, 0])) as {
    readonly [N in keyof RowOf<F> as RowOf<F>[N] extends number ? N : never]: number;
  };
}
