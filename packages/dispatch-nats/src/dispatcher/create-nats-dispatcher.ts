import type {
  Clock,
  PoolOptions,
  ReloadOptions,
  TaskMap,
  TaskSource,
  TasksOf,
} from '@ticketing/dispatch';
import { createPool, resolvePoolOptions, splitPoolOptions } from '@ticketing/dispatch/transport';
import {
  anObject,
  type Rules,
  required,
  resolveByRules,
  texts,
  unknownOption,
  wholeBetween,
} from '@ticketing/kit';
import type { NatsDispatcher, NatsDispatcherOptions } from '../contract/dispatcher.ts';
import { aFleet, aLabel, messageBytes } from '../fleet/option-rules.ts';
import type { TransportOptions } from './fleet-sessions.ts';
import { createNatsTransport } from './nats-transport.ts';

const ACTION = 'create NATS dispatcher';

const rules = {
  nats: required({ ...anObject, expected: 'a connection to NATS or the options of one' }),
  fleet: required(aFleet),
  tasks: { ...texts, fallback: [] },
  hosts: { ...anObject, fallback: {} },
  beatMs: wholeBetween(20, 60_000, 250),
  missedBeats: wholeBetween(1, 100, 3),
  maxMessageBytes: messageBytes,
} satisfies Rules;

const hostRules = { max: wholeBetween(1, 256, 16), zone: aLabel } satisfies Rules;

/** Options of every pool that do not apply to hosts, which start and end by themselves. */
const OTHERS = ['min', 'max', 'stopGraceMs', 'healthMs', 'idleTimeoutMs', 'recycle'];

/** Short delays, because hosts come back within a second and a probe is cheap. */
const RESTART = { backoffMs: [100, 1000] } as const;
const START_TIMEOUT_MS = 5000;

/**
 * Creates a dispatcher whose tasks run on the hosts of a fleet, which `serveNatsTasks` announces over NATS. The dispatcher
 * connects by itself, follows hosts as they come and go, and gives each call to the host that is likely to answer first. The
 * caller must call `close()`.
 *
 * @throws TypeError or RangeError for options
 * @example
 * const nats = { servers: 'nats://localhost:4222' };
 * const fleet = createNatsDispatcher<typeof import('./tasks.js')>({ nats, fleet: 'search' });
 * const offers = await fleet.run('search', { from: 'A', to: 'B' }, { timeoutMs: 2000 });
 */
export function createNatsDispatcher<M extends TaskMap>(
  options: NatsDispatcherOptions,
): NatsDispatcher<M>;
export function createNatsDispatcher<S extends TaskSource>(
  options: NatsDispatcherOptions,
): NatsDispatcher<TasksOf<S>>;
export function createNatsDispatcher(options: NatsDispatcherOptions): NatsDispatcher<TaskMap> {
  const unknown = OTHERS.find((name) => Object.hasOwn(Object(options), name));
  if (Object.hasOwn(Object(options), 'workerData')) {
    throw new TypeError(
      `Cannot ${ACTION}: \`workerData\` does not apply, because hosts start their workers; give it to the dispatcher of \`serveNatsTasks\``,
    );
  }
  if (unknown !== undefined) {
    throw unknownOption(ACTION, unknown, [...Object.keys(rules), 'window', 'maxQueue']);
  }
  return createDispatcherOver(options);
}

/**
 * Creates a dispatcher like {@link createNatsDispatcher}, for the conformance suite: with every option of a pool, a module for
 * hosts that accept one, a number of workers that does not follow the hosts, and a clock for the transport.
 */
export function createDispatcherOver<M extends TaskMap>(
  options: NatsDispatcherOptions & PoolOptions,
  suite?: { readonly module?: URL; readonly clock: Clock },
): NatsDispatcher<M> {
  const { pool, own } = splitPoolOptions(ACTION, options, rules);
  const resolved = resolveByRules<Omit<TransportOptions, 'hosts'>>(ACTION, own, rules);
  const hosts = resolveByRules<TransportOptions['hosts']>(
    ACTION,
    (own as NatsDispatcherOptions).hosts ?? {},
    hostRules,
    'hosts',
  );
  const settings: PoolOptions = {
    ...pool,
    restart: { ...RESTART, ...pool.restart },
    startTimeoutMs: pool.startTimeoutMs ?? START_TIMEOUT_MS,
    idleTimeoutMs: pool.idleTimeoutMs ?? Number.POSITIVE_INFINITY,
    max: pool.max ?? 1,
  };
  const { name, window, clock, random } = resolvePoolOptions(ACTION, 'nats', settings);
  const transport = createNatsTransport({
    ...resolved,
    hosts,
    name,
    window,
    clock: suite?.clock ?? clock,
    random,
    ...(suite?.module && { module: suite.module.href }),
  });
  const { sessions } = transport;
  const created = createPool<M>(transport, settings);
  if (suite === undefined) sessions.attach(created);
  const { dispatcher } = created;
  const reload = dispatcher.reload.bind(dispatcher);
  return Object.assign(dispatcher, {
    reload(how: ReloadOptions = {}): Promise<void> {
      if (suite !== undefined || Object(how).module === undefined) return reload(how);
      return Promise.reject(
        new TypeError(
          'Cannot reload: option `module` does not apply, because hosts have code of their own; call `reload` of their dispatchers',
        ),
      );
    },
    fleet: () => sessions.stats(),
    ownerOf: (key: string) => sessions.fleet.ownerOf(key),
  });
}
