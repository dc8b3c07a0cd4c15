import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import {
  anyText,
  autoOr,
  carrierList,
  FlagError,
  httpUrl,
  integerFrom,
  type Latency,
  latency,
  oneOf,
  onOff,
  trueFalse,
} from './flag-values.ts';

/** Every setting of the server, checked. */
export interface Flags {
  readonly port: number;
  readonly host: string;
  readonly deadlineMs: number;
  readonly carriers: readonly CarrierName[];
  /** Base URL of an upstream; `undefined` = the embedded simulator. */
  readonly carriersUrl: string | undefined;
  readonly latency: Latency;
  /** Whether equal searches in flight are one. */
  readonly coalesce: boolean;
  /** Where carriers' work runs. */
  readonly dispatch: DispatchName;
  /** Workers of the dispatcher; in-process has one. */
  readonly dispatchWorkers: number;
  /** What the dispatcher runs: a carrier's whole work, or the making of journeys from its bytes. */
  readonly offload: (typeof OFFLOADS)[number];
  readonly logRequests: boolean;
  readonly ouigo: { readonly username: string; readonly password: string };
}

/** Carriers that the server can ask. */
const CARRIER_NAMES = ['renfe', 'ouigo', 'avlo'] as const;
export type CarrierName = (typeof CARRIER_NAMES)[number];

/** Dispatchers by name. */
const DISPATCH_NAMES = ['in-process', 'fork', 'piscina'] as const;
export type DispatchName = (typeof DISPATCH_NAMES)[number];

const OFFLOADS = ['whole', 'normalise'] as const;
const MAX_DISPATCH_WORKERS = 64;

/** One row of the table that is printed at start. */
export interface FlagRow {
  readonly flag: string;
  readonly value: string;
  readonly from: string;
}

interface Setting<T> {
  readonly name: string;
  readonly value: T;
  readonly from: string;
}

const options = {
  port: { type: 'string' },
  host: { type: 'string' },
  'deadline-ms': { type: 'string' },
  carriers: { type: 'string' },
  'carriers-url': { type: 'string' },
  coalesce: { type: 'string' },
  dispatch: { type: 'string' },
  'dispatch-workers': { type: 'string' },
  offload: { type: 'string' },
  latency: { type: 'string' },
  'log-requests': { type: 'string' },
} as const;

/**
 * Reads the command line and the environment; a flag beats its variable.
 *
 * @throws FlagError for an unknown flag, a bad value, or flags that exclude each other
 */
export function readFlags(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): { flags: Flags; rows: readonly FlagRow[] } {
  const given = parse(argv);
  function setting<T>(
    name: keyof typeof options,
    read: (text: string) => T,
    fallback: T,
  ): Setting<T> {
    const variable = name.toUpperCase().replaceAll('-', '_');
    for (const [from, text] of [
      [`--${name}`, given[name]],
      [variable, env[variable]],
    ] as const) {
      if (text !== undefined) return { name, value: checked(from, text, read), from };
    }
    return { name, value: fallback, from: 'default' };
  }

  const port = setting('port', integerFrom(0, 65_535), 3000);
  const host = setting('host', anyText, '127.0.0.1');
  const deadlineMs = setting('deadline-ms', integerFrom(1, 600_000), 2000);
  const carriers = setting<readonly CarrierName[]>(
    'carriers',
    carrierList(CARRIER_NAMES),
    CARRIER_NAMES,
  );
  const carriersUrl = setting<string | undefined>('carriers-url', httpUrl, undefined);
  const delay = withRandomDelay(
    setting<Latency>('latency', latency, { kind: 'fixed', ms: 50 }),
    env,
  );
  const coalesce = setting('coalesce', onOff, true);
  const dispatch = withChildProcesses(
    setting<DispatchName>('dispatch', oneOf(DISPATCH_NAMES), 'in-process'),
    env,
  );
  const cores = Math.min(availableParallelism(), MAX_DISPATCH_WORKERS);
  const auto = dispatch.value === 'in-process' ? 1 : cores;
  const readWorkers = autoOr(integerFrom(1, MAX_DISPATCH_WORKERS), auto);
  const dispatchWorkers = setting('dispatch-workers', readWorkers, auto);
  const offload = setting<Flags['offload']>('offload', oneOf(OFFLOADS), 'whole');
  const logRequests = setting('log-requests', onOff, false);
  if (carriersUrl.value !== undefined && delay.from !== 'default') {
    throw new FlagError(
      `Cannot start: ${delay.from} is for the embedded simulator, got ${carriersUrl.from} too`,
    );
  }

  if (dispatch.value === 'in-process' && dispatchWorkers.value > 1) {
    throw new FlagError(
      `Cannot start: ${dispatchWorkers.from} above 1 is for fork and piscina, got in-process`,
    );
  }

  const settings = [
    port,
    host,
    deadlineMs,
    coalesce,
    dispatch,
    dispatchWorkers,
    offload,
    carriers,
    carriersUrl,
    delay,
    logRequests,
  ];
  return {
    flags: {
      port: port.value,
      host: host.value,
      deadlineMs: deadlineMs.value,
      carriers: carriers.value,
      carriersUrl: carriersUrl.value,
      latency: delay.value,
      coalesce: coalesce.value,
      dispatch: dispatch.value,
      dispatchWorkers: dispatchWorkers.value,
      offload: offload.value,
      logRequests: logRequests.value,
      ouigo: {
        username: env['OUIGO_USERNAME'] ?? 'demo',
        password: env['OUIGO_PASSWORD'] ?? 'demo',
      },
    },
    rows: settings.map(({ name, value, from }) => ({
      flag: `--${name}`,
      value: show(value),
      from,
    })),
  };
}

function parse(argv: readonly string[]): Readonly<Record<string, string | undefined>> {
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const [reason] = (error as Error).message.split('. ');
    throw new FlagError(`Cannot start: flags of the README expected. ${reason}`);
  }
}

function checked<T>(from: string, text: string, read: (text: string) => T): T {
  try {
    return read(text);
  } catch (error) {
    throw new FlagError(`Cannot start: ${from} must be ${(error as Error).message}, got '${text}'`);
  }
}

/** `USE_CHILD_PROCESSES=true` is another way to say `DISPATCH=fork`. */
function withChildProcesses(
  dispatch: Setting<DispatchName>,
  env: Readonly<Record<string, string | undefined>>,
): Setting<DispatchName> {
  const from = 'USE_CHILD_PROCESSES';
  const text = env[from];
  const isAsked = text !== undefined && checked(from, text, trueFalse);
  if (!isAsked || dispatch.from === '--dispatch') return dispatch;
  if (dispatch.from === 'DISPATCH' && dispatch.value !== 'fork') {
    throw new FlagError(`Cannot start: DISPATCH or ${from} expected, got both`);
  }
  return { ...dispatch, value: 'fork', from };
}

/** `USE_RANDOM_DELAY=true` is another way to say `LATENCY=random`. */
function withRandomDelay(
  delay: Setting<Latency>,
  env: Readonly<Record<string, string | undefined>>,
): Setting<Latency> {
  const from = 'USE_RANDOM_DELAY';
  const text = env[from];
  const random = text !== undefined && checked(from, text, trueFalse);
  if (!random || delay.from === '--latency') return delay;
  if (delay.from === 'LATENCY' && delay.value.kind !== 'random') {
    throw new FlagError(`Cannot start: LATENCY or ${from} expected, got both`);
  }
  return { ...delay, value: { kind: 'random' }, from };
}

function show(value: unknown): string {
  if (value === undefined) return 'embedded simulator';
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
