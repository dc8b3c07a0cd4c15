import type { ClientKind, RouteKind } from '../load/requests.ts';
import type { Part } from '../setups.ts';
import type { SearchFacts } from '../truth/search-facts.ts';

/** Part of a run. `faults` is the only one with faults. */
export type Phase = 'warm' | 'faults' | 'calm' | 'idle' | 'stopping';

/** End of a request, as its client sees it. */
export type Ending =
  | {
      readonly how: 'answered';
      readonly status: number;
      readonly retryAfter?: string | undefined;
      /** Reason why the content is not what this request asked for. */
      readonly wrong?: string | undefined;
      readonly search?: SearchFacts | undefined;
      /** Pid of the process that answered. */
      readonly worker?: string | undefined;
    }
  /** The client left, as planned; `answering`: the head of an answer had come. */
  | { readonly how: 'left'; readonly answering: boolean }
  /** The system refused the connection. */
  | { readonly how: 'refused' }
  /** The connection ended before the answer did. */
  | { readonly how: 'cut'; readonly code: string; readonly status?: number | undefined }
  /** The client's patience, which is beyond every limit, ended. */
  | { readonly how: 'hung'; readonly status?: number | undefined };

/** State of the whole between two loads. */
export interface Observed {
  /** Processes by role. */
  readonly processes: Readonly<Record<string, number>>;
  /** Descriptors by what they are of. */
  readonly descriptors: Readonly<Record<string, number>>;
  readonly threads: number;
  /** Resident memory of all processes. */
  readonly memoryBytes: number;
  /** Files and sockets in the temporary folder and in `/dev/shm`. */
  readonly files: readonly string[];
}

/** What happened in a run, in order. Plain data. */
export type ChaosEvent = { readonly atMs: number } & (
  | { readonly kind: 'phase'; readonly phase: Phase }
  | {
      readonly kind: 'sent';
      readonly id: number;
      readonly route: RouteKind;
      readonly client: ClientKind;
      readonly target: string;
    }
  | {
      readonly kind: 'ended';
      readonly id: number;
      readonly ending: Ending;
      /** Milliseconds in which the client itself did not read. */
      readonly heldMs: number;
    }
  /** A kept connection ended before any byte of the answer: the client has sent the request again, on a new one. */
  | { readonly kind: 'sent-again'; readonly id: number }
  | {
      readonly kind: 'fault-began';
      readonly fault: number;
      readonly name: string;
      /** Part that is hit; absent: the machine or a carrier. */
      readonly part?: Part | undefined;
      readonly carrier?: string | undefined;
      /** True if answers of the carrier are other than its timetable meanwhile, and right. */
      readonly alters?: boolean | undefined;
    }
  /** What a fault hit; it may hit nothing. */
  | { readonly kind: 'fault-hit'; readonly fault: number; readonly detail: string }
  | { readonly kind: 'fault-ended'; readonly fault: number }
  /** The harness itself was late: the machine had no time for it. */
  | { readonly kind: 'late'; readonly ms: number }
  /** A process was ready to run and had no core, for so many of the last `ofMs`. */
  | {
      readonly kind: 'starved';
      readonly part: string;
      readonly pid: number;
      readonly ms: number;
      readonly ofMs: number;
    }
  | { readonly kind: 'observed'; readonly when: 'before' | 'after'; readonly state: Observed }
  | {
      readonly kind: 'stopped';
      readonly program: string;
      readonly exit: number | string;
      readonly tookMs: number;
      /** Processes, files and sockets that are left. */
      readonly left: readonly string[];
    }
  /** A program that must live has ended by itself. */
  | { readonly kind: 'died'; readonly program: string; readonly exit: number | string }
);

export type EventOf<Kind extends ChaosEvent['kind']> = Extract<ChaosEvent, { kind: Kind }>;
