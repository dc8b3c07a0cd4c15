import {
  anyText,
  flag,
  integerFrom,
  listOf,
  readCommandLine,
  someOf,
  stated,
} from '@ticketing/cli-kit';
import { scenarioFlags } from '../scenarios/load-flags.ts';
import { ACCEPTS, type Combination, DISPATCHES } from './overload.ts';

const QUESTIONS = ['search', 'compute'] as const;

/** The command line of `pnpm load --scenario overload`. */
export interface OverloadFlags {
  readonly combinations: readonly Combination[];
  readonly questions: readonly (typeof QUESTIONS)[number][];
  readonly multiples: readonly number[];
  /** Duration of each flood. */
  readonly seconds: number;
  readonly demoFlags: readonly string[];
  /** Folder of the results; without it a temporary one. */
  readonly out: string | undefined;
  /** Results of an earlier run, to compare with. */
  readonly before: string | undefined;
}

const command = {
  run: 'pnpm load --scenario overload',
  about: 'Asks the demo for more than it serves, in every way that it accepts and dispatches.',
  verb: 'load',
  flags: {
    ...scenarioFlags,
    accept: flag<readonly (typeof ACCEPTS)[number][]>({
      name: 'accept',
      about: 'Ways to accept',
      value: someOf(ACCEPTS),
      fallback: ACCEPTS,
    }),
    dispatch: flag<readonly (typeof DISPATCHES)[number][]>({
      name: 'dispatch',
      about: 'Ways to dispatch',
      value: someOf(DISPATCHES),
      fallback: DISPATCHES,
    }),
    questions: flag<readonly (typeof QUESTIONS)[number][]>({
      name: 'ask',
      about: 'What is asked',
      value: someOf(QUESTIONS),
      fallback: QUESTIONS,
    }),
    multiples: flag<readonly number[]>({
      name: 'multiples',
      about: 'Rates, in multiples of what it serves',
      value: listOf(integerFrom(1, 64)),
      fallback: [1, 2, 4, 8],
    }),
    seconds: flag({
      name: 'duration',
      about: 'Seconds of each flood',
      value: integerFrom(1, 600),
      fallback: 4,
    }),
    before: flag<string | undefined>({
      name: 'before',
      about: 'overload.json of an earlier run, to compare with',
      value: anyText,
      fallback: undefined,
    }),
  },
};

/** Reads the command line of `pnpm load --scenario overload`. @throws FlagError, HelpRequest */
export function overloadFlags(argv: readonly string[]): OverloadFlags {
  const {
    scenario: _,
    accept,
    dispatch,
    ...flags
  } = stated(readCommandLine(command, argv).settings);
  const combinations = accept.flatMap((one) =>
    dispatch.map((other) => ({ accept: one, dispatch: other })),
  );
  return { ...flags, combinations };
}
