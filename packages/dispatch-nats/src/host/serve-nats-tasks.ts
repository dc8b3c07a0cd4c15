import type { TaskMap } from '@ticketing/dispatch';
import {
  aFunction,
  anObject,
  type Rule,
  type Rules,
  required,
  resolveByRules,
  systemClock,
  texts,
  wholeBetween,
  withMethods,
} from '@ticketing/kit';
import type { NatsHost, ServeNatsTasksOptions } from '../contract/host.ts';
import { aFleet, aLabel, messageBytes } from '../fleet/option-rules.ts';
import { machineName } from '../fleet/subjects.ts';
import type { HostOptions } from './host-options.ts';
import { NatsTaskHost } from './nats-task-host.ts';

const ACTION = 'serve NATS tasks';

const names: Rule = {
  expected: 'a list of one or more texts',
  test: (value) => texts.test(value) && (value as readonly string[]).length > 0,
};

const rules = {
  nats: required({ ...anObject, expected: 'a connection to NATS or the options of one' }),
  fleet: required(aFleet),
  dispatcher: required({ ...withMethods('run', 'stats'), expected: 'a dispatcher' }),
  tasks: required(names),
  hostId: aFleet,
  zone: aLabel,
  revision: aLabel,
  capacity: wholeBetween(1, 2 ** 20),
  maxSessions: wholeBetween(1, 65_536, 256),
  maxMessageBytes: messageBytes,
  report: aFunction,
  json: { ...aFunction, expected: '`serveJson` of @ticketing/dispatch-nats/json' },
  clock: { ...withMethods('now', 'setTimeout', 'clearTimeout'), fallback: systemClock },
  random: { ...aFunction, fallback: Math.random },
} satisfies Rules;

/**
 * Starts a host, which announces itself to the dispatchers of a fleet, and runs their calls in `dispatcher`. The host connects by
 * itself, and serves again when NATS is back. The caller must call `close()`; or `drain()`, which closes the host too, if no call
 * may fail.
 *
 * @throws TypeError or RangeError for options
 * @example
 * const pool = createForkDispatcher<Tasks>(new URL('./tasks.js', import.meta.url));
 * const host = serveNatsTasks({ nats: { servers: 'nats://localhost:4222' }, fleet: 'search', dispatcher: pool, tasks: ['search'] });
 */
export function serveNatsTasks<M extends TaskMap>(options: ServeNatsTasksOptions<M>): NatsHost {
  return startHost(options, false);
}

/** Starts a host like {@link serveNatsTasks}; with `acceptsModules` it runs modules that dispatchers name, for the conformance suite. */
export function startHost<M extends TaskMap>(
  options: ServeNatsTasksOptions<M>,
  acceptsModules: boolean,
): NatsHost {
  const resolved = resolveByRules<HostOptions>(ACTION, options, rules);
  return new NatsTaskHost({
    ...resolved,
    hostId: resolved.hostId ?? machineName(),
    acceptsModules,
  });
}
