import { hostname } from 'node:os';
import {
  type Command,
  type Environment,
  FlagError,
  flag,
  integerFrom,
  readCommandLine,
  stated,
} from '@ticketing/cli-kit';
import { dispatchKind } from './dispatch-kinds.ts';
import { type Flags, flagSpecs } from './flag-specs.ts';
import { fleetName } from './flag-values.ts';
import { readFlags } from './read-flags.ts';

/** Settings of the host program: flags of the server, and its own. */
export interface HostFlags {
  readonly flags: Flags;
  readonly name: string;
  /** Port on which the host answers whether it is ready. */
  readonly port: number;
}

/** Flags that mean for a host what they mean for a server, and are passed on to it. */
const shared = {
  natsUrl: flagSpecs.natsUrl,
  fleet: flagSpecs.fleet,
  zone: flagSpecs.zone,
  dispatch: flagSpecs.dispatch,
  dispatchWorkers: flagSpecs.dispatchWorkers,
  keep: flagSpecs.keep,
  deadlineMs: flagSpecs.deadlineMs,
  carriers: flagSpecs.carriers,
  guard: flagSpecs.guard,
  rate: flagSpecs.rate,
  hedge: flagSpecs.hedge,
  carriersUrl: flagSpecs.carriersUrl,
  gtfsFile: flagSpecs.gtfsFile,
  ratesFile: flagSpecs.ratesFile,
  latency: flagSpecs.latency,
  worms: flagSpecs.worms,
  databaseUrl: flagSpecs.databaseUrl,
  otel: flagSpecs.otel,
  otelSample: flagSpecs.otelSample,
} as const;

const hostSpecs = {
  ...shared,
  name: flag<string | undefined>({
    name: 'name',
    about: 'Name of the host in the fleet and in metrics',
    value: fleetName,
    fallback: undefined,
    absent: 'the name of the machine',
    variable: 'HOST_NAME',
  }),
  port: flag({
    name: 'port',
    about: 'Port for /healthz, /readyz and /stats; 0 is any that is free',
    value: integerFrom(0, 65_535),
    fallback: 0,
  }),
};

const command: Command<typeof hostSpecs> = {
  run: 'pnpm --filter demo-server host',
  about:
    "Runs carriers' tasks for the servers of a fleet, and answers the questions whose keys it owns.",
  verb: 'start',
  flags: hostSpecs,
  hasVariables: true,
};

/**
 * Reads the command line and the environment of the host program, as `readFlags` does.
 *
 * @throws FlagError for an unknown flag, a bad value, or flags that exclude each other; HelpRequest for `--help`
 */
export function readHostFlags(argv: readonly string[], env: Environment): HostFlags {
  const { settings } = readCommandLine(command, argv, env);
  const { name, port, ...own } = stated(settings);
  if (own.natsUrl === undefined) {
    throw new FlagError('Cannot start: a host must have --nats-url, got none');
  }
  if (dispatchKind(own.dispatch).inFleet === true) {
    throw new FlagError(
      `Cannot start: a host runs tasks itself: ${settings.dispatch.from} must be another, got ${own.dispatch}`,
    );
  }
  // The rest, and the rules between flags, are the same as for the server.
  const { flags } = readFlags(['--coalesce', 'fleet', ...argvOf(argv)], env);
  return { flags, name: name ?? machineName(), port };
}

/** Returns a command line without the host's own flags. */
function argvOf(argv: readonly string[]): string[] {
  const isOwn = (text: string | undefined): boolean => /^--(?:name|port)(?:=|$)/.test(text ?? '');
  return argv.filter(
    (text, at) => !isOwn(text) && !(isOwn(argv[at - 1]) && !argv[at - 1]?.includes('=')),
  );
}

function machineName(): string {
  const name = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, '-')
    .slice(0, 24);
  return name === '' ? 'host' : name;
}
