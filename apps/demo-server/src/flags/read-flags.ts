import {
  type Command,
  type Environment,
  FlagError,
  type FlagSpec,
  hiddenValue,
  readCommandLine,
  shownValue,
  stated,
} from '@ticketing/cli-kit';
import { usableCores } from '@ticketing/kit';
import { DISPATCHES_WITH_WORKERS, dispatchKind } from './dispatch-kinds.ts';
import {
  type Flags,
  flagSpecs,
  MAX_WORKERS,
  type Operator,
  type Settings,
  type Stated,
} from './flag-specs.ts';
import { isLoopback } from './flag-values.ts';

/** A row of the table that is printed at start. */
export interface FlagRow {
  readonly flag: string;
  readonly value: string;
  readonly from: string;
}

const command: Command<typeof flagSpecs> = {
  run: 'npm run demo --',
  about: 'Serves searches over the carriers, and pages to look at them.',
  verb: 'start',
  flags: flagSpecs,
  hasVariables: true,
};

/**
 * Reads the command line and the environment; a flag beats its variable.
 *
 * @throws FlagError for an unknown flag, a bad value, or flags that exclude each other; HelpRequest for `--help`
 */
export function readFlags(
  argv: readonly string[],
  env: Environment,
): { flags: Flags; rows: readonly FlagRow[] } {
  const { settings } = readCommandLine(command, argv, env);
  refuseConflicts(settings);
  const flags: Flags = {
    ...stated(settings),
    ...resolveCounts(settings),
    operator: operatorOf(settings),
    ouigo: {
      username: env['OUIGO_USERNAME'] ?? 'demo',
      password: env['OUIGO_PASSWORD'] ?? 'demo',
    },
  };
  const rows = Object.entries<FlagSpec<unknown>>(flagSpecs).map(([key, spec]) => ({
    flag: `--${spec.name}`,
    value: shownValue(spec, flags[key as keyof Stated]),
    from: settings[key as keyof Stated].from,
  }));
  return { flags, rows };
}

type Shown = Omit<Flags, 'ouigo' | 'pageKey'>;
type Unset = { [K in keyof Shown]: undefined extends Shown[K] ? K : never }[keyof Shown];

/** Returns the flags that are set as others may see them: URLs without their secrets, and no secret alone. */
export function shownFlags(
  flags: Flags,
): Omit<Shown, Unset> & { readonly [K in Unset]?: NonNullable<Shown[K]> } {
  const { ouigo: _, pageKey: __, ...shown } = flags;
  const values = Object.entries(shown)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      const spec: FlagSpec<unknown> = flagSpecs[key as keyof Shown];
      return [key, hiddenValue(spec, value)];
    });
  return Object.fromEntries(values);
}

/** @throws FlagError for flags that exclude each other, or that have no effect with the others */
function refuseConflicts(settings: Settings): void {
  const { accept, carriersUrl, databaseUrl, latency, otel, otelSample } = settings;
  const { guard, hedge, rate, routeBy, tlsCert, tlsKey, worms } = settings;
  refuseFleetConflicts(settings);
  if (worms.value === 0 && databaseUrl.value !== undefined) {
    throw new FlagError(
      `Cannot start: ${worms.from} 0 means no store, got ${databaseUrl.from} too`,
    );
  }
  if (carriersUrl.value !== undefined && latency.from !== 'default') {
    throw new FlagError(
      `Cannot start: ${latency.from} is for the embedded simulator, got ${carriersUrl.from} too`,
    );
  }
  if (otel.value === undefined && otelSample.from !== 'default') {
    throw new FlagError(`Cannot start: ${otelSample.from} is for --otel, which is not set`);
  }
  const ofGuard = [rate, hedge].find(({ from }) => from !== 'default');
  if (!guard.value && ofGuard !== undefined) {
    throw new FlagError(`Cannot start: ${ofGuard.from} is for --guard on, got off`);
  }
  const hasRouter = accept.value === 'socket' || accept.value === 'passthru';
  if (!hasRouter && routeBy.from !== 'default') {
    throw new FlagError(
      `Cannot start: ${routeBy.from} is for --accept socket and passthru, got ${accept.value}`,
    );
  }
  const [tls, missing] =
    tlsCert.value === undefined ? [tlsKey, '--tls-cert'] : [tlsCert, '--tls-key'];
  if ((tlsCert.value === undefined) !== (tlsKey.value === undefined)) {
    throw new FlagError(`Cannot start: ${missing} must be set too, got ${tls.from} alone`);
  }
  if (tls.value !== undefined && accept.value === 'passthru') {
    throw new FlagError(
      `Cannot start: ${tls.from} is for --accept single, cluster and socket, got passthru`,
    );
  }
}

/** @throws FlagError for flags of fleets that have no effect with the others */
function refuseFleetConflicts(settings: Settings): void {
  const { coalesce, dispatch, fallback, fleet, natsUrl, redisUrl, redisTimeoutMs, zone } = settings;
  const isFar = dispatchKind(dispatch.value).inFleet === true;
  if (coalesce.value === 'fleet' && !isFar && natsUrl.value === undefined) {
    throw new FlagError(
      `Cannot start: ${coalesce.from} fleet must have --dispatch nats or --nats-url, got neither`,
    );
  }
  if (coalesce.value === 'shared' && redisUrl.value === undefined) {
    throw new FlagError(`Cannot start: ${coalesce.from} shared must have --redis-url, got none`);
  }
  // REDIS_URL, like NATS_URL, may be set for other programs.
  const ofRedis = [redisUrl, redisTimeoutMs].find(({ from }) => from.startsWith('--'));
  if (coalesce.value !== 'shared' && ofRedis !== undefined) {
    throw new FlagError(
      `Cannot start: ${ofRedis.from} is for --coalesce shared, got ${coalesce.value}`,
    );
  }
  const unused = [natsUrl, fleet, zone].find(({ from }) => from.startsWith('--'));
  if (unused !== undefined && !isFar && coalesce.value !== 'fleet') {
    throw new FlagError(
      `Cannot start: ${unused.from} is for --dispatch nats and --coalesce fleet, got neither`,
    );
  }
  if (fallback.from !== 'default' && !isFar) {
    throw new FlagError(
      `Cannot start: ${fallback.from} is for --dispatch nats, got ${dispatch.value}`,
    );
  }
}

/** Most processes and threads that one server may have for tasks. */
const MAX_IN_ALL = 256;

/**
 * Decides how many server processes there are, and how many workers each dispatches to.
 *
 * @throws FlagError for counts that the other flags leave no room for
 */
function resolveCounts(settings: Settings): Pick<Flags, 'workers' | 'dispatchWorkers'> {
  const { accept, workers: wantedWorkers, dispatch, dispatchWorkers: wanted } = settings;
  const cores = Math.min(usableCores(), MAX_WORKERS);
  const isSingle = accept.value === 'single';
  const workers = orAuto(wantedWorkers.value, isSingle ? 1 : cores);
  if (isSingle && workers > 1) {
    throw new FlagError(
      `Cannot start: ${wantedWorkers.from} above 1 is for --accept cluster, passthru and socket, got single`,
    );
  }
  const { workers: ownWorkers, inServers } = dispatchKind(dispatch.value);
  if (!isSingle && inServers) {
    if (wanted.value === 'auto') return { workers, dispatchWorkers: workers };
    throw new FlagError(
      `Cannot start: ${wanted.from} is for workers that run tasks only, got --accept ${accept.value} with --dispatch ${dispatch.value}, which runs tasks in the server processes`,
    );
  }
  if (ownWorkers === undefined) {
    if (wanted.value === 'auto' || wanted.value === 1) return { workers, dispatchWorkers: 1 };
    throw new FlagError(
      `Cannot start: ${wanted.from} above 1 is for ${DISPATCHES_WITH_WORKERS.join(', ')}, got ${dispatch.value}`,
    );
  }
  const dispatchWorkers = orAuto(wanted.value, Math.max(1, Math.floor(cores / workers)));
  if (workers * dispatchWorkers > MAX_IN_ALL) {
    throw new FlagError(
      `Cannot start: --workers x --dispatch-workers must be ${MAX_IN_ALL} at most, got ${workers} x ${dispatchWorkers}`,
    );
  }
  return { workers, dispatchWorkers };
}

/** Controls are for this machine, unless they are asked for. */
function operatorOf({ operator, host }: Settings): Operator {
  if (operator.value !== 'auto') return operator.value;
  return isLoopback(host.value) ? 'on' : 'read';
}

function orAuto(count: number | 'auto', auto: number): number {
  return count === 'auto' ? auto : count;
}
