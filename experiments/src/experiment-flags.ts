import {
  FlagError,
  flag,
  onOff,
  readCommandLine,
  stated,
  type ValueReader,
} from '@ticketing/cli-kit';

/** The command line of `pnpm experiments`. */
export interface ExperimentFlags {
  /** Two digits each; none = all. */
  readonly ids: readonly string[];
  readonly quick: boolean;
  /** Writes tables and charts again from `results.json`, without measuring. */
  readonly report: boolean;
  readonly databaseUrl: string | undefined;
}

const postgresUrl: ValueReader<string> = {
  expected: 'postgres://…',
  read: (text) => (/^postgres(ql)?:\/\/./.test(text) ? text : undefined),
};

const flags = {
  quick: flag({
    name: 'quick',
    about: 'A look of two minutes, written to a temporary folder',
    value: onOff,
    bare: true,
    fallback: false,
  }),
  report: flag({
    name: 'report',
    about: 'Writes tables and charts again from results.json, without measuring',
    value: onOff,
    bare: true,
    fallback: false,
  }),
  databaseUrl: flag<string | undefined>({
    name: 'database-url',
    about: 'PostgreSQL that is measured too; also TEST_POSTGRES_URL',
    value: postgresUrl,
    fallback: undefined,
  }),
};

/**
 * Parses `[01 02 …] [--quick | --report] [--database-url postgres://…]`. Without the flag, `TEST_POSTGRES_URL` is the database.
 *
 * @throws FlagError, HelpRequest
 */
export function experimentFlags(
  argv: readonly string[],
  { known, env }: { known: readonly string[]; env: Readonly<Record<string, string | undefined>> },
): ExperimentFlags {
  const command = {
    run: 'pnpm experiments',
    about: 'Measures the demo and what it is compared with, and writes the results.',
    verb: 'experiment',
    flags,
    words: { name: 'experiment', known },
  };
  const given = env['TEST_POSTGRES_URL'];
  const fromVariable = given === undefined ? [] : [`--database-url=${given}`];
  const { settings, words } = readCommandLine(command, [...fromVariable, ...argv]);
  const { quick, report, databaseUrl } = stated(settings);
  if (quick && report) {
    throw new FlagError('Cannot experiment: use --quick or --report, not both');
  }
  return { ids: words.length === 0 ? known : words, quick, report, databaseUrl };
}
