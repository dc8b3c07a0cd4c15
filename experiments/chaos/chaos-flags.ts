import { anyText, flag, integerFrom, onOff, readCommandLine, stated } from '@ticketing/cli-kit';
import { aboveZero, NAMES, someSeeds, someSetups, words } from './flag-values.ts';

/** The command line of `pnpm chaos`. */
export interface ChaosFlags {
  /** Names of set-ups. */
  readonly setups: readonly string[];
  readonly seeds: readonly number[];
  /** Minutes with faults, of each set-up. */
  readonly minutes: number;
  /** Set-ups that run at a time. */
  readonly parallel: number;
  readonly perSecond: number;
  /** Flags of the demo, after the flags of the set-up. */
  readonly demoFlags: readonly string[];
  /** Folder for all events of each run, and what the demo has written. */
  readonly log: string | undefined;
  /** Writes `results.json` and the tables of the study. */
  readonly publish: boolean;
}

const command = {
  run: 'pnpm chaos',
  about:
    'Runs the built demo under a steady load and faults that a seed decides, and checks its promises all the time.',
  verb: 'run chaos',
  flags: {
    setups: flag<readonly string[]>({
      name: 'setup',
      about: 'Set-ups to run',
      value: someSetups,
      fallback: NAMES,
    }),
    seeds: flag<readonly number[]>({
      name: 'seed',
      about: 'Decides faults and load; with commas for a run of each',
      value: someSeeds,
      fallback: [1],
    }),
    minutes: flag({
      name: 'minutes',
      about: 'Minutes with faults, of each set-up',
      value: aboveZero,
      fallback: 10,
    }),
    parallel: flag({
      name: 'parallel',
      about: 'Set-ups that run at a time',
      value: integerFrom(1, 12),
      fallback: 1,
    }),
    perSecond: flag({
      name: 'rate',
      about: 'Requests per second, of each set-up',
      value: integerFrom(1, 1000),
      fallback: 15,
    }),
    demoFlags: flag<readonly string[]>({
      name: 'flags',
      about: 'Flags of the demo, after those of the set-up: --flags "--guard on"',
      value: words,
      fallback: [],
      takesDashes: true,
    }),
    publish: flag({
      name: 'publish',
      about: 'Writes the results into the study',
      value: onOff,
      bare: true,
      fallback: false,
    }),
    log: flag<string | undefined>({
      name: 'log',
      about: 'Folder for all events of each run',
      value: anyText,
      fallback: undefined,
      absent: 'none',
    }),
  },
};

/** Reads the command line. @throws FlagError, HelpRequest */
export function chaosFlags(argv: readonly string[]): ChaosFlags {
  return stated(readCommandLine(command, argv).settings);
}
