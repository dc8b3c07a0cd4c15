import { parseArgs } from 'node:util';

/** How long a look takes by default; the names are those of all lengths that a bench can have. */
const LOOK = { rounds: 2, sliceMs: 25, seconds: 1 } as const;
type Length = keyof typeof LOOK;

/** What a bench is asked on its command line. */
export type BenchFlags<Name extends Length, Text extends string = never> = {
  readonly [name in Name]: number;
} & { readonly [text in Text]: string | undefined } & {
  /** A look: few, short rounds that are printed, not written. */
  readonly quick: boolean;
};

/** What else a bench can be asked, and where. */
export interface BenchFlagsOptions<Name extends Length, Text extends string> {
  /** Lengths of a look. Default: 2 rounds, slices of 25 ms, a second. */
  readonly look?: { readonly [name in Name]?: number };
  /** Names of flags with a text, which have no default. Default: none. */
  readonly texts?: readonly Text[];
  /** Default: the arguments of this process. */
  readonly args?: readonly string[];
}

/**
 * Reads `--quick` and those of `--rounds N`, `--slice-ms N` and `--seconds N` that a whole run has a length for.
 *
 * @throws RangeError for anything but positive integers; TypeError for other flags
 */
export function benchFlags<Name extends Length, Text extends string = never>(
  whole: Readonly<Record<Name, number>>,
  { look = {}, texts = [], args = process.argv.slice(2) }: BenchFlagsOptions<Name, Text> = {},
): BenchFlags<Name, Text> {
  const names = Object.keys(whole) as Name[];
  const given = parsed(args, [...names.map(flagOf), ...texts]);
  const quick = given['quick'] === true;
  const usual: Readonly<Record<Name, number>> = quick ? { ...LOOK, ...look } : whole;
  const lengths = names.map((name) => {
    const text = given[flagOf(name)];
    return [name, text === undefined ? usual[name] : positive(name, text)];
  });
  return {
    quick,
    ...Object.fromEntries(lengths),
    ...Object.fromEntries(texts.map((name) => [name, given[name]])),
  };
}

function flagOf(name: Length): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function positive(name: Length, given: unknown): number {
  const value = Number(given);
  if (Number.isInteger(value) && value > 0) return value;
  throw new RangeError(
    `Cannot measure: --${flagOf(name)} must be a positive integer, got '${given}'`,
  );
}

function parsed(args: readonly string[], texts: readonly string[]): Record<string, unknown> {
  const type = 'string' as const;
  try {
    return parseArgs({
      // pnpm hands it on.
      args: args.filter((each) => each !== '--'),
      options: {
        quick: { type: 'boolean' },
        ...Object.fromEntries(texts.map((name) => [name, { type }])),
      },
    }).values;
  } catch (error) {
    const expected = ['quick', ...texts].map((name) => `--${name}`).join(', ');
    const [reason] = (error as Error).message.split('. ');
    throw new TypeError(`Cannot measure: some of ${expected} expected. ${reason}`);
  }
}
