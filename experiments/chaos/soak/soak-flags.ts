import { anyText, flag, integerFrom, onOff, readCommandLine, stated } from '@ticketing/cli-kit';
import { someSetups, words } from '../flag-values.ts';

/** The command line of `pnpm soak`. */
export interface SoakFlags {
  readonly setups: readonly string[];
  readonly minutes: number;
  readonly perSecond: number;
  readonly demoFlags: readonly string[];
  /** True where other work shares the cores. */
  readonly beside: boolean;
  readonly publish: boolean;
  /** Folder for every value of every process. */
  readonly log: string | undefined;
}

const command = {
  run: 'pnpm soak',
  about: 'Runs the built demo under a steady load, without faults, and fails if anything grows.',
  verb: 'soak',
  flags: {
    setups: flag<readonly string[]>({
      name: 'setup',
      about: 'Set-ups to run, side by side',
      value: someSetups,
      fallback: ['socket-fork-machine'],
    }),
    minutes: flag({
      name: 'minutes',
      about: 'Minutes after a warm-up of two and a half',
      value: integerFrom(1, 600),
      fallback: 10,
    }),
    perSecond: flag({
      name: 'rate',
      about: 'Requests per second, of each set-up',
      value: integerFrom(1, 1000),
      fallback: 10,
    }),
    demoFlags: flag<readonly string[]>({
      name: 'flags',
      about: 'Flags of the demo, after those of the set-up',
      value: words,
      fallback: [],
      takesDashes: true,
    }),
    log: flag<string | undefined>({
      name: 'log',
      about: 'Folder for every value of every process',
      value: anyText,
      fallback: undefined,
      absent: 'none',
    }),
    beside: flag({
      name: 'beside',
      about: 'Other work shares the cores: what grows as requests wait is not judged',
      value: onOff,
      bare: true,
      fallback: false,
    }),
    publish: flag({
      name: 'publish',
      about: 'Writes the results into the study',
      value: onOff,
      bare: true,
      fallback: false,
    }),
  },
};

/** Reads the command line. @throws FlagError, HelpRequest */
export function soakFlags(argv: readonly string[]): SoakFlags {
  return stated(readCommandLine(command, argv).settings);
}
