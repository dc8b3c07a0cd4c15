import { parseArgs } from 'node:util';
import { UsageError } from '../experiment-flags.ts';

/** Scenarios with one rate. `overload` has its own flags: `overload-flags.ts`. */
export const SCENARIOS = ['stress', 'load', 'soak'] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

/** The command line of `pnpm load`. */
export interface LoadFlags {
  readonly scenario: ScenarioName;
  /** Requests per second and duration of scenario `stress`. */
  readonly rate: number;
  readonly durationSeconds: number;
  /** Flags of the demo. */
  readonly demoFlags: readonly string[];
  /** Path of the requests. */
  readonly path: string;
  /** Folder of the CSV and the chart; without it a temporary one. */
  readonly out: string | undefined;
  /** A line per second, also on a terminal. */
  readonly plain: boolean;
}

const DEFAULT_PATH = '/search?origin=Madrid&destination=Barcelona';

/**
 * Reads `--scenario stress|load|soak --rate 200 --duration 60 --flags "…" --path /… --out folder --plain`.
 *
 * @throws UsageError for anything else
 */
export function loadFlags(argv: readonly string[]): LoadFlags {
  const given = parsed(argv);
  const scenario = SCENARIOS.find((name) => name === given.scenario);
  if (scenario === undefined) {
    throw new UsageError(
      `Cannot load: --scenario must be one of ${SCENARIOS.join(', ')}, overload, got '${given.scenario ?? ''}'`,
    );
  }
  if (!given.path.startsWith('/')) {
    throw new UsageError(`Cannot load: --path must be a path, got '${given.path}'`);
  }
  return {
    scenario,
    rate: positive('--rate', given.rate, 100_000),
    durationSeconds: positive('--duration', given.duration, 86_400),
    demoFlags: given.flags.split(/\s+/).filter((flag) => flag !== ''),
    path: given.path,
    out: given.out,
    plain: given.plain,
  };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: withFlagsJoined(argv.filter((each) => each !== '--')),
      allowPositionals: false,
      options: {
        scenario: { type: 'string' },
        rate: { type: 'string', default: '200' },
        duration: { type: 'string', default: '60' },
        flags: { type: 'string', default: '' },
        path: { type: 'string', default: DEFAULT_PATH },
        out: { type: 'string' },
        plain: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    const [reason] = (error as Error).message.split('. ');
    throw new UsageError(`Cannot load: flags of the README expected. ${reason}`);
  }
}

/** The value of `--flags` begins with a dash, which the parser would read as another flag. */
export function withFlagsJoined(argv: readonly string[]): string[] {
  const place = argv.indexOf('--flags');
  const value = argv[place + 1];
  if (place < 0 || value === undefined) return [...argv];
  return [...argv.slice(0, place), `--flags=${value}`, ...argv.slice(place + 2)];
}

export function positive(name: string, text: string, most: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1 && value <= most) return value;
  throw new UsageError(`Cannot load: ${name} must be an integer from 1 to ${most}, got '${text}'`);
}
