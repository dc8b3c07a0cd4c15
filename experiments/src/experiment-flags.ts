import { parseArgs } from 'node:util';

/** What `pnpm experiments` is asked. */
export interface ExperimentFlags {
  /** Two digits each; none = all. */
  readonly ids: readonly string[];
  readonly quick: boolean;
  readonly databaseUrl: string | undefined;
}

/** A command line that nothing can be done with. The message is one line for people. */
export class UsageError extends Error {}

/**
 * Reads `[01 02 …] [--quick] [--database-url postgres://…]`; the address may come by `TEST_POSTGRES_URL`.
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
      `Cannot experiment: some of ${known.join(', ')} expected, got '${unknown}'`,
    );
  }
  const databaseUrl = values['database-url'] ?? env['TEST_POSTGRES_URL'];
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\/./.test(databaseUrl)) {
    throw new UsageError(
      `Cannot experiment: --database-url must be postgres://…, got '${databaseUrl}'`,
    );
  }
  return { ids: positionals.length === 0 ? known : positionals, quick: values.quick, databaseUrl };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: argv.filter((each) => each !== '--'),
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        'database-url': { type: 'string' },
      },
    });
  } catch (error) {
    const [reason] = (error as Error).message.split('. ');
    throw new UsageError(`Cannot experiment: flags of the README expected. ${reason}`);
  }
}
