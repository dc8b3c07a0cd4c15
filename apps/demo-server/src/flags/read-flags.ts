import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { DISPATCH_NAMES, dispatchKind } from '../search/dispatch.ts';
import {
  type FlagSpec,
  type Flags,
  flagSpecs,
  MAX_WORKERS,
  type Setting,
  type Settings,
  type Stated,
} from './flag-specs.ts';
import { FlagError, type Latency, trueFalse } from './flag-values.ts';

/** A row of the table that is printed at start. */
export interface FlagRow {
  readonly flag: string;
  readonly value: string;
  readonly from: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the command line and the environment; a flag beats its variable.
 *
 * @throws FlagError for an unknown flag, a bad value, or flags that exclude each other
 */
export function readFlags(
  argv: readonly string[],
  env: Environment,
): { flags: Flags; rows: readonly FlagRow[] } {
  const texts = parse(argv);
  const settings = Object.fromEntries(
    Object.entries(flagSpecs).map(([key, spec]) => [
      key,
      withAlso(settingOf(spec as FlagSpec<unknown>, texts, env), spec as FlagSpec<unknown>, env),
    ]),
  ) as Settings;
  refuseConflicts(settings);
  const stated = Object.fromEntries(
    Object.entries(settings).map(([key, { value }]) => [key, value]),
  ) as unknown as Stated;
  const flags: Flags = {
    ...stated,
    ...resolveCounts(settings),
    ouigo: {
      username: env['OUIGO_USERNAME'] ?? 'demo',
      password: env['OUIGO_PASSWORD'] ?? 'demo',
    },
  };
  const rows = Object.entries<FlagSpec<unknown>>(flagSpecs).map(
    ([key, { name, absent, hide }]) => ({
      flag: `--${name}`,
      value: showFlag(hidden(flags[key as keyof Stated], hide), absent),
      from: settings[key as keyof Stated].from,
    }),
  );
  return { flags, rows };
}

function parse(argv: readonly string[]): Environment {
  const options = Object.fromEntries(
    Object.values(flagSpecs).map(({ name }) => [name, { type: 'string' as const }]),
  );
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('. ');
    const fault = reason.charAt(0).toLowerCase() + reason.slice(1);
    throw new FlagError(`Cannot start: ${fault}; the README lists the flags`);
  }
}

function settingOf<T>(spec: FlagSpec<T>, texts: Environment, env: Environment): Setting<T> {
  const { name, fallback } = spec;
  const variable = name.toUpperCase().replaceAll('-', '_');
  for (const [from, text] of [
    [`--${name}`, texts[name]],
    [variable, env[variable]],
  ] as const) {
    if (text !== undefined) return { value: checked(from, text, spec), from };
  }
  return { value: fallback, from: 'default' };
}

/** Applies a variable whose `true` means a value, unless the flag itself is given. */
function withAlso<T>(setting: Setting<T>, { also }: FlagSpec<T>, env: Environment): Setting<T> {
  const text = also && env[also.variable];
  if (also === undefined || text === undefined) return setting;
  const isSet = checked(also.variable, text, { read: trueFalse });
  if (!isSet || setting.from.startsWith('--')) return setting;
  if (setting.from !== 'default' && showFlag(setting.value) !== showFlag(also.value)) {
    throw new FlagError(
      `Cannot start: only one of ${setting.from} and ${also.variable} may be set, got both`,
    );
  }
  return { value: also.value, from: also.variable };
}

function checked<T>(
  from: string,
  text: string,
  { read, hide = (shown) => shown }: Pick<FlagSpec<T>, 'read' | 'hide'>,
): T {
  try {
    return read(text);
  } catch (error) {
    const got = hide(text);
    throw new FlagError(`Cannot start: ${from} must be ${(error as Error).message}, got '${got}'`);
  }
}

function hidden(value: unknown, hide: FlagSpec<unknown>['hide']): unknown {
  return hide && typeof value === 'string' ? hide(value) : value;
}

/** @throws FlagError for flags that exclude each other, or that have no effect with the others */
function refuseConflicts(settings: Settings): void {
  const { accept, carriersUrl, databaseUrl, latency, routeBy, tlsCert, tlsKey, worms } = settings;
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

const withWorkers = DISPATCH_NAMES.filter((name) => dispatchKind(name).workers !== undefined);

/** Most processes and threads that one server may have for tasks. */
const MAX_IN_ALL = 256;

/**
 * Decides how many server processes there are, and how many workers each dispatches to.
 *
 * @throws FlagError for counts that the other flags leave no room for
 */
function resolveCounts(settings: Settings): Pick<Flags, 'workers' | 'dispatchWorkers'> {
  const { accept, workers: wantedWorkers, dispatch, dispatchWorkers: wanted } = settings;
  const cores = Math.min(availableParallelism(), MAX_WORKERS);
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
      `Cannot start: ${wanted.from} above 1 is for ${withWorkers.join(', ')}, got ${dispatch.value}`,
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

function orAuto(count: number | 'auto', auto: number): number {
  return count === 'auto' ? auto : count;
}

/** Formats a flag's value; `absent` is shown for none. */
function showFlag(value: unknown, absent = 'none'): string {
  if (value === undefined) return absent;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object') return showLatency(value as Latency);
  return String(value);
}

function showLatency(value: Latency): string {
  switch (value.kind) {
    case 'fixed':
      return `${value.ms} ms`;
    case 'random':
      return 'random, 0-999 ms';
    case 'lognormal':
      return `${value.p50Ms}:${value.p99Ms} ms (p50:p99)`;
  }
}
