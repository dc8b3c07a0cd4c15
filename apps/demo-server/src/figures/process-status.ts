import type { StatsOf } from './figure.ts';
import type { identity } from './figures.ts';
import type { NewEvent } from './operator-event.ts';
import type { PrimaryStats, ServerStats } from './stats-document.ts';

/** An event as the process has noted it that noticed it. */
export interface ReportedEvent
  extends Readonly<Pick<NewEvent, 'at' | 'kind' | 'severity' | 'text' | 'detail'>> {
  /** Number from 1, in the process that reports it. */
  readonly no: number;
  /** Process that the event is about: its id goes before the text. */
  readonly pid?: number | undefined;
}

/** Report of a server process about itself. */
export interface OwnStatus {
  readonly pid: number;
  readonly stats: ServerStats;
  readonly events: readonly ReportedEvent[];
}

/** `id`: `primary`, or `server-` and its slot, which its successor takes over. While two have a slot, one is `…/other`. */
interface AnyProcess extends StatsOf<typeof identity.figures> {
  readonly events?: readonly ReportedEvent[];
  /** Traffic of a server process that no primary watches. */
  readonly traffic?: { readonly inFlight: number; readonly connections: number };
}

/** A process of the server, and its counters; without them it has not reported. */
export type ProcessStatus =
  | (AnyProcess & { readonly role: 'primary'; readonly stats: PrimaryStats })
  | (AnyProcess & { readonly role: 'server'; readonly stats?: ServerStats });
