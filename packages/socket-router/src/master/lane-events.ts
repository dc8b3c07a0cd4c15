import type { HeldConnection } from './held-connection.ts';
import type { WorkerLane } from './worker-lane.ts';

/** Why a worker did not take a connection. */
export type UntakenReason = 'worker-stuck' | 'worker-down' | 'declined' | 'unsent';

/** What a lane tells of connections. */
export interface ConnectionEvents {
  taken(connection: HeldConnection, lane: WorkerLane): void;
  /** These need another worker, or another try. */
  untaken(connections: HeldConnection[], lane: WorkerLane, reason: UntakenReason): void;
  /** The client left while the connection was queued. */
  gone(connection: HeldConnection): void;
  /** Its turn has come, but it has waited for longer than it may. */
  overdue(connection: HeldConnection): void;
  /** A lane has nothing to give any more. */
  free(): void;
}

/** What a lane tells, of connections and of its worker. */
export interface LaneEvents extends ConnectionEvents {
  attached(lane: WorkerLane): void;
  ready(lane: WorkerLane): void;
  stuck(lane: WorkerLane): void;
  /** It was stuck for so long that it may be so for ever. */
  lost(lane: WorkerLane): void;
  retired(lane: WorkerLane): void;
  down(lane: WorkerLane): void;
}
