import {
  anyText,
  type Command,
  commandLine,
  type FlagSpecs,
  flag,
  integerFrom,
  onOff,
  readCommandLine,
  stated,
} from '@ticketing/cli-kit';

/** Lengths that a bench can have, by their names: what they are, and how long they are with `--quick`. */
const LENGTHS = {
  rounds: { about: 'Rounds, each of which measures every contender once', quick: 2 },
  sliceMs: { about: 'Milliseconds of a measurement', quick: 25 },
  seconds: { about: 'Seconds of a measurement', quick: 1 },
} as const;
type Length = keyof typeof LENGTHS;

/** The command line of a bench. */
export type BenchFlags<Name extends Length, Text extends string = never> = {
  readonly [name in Name]: number;
} & { readonly [text in Text]: string | undefined } & {
  /** Few, short rounds that are printed, not written. */
  readonly quick: boolean;
};

export interface BenchFlagsOptions<Name extends Length, Text extends string> {
  /** Lengths with `--quick`. Default: 2 rounds, slices of 25 ms, a second. */
  readonly quickLengths?: { readonly [name in Name]?: number };
  /** Flags that take a text and have no default: what each decides. Default: none. */
  readonly texts?: Readonly<Record<Text, string>>;
  /** Default: the arguments of this process, which ends for `--help` and wrong use. */
  readonly args?: readonly string[];
}

const LONGEST = 1_000_000;

/**
 * Reads `--quick`, and `--rounds N`, `--slice-ms N` and `--seconds N` as far as `whole` has them: the lengths of a whole run.
 *
 * @throws FlagError or HelpRequest if `args` are given
 */
export function benchFlags<Name extends Length, Text extends string = never>(
  whole: Readonly<Record<Name, number>>,
  { quickLengths = {}, texts, args }: BenchFlagsOptions<Name, Text> = {},
): BenchFlags<Name, Text> {
  const names = Object.keys(whole) as Name[];
  const flags: FlagSpecs = {
    quick: flag({
      name: 'quick',
      about: 'Few short rounds that are printed, not written',
      value: onOff,
      bare: true,
      fallback: false,
    }),
    ...Object.fromEntries(names.map((name) => [name, lengthFlag(name, whole[name])])),
    ...Object.fromEntries(
      Object.entries<string>(texts ?? {}).map(([name, about]) => [
        name,
        flag<string | undefined>({ name, about, value: anyText, fallback: undefined }),
      ]),
    ),
  };
  const command: Command<FlagSpecs> = {
    run: 'pnpm bench',
    about: 'Measures, and writes the table between the marks of its report.',
    verb: 'measure',
    flags,
  };
  const given =
    args === undefined ? commandLine(command) : stated(readCommandLine(command, args).settings);
  const usual = given['quick']
    ? Object.fromEntries(names.map((name) => [name, quickLengths[name] ?? LENGTHS[name].quick]))
    : whole;
  // A length that is not given follows from `--quick`.
  const lengths = names.map((name) => [name, given[name] ?? usual[name]]);
  const { words: _, ...others } = given;
  return { ...others, ...Object.fromEntries(lengths) } as BenchFlags<Name, Text>;
}

function lengthFlag(name: Length, whole: number) {
  return flag<number | undefined>({
    name: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    about: LENGTHS[name].about,
    value: integerFrom(1, LONGEST),
    fallback: undefined,
    absent: String(whole),
  });
}
