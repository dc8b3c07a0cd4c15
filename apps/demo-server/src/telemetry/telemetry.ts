import { FlagError } from '@ticketing/cli-kit';
import type { FastifyInstance } from 'fastify';
import type { Flags } from '../flags/flag-specs.ts';

/** Where the spans and measurements of a process go, and what they call it. */
export interface TelemetrySettings {
  /** Base URL of a collector that takes OTLP over HTTP. */
  readonly url: string;
  /** Share of the traces that begin here, 0 to 1; one that a client began follows the client. */
  readonly sample: number;
  /** The process, as `/stats` names it: `primary`, `server-0`, `server-0/task-1`. */
  readonly instance: string;
}

/** The telemetry of one process or thread. */
export interface Telemetry {
  /** `undefined` if there is none. */
  readonly settings: TelemetrySettings | undefined;
  /** Makes a span of each request to a server whose routes are added after this call. */
  watch(app: FastifyInstance): void;
  /** Sends what is left, for a second at most. Idempotent. */
  close(): Promise<void>;
}

/** That of a process without it. */
export const noTelemetry: Telemetry = {
  settings: undefined,
  watch: () => {},
  close: async () => {},
};

const VARIABLE = 'DEMO_TELEMETRY';
/** The SDK's. */
const [MAJOR, MINOR] = [22, 15];

/** Returns what the flags ask for in a process; `undefined` without telemetry. */
export function telemetryOf(
  { otel: url, otelSample: sample }: Pick<Flags, 'otel' | 'otelSample'>,
  instance: string,
): TelemetrySettings | undefined {
  return url === undefined ? undefined : { url, sample, instance };
}

/** Returns the environment variable by which the workers of a process have telemetry too. */
export function telemetryEnvironment({ settings }: Telemetry): Readonly<Record<string, string>> {
  return settings === undefined ? {} : { [VARIABLE]: JSON.stringify(settings) };
}

/** Reads what a worker was started with. Its own name follows from its slot. */
export function workersTelemetry(slot: number): TelemetrySettings | undefined {
  const text = process.env[VARIABLE];
  if (text === undefined) return undefined;
  const settings = JSON.parse(text) as TelemetrySettings;
  return { ...settings, instance: `${settings.instance}/task-${slot}` };
}

/**
 * Starts telemetry in this process or thread. Without settings nothing is loaded.
 *
 * @throws FlagError on a Node that the SDK does not support
 */
export async function startTelemetry(
  settings: TelemetrySettings | undefined,
  log: (line: string) => void = (line) => console.error(line),
): Promise<Telemetry> {
  if (settings === undefined) return noTelemetry;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < MAJOR || (major === MAJOR && minor < MINOR)) {
    throw new FlagError(
      `Cannot start: --otel is for Node ${MAJOR}.${MINOR} or later, got ${process.version}`,
    );
  }
  const { openTelemetry } = await import('./open-telemetry.ts');
  return openTelemetry(settings, log);
}
