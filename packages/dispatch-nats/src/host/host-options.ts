import { DispatchError, type Dispatcher, type TaskMap } from '@ticketing/dispatch';
import type { Clock } from '@ticketing/kit';
import type { LinkOptions } from '../link/nats-link.ts';

/** Resolved. */
export interface HostOptions {
  readonly nats: LinkOptions['nats'];
  readonly fleet: string;
  readonly dispatcher: Dispatcher<TaskMap>;
  readonly tasks: readonly string[];
  readonly hostId: string;
  readonly zone: string | undefined;
  readonly revision: string | undefined;
  readonly report: (() => unknown) | undefined;
  readonly capacity: number | undefined;
  readonly maxSessions: number;
  readonly maxMessageBytes: number;
  readonly json: boolean;
  readonly clock: Clock;
  readonly random: () => number;
  /** For the conformance suite: runs the modules that dispatchers name. */
  readonly acceptsModules: boolean;
}

const CAPACITY_OF_WORKER = 64;

/** Returns how many calls a host holds. */
export function capacityOf({ capacity, dispatcher }: HostOptions): number {
  return capacity ?? CAPACITY_OF_WORKER * Math.max(1, dispatcher.stats().workers.length);
}

export function closedError(name: string): DispatchError {
  return new DispatchError('ERR_CLOSED', `Host ${name} is closed`, {
    data: { name },
  });
}

/** The error of a host whose connection, which it was given, has been closed. */
export function withoutConnection(name: string, cause: unknown): DispatchError {
  return new DispatchError(
    'ERR_CLOSED',
    `Host ${name} cannot serve: the connection of \`nats\` is closed`,
    { data: { name }, ...(cause !== undefined && { cause }) },
  );
}

/** The error of a host that cannot announce itself. */
export function tooManyTasks(name: string, bytes: number, limit: number): DispatchError {
  return new DispatchError(
    'ERR_TOO_LARGE',
    `Host ${name} cannot announce itself: ${bytes} bytes exceed ${limit}; name fewer \`tasks\`, or raise \`max_payload\` of the server`,
    { data: { name, limit } },
  );
}

export function fullError(name: string, task: string, limit: number): DispatchError {
  return new DispatchError(
    'ERR_QUEUE_FULL',
    `Host ${name} cannot run \`${task}\`: \`capacity\` (${limit}) calls run`,
    { data: { name, task, limit } },
  );
}
