import { FlagError } from '@ticketing/cli-kit';
import { noTelemetry, type Telemetry, type TelemetrySettings } from './telemetry.ts';

/** The first Node version that the SDK of OpenTelemetry supports. */
const [MAJOR, MINOR] = [22, 15];

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
