import type { AnswerTasks } from '../answers/answer-tasks.ts';
import type { CarrierTasks } from '../carriers/carriers.ts';
import type { OwnStatus, ProcessStatus } from '../figures/process-status.ts';
import type { History } from '../figures/trend-schemas.ts';
import type { OperatorView } from '../figures/view-schema.ts';
import type { Flags } from '../flags/flag-specs.ts';
import type { Command, Outcome } from '../operator/operator.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { WormLocation } from '../worms/worm-databases.ts';

/** Milliseconds beyond the deadline that requests in flight get to be answered. */
export const ANSWER_MS = 1000;

/** The server, whatever processes it has. */
export interface Serving {
  readonly url: string;
  readonly carriersUrl: string;
  /** Replaces the workers one by one; no request fails. */
  reload(): Promise<void>;
  /** Requests that are not answered yet; of other processes, as they last reported. */
  inFlight(): number;
  /** Stops accepting, answers what is in flight, closes everything. Idempotent. */
  close(): Promise<void>;
}

/** Starts the processes of one value of `--accept`. */
export type StartServing = (context: ServeContext) => Promise<Omit<Serving, 'carriersUrl'>>;

export interface ServeContext {
  readonly flags: Flags;
  readonly carriersUrl: string;
  readonly worms: WormLocation;
  /** Epoch ms. */
  readonly now: () => number;
  /** Start of the server in epoch ms. */
  readonly startedAt: number;
  readonly log: (line: string) => void;
  /** Telemetry of this process. */
  readonly telemetry: Telemetry;
  /** Pids of the hosts that this server has started. */
  ownHosts(): readonly number[];
  /** Replaces the hosts that the server has started one by one. */
  reloadHosts(): Promise<void>;
}

/** Tasks that a server process runs for the others. */
export type ServingTasks = CarrierTasks &
  AnswerTasks & {
    status(): OwnStatus;
    /** The server is about to stop: balancers are to send no more. */
    leave(): void;
  };

/** Tasks that the primary runs for the server processes: it passes work on, and holds what they share. */
export type PrimaryTasks = CarrierTasks &
  AnswerTasks & {
    /** Every process, the primary first. */
    overview(): Promise<ProcessStatus[]>;
    view(): Promise<OperatorView>;
    /** The first view after a time. */
    nextView(after: number): Promise<OperatorView | undefined>;
    history(): Promise<History>;
    control(command: Command): Promise<Outcome>;
  };
