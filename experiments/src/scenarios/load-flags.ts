import {
  anyText,
  FlagError,
  flag,
  integerFrom,
  oneOf,
  onOff,
  readCommandLine,
  stated,
  type ValueReader,
} from '@ticketing/cli-kit';

/** Scenarios with one rate. `overload` has its own flags: `overload-flags.ts`. */
const SCENARIOS = ['stress', 'load', 'soak'] as const;
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

const aPath: ValueReader<string> = {
  expected: 'a path',
  read: (text) => (text.startsWith('/') ? text : undefined),
};

/** A command line in one argument: words with blanks between them. */
const words: ValueReader<readonly string[]> = {
  expected: 'flags in one argument',
  read: (text) => text.split(/\s+/).filter((word) => word !== ''),
};

/** Flags of every scenario. */
export const scenarioFlags = {
  scenario: flag<ScenarioName | 'overload' | undefined>({
    name: 'scenario',
    about: 'What is measured; `--scenario overload --help` shows the flags of that one',
    value: oneOf([...SCENARIOS, 'overload']),
    fallback: undefined,
  }),
  demoFlags: flag<readonly string[]>({
    name: 'flags',
    about: 'Flags of the demo: --flags "--accept socket --workers 2"',
    value: words,
    fallback: [],
    takesDashes: true,
  }),
  out: flag<string | undefined>({
    name: 'out',
    about: 'Folder of the results',
    value: anyText,
    fallback: undefined,
    absent: 'a temporary one',
  }),
} as const;

const command = {
  run: 'pnpm load',
  about:
    'Loads the demo at a constant rate; stress as given, load 150 % for half the time, soak twice as long.',
  verb: 'load',
  flags: {
    ...scenarioFlags,
    rate: flag({
      name: 'rate',
      about: 'Requests per second',
      value: integerFrom(1, 100_000),
      fallback: 200,
    }),
    durationSeconds: flag({
      name: 'duration',
      about: 'Seconds',
      value: integerFrom(1, 86_400),
      fallback: 60,
    }),
    path: flag({
      name: 'path',
      about: 'Path of the requests',
      value: aPath,
      fallback: '/search?origin=Atocha&destination=Barcelona',
    }),
    plain: flag({
      name: 'plain',
      about: 'Writes a line per second, as where there is no terminal',
      value: onOff,
      bare: true,
      fallback: false,
    }),
  },
};

/**
 * Reads the command line of `pnpm load` but for scenario `overload`.
 *
 * @throws FlagError, HelpRequest
 */
export function loadFlags(argv: readonly string[]): LoadFlags {
  const { scenario, ...flags } = stated(readCommandLine(command, argv).settings);
  if (scenario === undefined || scenario === 'overload') {
    const { expected } = scenarioFlags.scenario.value;
    throw new FlagError(`Cannot load: --scenario must be given, ${expected}`);
  }
  return { scenario, ...flags };
}
