import {
  anyText,
  FlagError,
  flag,
  integerFrom,
  onOff,
  readCommandLine,
  stated,
} from '@ticketing/cli-kit';

/** The command line of `pnpm growth`. */
export interface GrowthFlags {
  /** Part of the names of subjects; `undefined`: all. */
  readonly only: string | undefined;
  readonly rounds: number;
  readonly sliceMs: number;
  readonly mostMs: number;
  readonly publish: boolean;
}

const command = {
  run: 'pnpm growth',
  about: 'Measures how cost grows as work grows; fails if something grows faster than n log n.',
  verb: 'measure growth',
  flags: {
    only: flag<string | undefined>({
      name: 'only',
      about: 'Part of the names of the subjects to measure',
      value: anyText,
      fallback: undefined,
      absent: 'all',
    }),
    rounds: flag({
      name: 'rounds',
      about: 'Rounds, each of which measures every contender once',
      value: integerFrom(1, 1000),
      fallback: 5,
    }),
    sliceMs: flag({
      name: 'slice-ms',
      about: 'Milliseconds of a measurement, at least',
      value: integerFrom(1, 60_000),
      fallback: 100,
    }),
    mostMs: flag({
      name: 'most-ms',
      about: 'Milliseconds of a piece of work above which larger ones are left out',
      value: integerFrom(1, 600_000),
      fallback: 4000,
    }),
    publish: flag({
      name: 'publish',
      about: 'Writes the results into docs/measurements',
      value: onOff,
      bare: true,
      fallback: false,
    }),
  },
};

/** Reads the command line. @throws FlagError, HelpRequest */
export function growthFlags(argv: readonly string[]): GrowthFlags {
  const flags: GrowthFlags = stated(readCommandLine(command, argv).settings);
  if (flags.publish && flags.only !== undefined) {
    throw new FlagError(
      'Cannot measure growth: --publish writes all subjects, use it without --only',
    );
  }
  return flags;
}
