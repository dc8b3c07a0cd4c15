import { parseArgs } from 'node:util';
import { type FlagSpec, flagSpecs, type Said } from './flag-specs.ts';
import { FlagError, trueFalse } from './flag-values.ts';
import type { Flags } from './flags.ts';
import { refuseConflicts } from './refuse-conflicts.ts';
import { resolveCounts } from './resolve-counts.ts';
import type { Setting, Settings } from './settings.ts';
import { showFlag } from './show-flag.ts';

/** One row of the table that is printed at start. */
export interface FlagRow {
  readonly flag: string;
  readonly value: string;
  readonly from: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the command line and the environment; a flag beats its variable.
 *
 * @throws FlagError for an unknown flag, a bad value, or flags that exclude each other
 */
export function readFlags(
  argv: readonly string[],
  env: Environment,
): { flags: Flags; rows: readonly FlagRow[] } {
  const given = parse(argv);
  const settings = Object.fromEntries(
    Object.entries(flagSpecs).map(([key, spec]) => [
      key,
      withAlso(settingOf(spec as FlagSpec<unknown>, given, env), spec as FlagSpec<unknown>, env),
    ]),
  ) as Settings;
  refuseConflicts(settings);
  const said = Object.fromEntries(
    Object.entries(settings).map(([key, { value }]) => [key, value]),
  ) as unknown as Said;
  const flags: Flags = {
    ...said,
    ...resolveCounts(settings),
    ouigo: {
      username: env['OUIGO_USERNAME'] ?? 'demo',
      password: env['OUIGO_PASSWORD'] ?? 'demo',
    },
  };
  const rows = Object.entries<FlagSpec<unknown>>(flagSpecs).map(
    ([key, { name, absent, hide }]) => ({
      flag: `--${name}`,
      value: showFlag(hidden(flags[key as keyof Said], hide), absent),
      from: settings[key as keyof Said].from,
    }),
  );
  return { flags, rows };
}

function parse(argv: readonly string[]): Environment {
  const options = Object.fromEntries(
    Object.values(flagSpecs).map(({ name }) => [name, { type: 'string' as const }]),
  );
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const [reason] = (error as Error).message.split('. ');
    throw new FlagError(`Cannot start: flags of the README expected. ${reason}`);
  }
}

function settingOf<T>(spec: FlagSpec<T>, given: Environment, env: Environment): Setting<T> {
  const { name, fallback } = spec;
  const variable = name.toUpperCase().replaceAll('-', '_');
  for (const [from, text] of [
    [`--${name}`, given[name]],
    [variable, env[variable]],
  ] as const) {
    if (text !== undefined) return { value: checked(from, text, spec), from };
  }
  return { value: fallback, from: 'default' };
}

/** A variable that is `true` stands for a value, unless a flag has another one. */
function withAlso<T>(setting: Setting<T>, { also }: FlagSpec<T>, env: Environment): Setting<T> {
  const text = also && env[also.variable];
  if (also === undefined || text === undefined) return setting;
  const isAsked = checked(also.variable, text, { read: trueFalse });
  if (!isAsked || setting.from.startsWith('--')) return setting;
  if (setting.from !== 'default' && showFlag(setting.value) !== showFlag(also.value)) {
    throw new FlagError(`Cannot start: ${setting.from} or ${also.variable} expected, got both`);
  }
  return { value: also.value, from: also.variable };
}

function checked<T>(
  from: string,
  text: string,
  { read, hide = (shown) => shown }: Pick<FlagSpec<T>, 'read' | 'hide'>,
): T {
  try {
    return read(text);
  } catch (error) {
    const got = hide(text);
    throw new FlagError(`Cannot start: ${from} must be ${(error as Error).message}, got '${got}'`);
  }
}

function hidden(value: unknown, hide: FlagSpec<unknown>['hide']): unknown {
  return hide && typeof value === 'string' ? hide(value) : value;
}
