import type { Condition } from '../../../figures/trend-schemas.ts';
import type { OperatorView } from '../../../figures/view-schema.ts';
import { type DispatchName, dispatchKind } from '../../../flags/dispatch-kinds.ts';
import { type ReadRates, ratesOf } from '../../../trends/view-rates.ts';
import { decimal, NONE } from '../../words/amounts.ts';
import { type PartState, worstOf } from '../../words/state-marks.ts';

export type ProcessRow = OperatorView['processes'][number];

/** A view, and what the parts of the picture look up in it. */
export interface Reading {
  readonly view: OperatorView;
  readonly rates: ReadRates;
  /** Ids of the server processes that there are to be. */
  readonly servers: readonly string[];
  /** Processes in a slot: the one that works first, then the ones that it replaces. */
  inSlot(id: string): readonly ProcessRow[];
  /** Conditions of one part. */
  conditions(subject: Condition['subject'], id: string): readonly Condition[];
}

/** Parts that run the work of carriers. */
export type WorkPlace = 'servers' | 'workers' | 'primary' | 'hosts';

/** Prepares a view to be read. */
export function readingOf(view: OperatorView): Reading {
  const slots = groupedBy(view.processes, ({ id }) => id.replace(/\/other(-\d+)?$/, ''));
  const health = groupedBy(view.health, ({ subject, id }) => `${subject} ${id}`);
  return {
    view,
    rates: ratesOf(view),
    servers: Array.from({ length: view.modes.workers }, (_, slot) => `server-${slot}`),
    inSlot: (id) => slots.get(id) ?? [],
    conditions: (subject, id) => health.get(`${subject} ${id}`) ?? [],
  };
}

/** Returns where the work of carriers runs. */
export function workPlaceOf({ accept, dispatch }: OperatorView['modes']): WorkPlace {
  const { workers, inServers, inFleet } = dispatchKind(dispatch as DispatchName);
  if (inFleet) return 'hosts';
  if (workers === undefined) return 'servers';
  return inServers && accept !== 'single' ? 'primary' : 'workers';
}

/** Returns the worst state of some conditions. */
export function stateOf(conditions: readonly Condition[]): PartState {
  return worstOf(conditions.map(({ state }) => state));
}

/** Writes a rate: `14.1/s`, and `318/s` from a hundred on. */
export function perSecond(rate: number | undefined): string {
  if (rate === undefined) return NONE;
  return `${rate < 99.95 ? decimal(rate) : Math.round(rate)}/s`;
}

/** Returns rows by their groups, in the order in which the groups appear. */
export function groupedBy<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

/** Adds up a figure of some rows. */
export function sumOf<Row>(
  rows: readonly Row[],
  figureOf: (row: Row) => number | undefined,
): number {
  return rows.reduce((sum, row) => sum + (figureOf(row) ?? 0), 0);
}

/** Returns the figures that there are. */
export function present(
  figures: readonly (readonly [name: string, text: string] | false | undefined)[],
): (readonly [name: string, text: string])[] {
  return figures.filter((figure) => figure !== false && figure !== undefined);
}
