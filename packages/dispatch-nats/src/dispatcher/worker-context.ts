import type { NatsLossSign } from '../contract.ts';
import type { Opening } from '../fleet/announcement.ts';
import type { KnownHost } from '../fleet/fleet.ts';
import type { FleetSubjects } from '../fleet/subjects.ts';
import type { NatsLink } from '../link/nats-link.ts';

/** What the workers of a dispatcher share. */
export interface WorkerContext<Worker> {
  readonly link: NatsLink;
  readonly subjects: FleetSubjects;
  readonly opening: Omit<Opening, 'session' | 'hosts'>;
  readonly now: () => number;
  /** Hosts that are known. */
  hosts(): number;
  /** Tasks that any host has. */
  tasks(): readonly string[];
  /** The host has opened the session, and takes tasks. */
  ready(worker: Worker): void;
  /** The kernel gives a worker up that never got a host. */
  withoutHost(worker: Worker): void;
  /** The host did not open the session. */
  refused(host: KnownHost, reason: Refused): void;
  /** The host asks for a successor elsewhere. */
  leaving(host: KnownHost): void;
  /** The session is over; before the kernel knows. `sign`: it was lost. */
  ended(worker: Worker, host: KnownHost | undefined, sign: NatsLossSign | undefined): void;
}

export type Refused = 'full' | 'leaving' | 'protocol' | 'v8' | 'silent' | 'no-responders';
