import type { PartState } from '../../words/state-marks.ts';

/** The whole server as parts that work flows through, column by column. */
export interface SystemModel {
  readonly columns: readonly Column[];
  readonly edges: readonly Edge[];
}

export type ColumnKind =
  | 'clients'
  | 'accept'
  | 'servers'
  | 'coalescing'
  | 'workers'
  | 'hosts'
  | 'carriers';

/** Parts that do the same work beside each other. */
export interface Column {
  readonly kind: ColumnKind;
  readonly title: string;
  readonly parts: readonly Part[];
}

/** Names and texts of figures. */
export type Figures = readonly (readonly [name: string, text: string])[];

/** Something that work flows through, with its figures. */
export interface Part {
  /** Unique, and the same for what takes its place: `server server-0`, `carrier renfe`. */
  readonly id: string;
  readonly kind:
    | 'clients'
    | 'accept'
    | 'server'
    | 'funnel'
    | 'pool'
    | 'worker'
    | 'host'
    | 'carrier'
    | 'more';
  readonly name: string;
  readonly state: PartState;
  /** Requests, loads, tasks or calls per second. */
  readonly rate?: number | undefined;
  /** Short texts in the part's node, the most important first. */
  readonly lines: readonly string[];
  /** 0 to 1: busy share of a process, running share of a window, saved share of calls. */
  readonly share?: number | undefined;
  /** Counters, as the view has them. */
  readonly counts: Readonly<Record<string, number>>;
  /** Returns the figures of its drawer: name and text. */
  readonly figures: () => Figures;
  /** Workers of a pool, or the parts that one stands for. */
  readonly workers?: readonly Part[];
  /** Id of the server that a funnel or a pool belongs to alone. */
  readonly owner?: string;
  /** Id of the row that it is about: of a process, a pool, a carrier. */
  readonly row: string;
}

/** A way that work takes. Ends are ids of parts, or a place where ways join. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  /** Rate per second; `undefined` while it is not known. */
  readonly rate: number | undefined;
  readonly state: PartState;
}

/** Id of the point at which all calls to carriers join. */
export const CALLS = 'all calls';
/** Id of the point at which ways join that pass the workers or lead to several hosts. */
export const JOIN = 'all loads';

/** Returns every part of a model in the order of the flow, each pool before its workers. */
export function partsOf({ columns }: SystemModel): Part[] {
  return columns.flatMap(({ parts }) => parts.flatMap((part) => [part, ...(part.workers ?? [])]));
}
