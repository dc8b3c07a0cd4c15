import { parseArgs } from 'node:util';

/** The command line of `pnpm experiments`. */
export interface ExperimentFlags {
  /** Two digits each; none = all. */
  readonly ids: readonly string[];
  readonly quick: boolean;
  /** Writes tables and charts again from `results.json`, without measuring. */
  readonly report: boolean;
  readonly databaseUrl: string | undefined;
}

/** An invalid command line. The message is one line for people. */
export class UsageError extends Error {}

/**
 * Parses `[01 02 …] [--quick | --report] [--database-url postgres://…]`. Without the flag, `TEST_POSTGRES_URL` is the database.
 *
 * @throws UsageError for anything else
 */
export function experimentFlags(
  argv: readonly string[],
  { known, env }: { known: readonly string[]; env: Readonly<Record<string, string | undefined>> },
): ExperimentFlags {
  const { values, positionals } = parsed(argv);
  const unknown = positionals.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    throw new UsageError(
      `Cannot experiment: each argument must be one of ${known.join(', ')}, got '${unknown}'`,
    );
  }
  const databaseUrl = values['database-url'] ?? env['TEST_POSTGRES_URL'];
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\/./.test(databaseUrl)) {
    throw new UsageError(
      `Cannot experiment: --database-url must be postgres://…, got '${databaseUrl}'`,
    );
  }
  const { quick, report } = values;
  if (quick && report) {
    throw new UsageError('Cannot experiment: use --quick or --report, not both');
  }
  return { ids: positionals.length === 0 ? known : positionals, quick, report, databaseUrl };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: argv.filter((each) => each !== '--'),
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        report: { type: 'boolean', default: false },
        'database-url': { type: 'string' },
      },
    });
  } catch (error) {
    const [reason] = (error as Error).message.split('. ');
    throw new UsageError(`Cannot experiment: ${reason}; experiments/README.md lists the flags`);
  }
}
