import { DispatchError, type Dispatcher, type TaskMap } from '@ticketing/dispatch';
import type { Clock } from '@ticketing/kit';
import type { ServeNatsJson } from '../contract/json-endpoint.ts';
import type { LinkOptions } from '../link/nats-link.ts';

/** Options of a host, resolved. */
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
  readonly json: ServeNatsJson | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  /** Runs the modules that dispatchers name, for the conformance suite. */
  readonly acceptsModules: boolean;
}

const CAPACITY_OF_WORKER = 64;

/** Returns the number of calls that a host holds. */
export function capacityOf({ capacity, dispatcher }: HostOptions): number {
  return capacity ?? CAPACITY_OF_WORKER * Math.max(1, dispatcher.stats().workers.length);
}

/** Returns the error of a host that was closed. */
export function closedError(name: string): DispatchError {
  return new DispatchError('ERR_CLOSED', `Host ${name} is closed`, {
    data: { name },
  });
}

/** Returns the error of a host whose user has closed the connection that it passed as `nats`. */
export function withoutConnection(name: string, cause: unknown): DispatchError {
  return new DispatchError(
    'ERR_CLOSED',
    `Host ${name} cannot serve: the connection of \`nats\` is closed; create a host with another one, or pass the options of one`,
    { data: { name }, ...(cause !== undefined && { cause }) },
  );
}

/** Returns the error of a host whose announcement is too large. */
export function tooManyTasks(name: string, bytes: number, limit: number): DispatchError {
  return new DispatchError(
    'ERR_TOO_LARGE',
    `Host ${name} cannot announce itself: ${bytes} bytes exceed ${limit}; name fewer \`tasks\`, or raise \`max_payload\` of the server`,
    { data: { name, limit } },
  );
}

/** Returns the error of a JSON request above the capacity of its host. */
export function fullError(name: string, task: string, limit: number): DispatchError {
  return new DispatchError(
    'ERR_QUEUE_FULL',
    `Host ${name} cannot run \`${task}\`: \`capacity\` (${limit}) calls run; try again, or start further hosts`,
    { data: { name, task, limit } },
  );
}
