import {
  anyText,
  flag,
  integerFrom,
  readCommandLine,
  stated,
  type ValueReader,
} from '@ticketing/cli-kit';
import { SETUPS } from './setups.ts';

/** The command line of `pnpm chaos`. */
export interface ChaosFlags {
  /** Names of set-ups. */
  readonly setups: readonly string[];
  readonly seed: number;
  /** Minutes with faults, of each set-up. */
  readonly minutes: number;
  /** Set-ups that run at a time. */
  readonly parallel: number;
  readonly perSecond: number;
  /** Flags of the demo, after those of the set-up. */
  readonly demoFlags: readonly string[];
  /** Folder for all events of each run, and what the demo has written. */
  readonly log: string | undefined;
}

const NAMES = SETUPS.map(({ name }) => name);

const someSetups: ValueReader<readonly string[]> = {
  expected: `all, or names with commas: ${NAMES.join(', ')}`,
  read(text) {
    if (text === 'all') return NAMES;
    const names = text.split(',');
    return names.every((name) => NAMES.includes(name)) ? names : undefined;
  },
};

const aboveZero: ValueReader<number> = {
  expected: 'a number above 0, at most 600',
  read(text) {
    const number = Number(text);
    return number > 0 && number <= 600 ? number : undefined;
  },
};

/** A command line in one argument: words with blanks between them. */
const words: ValueReader<readonly string[]> = {
  expected: 'flags in one argument',
  read: (text) => text.split(/\s+/).filter((word) => word !== ''),
};

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
    seed: flag({
      name: 'seed',
      about: 'Decides faults and load',
      value: integerFrom(0, 2 ** 32 - 1),
      fallback: 1,
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
