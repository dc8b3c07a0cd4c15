import { parseArgs } from 'node:util';

/** Lengths of a `--quick` run. The names are all lengths that a bench can have. */
const QUICK = { rounds: 2, sliceMs: 25, seconds: 1 } as const;
type Length = keyof typeof QUICK;

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
  /** Names of flags that take a text and have no default. Default: none. */
  readonly texts?: readonly Text[];
  /** Default: the arguments of this process. */
  readonly args?: readonly string[];
}

/**
 * Reads `--quick`, and `--rounds N`, `--slice-ms N` and `--seconds N` as far as `whole` has them: the lengths of a whole run.
 *
 * @throws RangeError for anything but positive integers; TypeError for other flags
 */
export function benchFlags<Name extends Length, Text extends string = never>(
  whole: Readonly<Record<Name, number>>,
  {
    quickLengths = {},
    texts = [],
    args = process.argv.slice(2),
  }: BenchFlagsOptions<Name, Text> = {},
): BenchFlags<Name, Text> {
  const names = Object.keys(whole) as Name[];
  const values = parsed(args, [...names.map(flagOf), ...texts]);
  const quick = values['quick'] === true;
  const usual: Readonly<Record<Name, number>> = quick ? { ...QUICK, ...quickLengths } : whole;
  const lengths = names.map((name) => {
    const text = values[flagOf(name)];
    return [name, text === undefined ? usual[name] : positive(name, text)];
  });
  return {
    quick,
    ...Object.fromEntries(lengths),
    ...Object.fromEntries(texts.map((name) => [name, values[name]])),
  };
}

function flagOf(name: Length): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function positive(name: Length, text: unknown): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new RangeError(
    `Cannot measure: --${flagOf(name)} must be a positive integer, got '${text}'`,
  );
}

function parsed(args: readonly string[], texts: readonly string[]): Record<string, unknown> {
  const type = 'string' as const;
  try {
    return parseArgs({
      // pnpm passes it on.
      args: args.filter((each) => each !== '--'),
      options: {
        quick: { type: 'boolean' },
        ...Object.fromEntries(texts.map((name) => [name, { type }])),
      },
    }).values;
  } catch (error) {
    const expected = ['quick', ...texts].map((name) => `--${name}`).join(', ');
    const [reason] = (error as Error).message.split('. ');
    throw new TypeError(`Cannot measure: flags must be some of ${expected}. ${reason}`);
  }
}
