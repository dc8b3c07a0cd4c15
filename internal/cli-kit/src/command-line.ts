import { parseArgs, styleText } from 'node:util';
import { nearest } from '@ticketing/kit';
import { trueFalse, type ValueReader } from './flag-values.ts';
import { hideSecrets } from './hide-secrets.ts';

/** A command line or environment that a program cannot run with. Its message is one line. */
export class FlagError extends Error {}

/** Someone asks for help: the message is the help. */
export class HelpRequest extends Error {}

/** A flag of a program. */
export interface FlagSpec<T> {
  /** Name without dashes. The variable, where there is one, has the same name in capitals. */
  readonly name: string;
  /** Purpose of the flag, for the help: one line. */
  readonly about: string;
  /** Values that the flag takes. */
  readonly value: ValueReader<NonNullable<T>>;
  readonly fallback: T;
  /** Value of a flag that is given without one, such as `--quick`. By default it must have one. */
  readonly bare?: T;
  /** Shown when there is no value. Default `none`. */
  readonly absent?: string;
  /** Formats a value that is shown. */
  show?(value: NonNullable<T>): string;
  /** Removes the secrets of a text that is shown. Default: as its kind of value does. */
  readonly hide?: (text: string) => string;
  /** Name of the variable, if it is another one. */
  readonly variable?: string;
  /** A variable that sets the flag to `value` when it is `true`. */
  readonly also?: { readonly variable: string; readonly value: T };
  /** True if a value may begin with two dashes, because it is a command line itself. */
  readonly takesDashes?: true;
}

// biome-ignore lint/suspicious/noExplicitAny: a registry has flags of any type, which `Stated` gives back
export type FlagSpecs = Readonly<Record<string, FlagSpec<any>>>;

/** Values that a command line states, by the keys of its registry. */
export type Stated<Specs extends FlagSpecs> = {
  readonly [K in keyof Specs]: Specs[K] extends FlagSpec<infer T> ? T : never;
};

/** A value, and where it comes from: a flag, a variable, or `default`. */
export interface Setting<T> {
  readonly value: T;
  readonly from: string;
}

export type Settings<Specs extends FlagSpecs> = {
  readonly [K in keyof Specs]: Setting<Stated<Specs>[K]>;
};

/** Command line of a program. */
export interface Command<Specs extends FlagSpecs> {
  /** Text that people type: `pnpm load`. */
  readonly run: string;
  /** Purpose of the program: one line. */
  readonly about: string;
  /** Verb of the error for a wrong command line: `start` gives "Cannot start: …". */
  readonly verb: string;
  readonly flags: Specs;
  /** Arguments without a name: some of `known`, or, without it, any texts. Default: none. */
  readonly words?: { readonly name: string; readonly known?: readonly string[] };
  /** True if each flag has a variable too. */
  readonly hasVariables?: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** One row per flag: `name` is a literal's type, the value's type follows from `fallback` or is given. */
export function flag<T>(spec: FlagSpec<T>): FlagSpec<T> {
  return spec;
}

/**
 * Reads a command line, and the environment if the flags have variables; a flag beats its variable.
 *
 * @throws FlagError for an unknown flag or a bad value, with the nearest that there is; HelpRequest for `--help`
 */
export function readCommandLine<Specs extends FlagSpecs>(
  command: Command<Specs>,
  argv: readonly string[],
  env: Environment = {},
): { readonly settings: Settings<Specs>; readonly words: readonly string[] } {
  const { texts, words } = parse(command, argv);
  const settings = Object.entries(command.flags).map(([key, spec]) => {
    const setting = settingOf(command, spec, texts.get(spec.name));
    return [key, command.hasVariables ? withVariables(command, spec, setting, env) : setting];
  });
  return { settings: Object.fromEntries(settings), words };
}

/** Returns the settings without the sources of their values. */
export function stated<Specs extends FlagSpecs>(settings: Settings<Specs>): Stated<Specs> {
  const values = Object.entries<Setting<unknown>>(settings).map(([key, { value }]) => [key, value]);
  return Object.fromEntries(values);
}

/**
 * Writes what a command line led to instead of a run, and returns the exit code: 0 for help, 2 for wrong use, `undefined` for
 * any other error.
 */
export function exitCodeOf(error: unknown): 0 | 2 | undefined {
  if (error instanceof HelpRequest) {
    process.stdout.write(`${error.message}\n`);
    return 0;
  }
  if (!(error instanceof FlagError)) return undefined;
  process.stderr.write(`${styleText('red', error.message, { stream: process.stderr })}\n`);
  return 2;
}

/** Reads the command line of this process. For `--help` and wrong use it writes the help or the error, and exits. */
export function commandLine<Specs extends FlagSpecs>(
  command: Command<Specs>,
): Stated<Specs> & { readonly words: readonly string[] } {
  try {
    const { settings, words } = readCommandLine(command, process.argv.slice(2), process.env);
    return { ...stated(settings), words };
  } catch (error) {
    const code = exitCodeOf(error);
    if (code === undefined) throw error;
    process.exit(code);
  }
}

type Given = { readonly text: string | undefined };

function parse(
  { verb, flags, words: wordSpec, ...rest }: Command<FlagSpecs>,
  argv: readonly string[],
): { readonly texts: ReadonlyMap<string, Given>; readonly words: readonly string[] } {
  const specs = Object.values(flags);
  const { tokens } = parseArgs({
    // pnpm passes it on.
    args: argv.filter((each) => each !== '--'),
    strict: false,
    tokens: true,
    options: Object.fromEntries([
      ...specs.map(({ name, bare }) => [name, { type: bare === undefined ? 'string' : 'boolean' }]),
      ['help', { type: 'boolean', short: 'h' }],
    ]),
  });
  const texts = new Map<string, Given>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (name === 'help') {
      throw new HelpRequest(helpOf({ verb, flags, ...(wordSpec && { words: wordSpec }), ...rest }));
    }
    const spec = specs.find((one) => one.name === name);
    if (spec === undefined) throw unknownFlag(verb, rawName, specs);
    const isNext = value?.startsWith('--') === true && !inlineValue && !spec.takesDashes;
    if (spec.bare === undefined && (value === undefined || isNext)) {
      throw new FlagError(`Cannot ${verb}: ${rawName} must have a value: ${spec.value.expected}`);
    }
    texts.set(name, { text: value });
  }
  const { name: wordName, known }: NonNullable<typeof wordSpec> = wordSpec ?? {
    name: '',
    known: [],
  };
  const unknown = words.find((word) => known?.includes(word) === false);
  if (unknown !== undefined && wordSpec === undefined) {
    throw new FlagError(
      `Cannot ${verb}: unexpected argument '${hideUrls(unknown)}'; --help lists the flags`,
    );
  }
  if (unknown !== undefined) {
    throw new FlagError(
      `Cannot ${verb}: each ${wordName} must be one of ${known?.join(', ')}, got '${hideUrls(unknown)}'`,
    );
  }
  return { texts, words };
}

function unknownFlag(
  verb: string,
  rawName: string,
  specs: readonly FlagSpec<unknown>[],
): FlagError {
  const names = [...specs.map(({ name }) => name), 'help'];
  const near = nearest(rawName.replace(/^-+/, ''), names);
  const hint = near === undefined ? '--help lists the flags' : `did you mean --${near}?`;
  return new FlagError(`Cannot ${verb}: unknown flag ${rawName}; ${hint}`);
}

function settingOf<T>(
  { verb }: { readonly verb: string },
  spec: FlagSpec<T>,
  given: Given | undefined,
): Setting<T> {
  if (given === undefined) return { value: spec.fallback, from: 'default' };
  const from = `--${spec.name}`;
  if (given.text === undefined) return { value: spec.bare as T, from };
  return { value: checked(verb, from, given.text, spec), from };
}

/** Applies the flag's variable, and one whose `true` means a value, unless the flag itself is given. */
function withVariables<T>(
  { verb }: { readonly verb: string },
  spec: FlagSpec<T>,
  setting: Setting<T>,
  env: Environment,
): Setting<T> {
  const { name, also } = spec;
  const variable = spec.variable ?? variableOf(name);
  const text = env[variable];
  const own =
    setting.from === 'default' && text !== undefined
      ? { value: checked(verb, variable, text, spec), from: variable }
      : setting;
  const alsoText = also && env[also.variable];
  if (also === undefined || alsoText === undefined) return own;
  const isSet = checked(verb, also.variable, alsoText, { value: trueFalse });
  if (!isSet || own.from.startsWith('--')) return own;
  if (own.from !== 'default' && shownValue(spec, own.value) !== shownValue(spec, also.value)) {
    throw new FlagError(
      `Cannot ${verb}: only one of ${own.from} and ${also.variable} may be set, got both`,
    );
  }
  return { value: also.value, from: also.variable };
}

function checked<T>(
  verb: string,
  from: string,
  text: string,
  {
    value: { expected, words = [], read, hide: hideKind = hideUrls },
    hide = hideKind,
  }: { readonly value: ValueReader<NonNullable<T>>; readonly hide?: (text: string) => string },
): NonNullable<T> {
  const value = read(text);
  if (value !== undefined) return value;
  const wrong = text.split(',').find((one) => !words.includes(one));
  const near = wrong === undefined ? undefined : nearest(wrong, words);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  throw new FlagError(`Cannot ${verb}: ${from} must be ${expected}, got '${hide(text)}'${hint}`);
}

/** A URL may have been meant for another flag, and have a password. */
function hideUrls(text: string): string {
  return text.includes('://') ? hideSecrets(text) : text;
}

function variableOf(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}

/** Formats the value of a flag without its secrets. */
export function shownValue<T>(spec: FlagSpec<T>, value: T): string {
  const { absent = 'none', show } = spec;
  if (value === undefined || value === null) return absent;
  if (show !== undefined) return show(value);
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  const shown = hiddenValue(spec, value);
  return Array.isArray(shown) ? shown.join(',') : String(shown);
}

/** Returns the value of a flag without its secrets, of the same type. */
export function hiddenValue<T>(
  { value: { hide: hideKind }, hide = hideKind }: FlagSpec<T>,
  value: T,
): T {
  if (hide === undefined) return value;
  const hidden = (one: unknown): unknown =>
    typeof one === 'string' ? hide(one) : Array.isArray(one) ? one.map(hidden) : one;
  return hidden(value) as T;
}

/** Describes a program and each of its flags: what it decides, its values, its default. */
function helpOf(command: Command<FlagSpecs>): string {
  const { run, about, flags, words, hasVariables } = command;
  const strong = (text: string): string => styleText('bold', text, { stream: process.stdout });
  const specs = Object.values(flags);
  const width = Math.max(...specs.map(({ name }) => name.length), 'help'.length) + '--  '.length;
  const row = (name: string, lines: readonly string[]): string =>
    lines
      .map((line, index) => {
        const first = `--${name}`.padEnd(width);
        return `${index === 0 ? strong(first) : ' '.repeat(width)}${line}`;
      })
      .join('\n');
  const rows = specs.map((spec) => {
    const { name, value, bare, fallback, also, variable: other } = spec;
    const isSwitch = bare !== undefined && fallback === false;
    const initial = shownValue(spec, fallback === '' ? undefined : fallback);
    const values = isSwitch ? [] : [`${value.expected}; default ${initial}`];
    const variable = also === undefined ? [] : [`also ${also.variable}=true`];
    const named = other === undefined ? [] : [`variable ${other}`];
    return row(name, [spec.about, ...values, ...variable, ...named]);
  });
  return [
    `Usage: ${strong(run)}${usageOf(words)} [flags]`,
    '',
    about,
    ...(words?.known === undefined
      ? []
      : [`Each ${words.name} is one of ${words.known.join(', ')}.`]),
    '',
    ...rows,
    row('help', ['Shows this.']),
    ...(hasVariables
      ? ['', `Each flag has a variable: ${exampleOf(specs)}. A flag beats its variable.`]
      : []),
  ].join('\n');
}

function usageOf(words: Command<FlagSpecs>['words']): string {
  if (words === undefined) return '';
  return words.known === undefined ? ` ${words.name}` : ` [${words.name} …]`;
}

/** The flag that shows best how a variable is named. */
function exampleOf(specs: readonly FlagSpec<unknown>[]): string {
  const { name = '' } = specs.find((spec) => spec.name.includes('-')) ?? specs[0] ?? {};
  return `--${name} is ${variableOf(name)}`;
}
