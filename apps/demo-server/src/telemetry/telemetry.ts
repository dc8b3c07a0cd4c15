import type { FastifyInstance } from 'fastify';

/** Destination of the spans and measurements of a process, and its name in them. */
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

/** Telemetry of a process without a collector. */
export const noTelemetry: Telemetry = {
  settings: undefined,
  watch: () => {},
  close: async () => {},
};

const VARIABLE = 'DEMO_TELEMETRY';
/** Returns what the flags ask for in a process; `undefined` without telemetry. */
export function telemetryOf(
  {
    otel: url,
    otelSample: sample,
  }: { readonly otel: string | undefined; readonly otelSample: number },
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
