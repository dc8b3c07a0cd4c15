import type { NatsLossSign } from '../contract/host-event.ts';
import type { Opening } from '../fleet/announcement.ts';
import type { KnownHost } from '../fleet/fleet.ts';
import type { FleetSubjects } from '../fleet/subjects.ts';
import type { NatsLink } from '../link/nats-link.ts';

/** State and callbacks that the workers of a dispatcher share. */
export interface WorkerContext<Worker> {
  readonly link: NatsLink;
  readonly subjects: FleetSubjects;
  readonly opening: Omit<Opening, 'session' | 'hosts'>;
  readonly now: () => number;
  /** Returns the number of known hosts. */
  hosts(): number;
  /** Returns the tasks of all hosts. */
  tasks(): readonly string[];
  /** Reports that the host has opened the session, and takes tasks. */
  ready(worker: Worker): void;
  /** Fails a worker that never got a host, because the kernel gives it up. */
  withoutHost(worker: Worker): void;
  /** Reports that the host did not open the session. */
  refused(host: KnownHost, reason: Refused): void;
  /** Reports that the host asks for a successor on another host. */
  leaving(host: KnownHost): void;
  /** Reports the end of a session, before the kernel learns of it. `sign` is defined if it was lost. */
  ended(worker: Worker, host: KnownHost | undefined, sign: NatsLossSign | undefined): void;
}

/** Reason why a host did not open a session. */
export type Refused = 'full' | 'leaving' | 'protocol' | 'v8' | 'silent' | 'no-responders';
