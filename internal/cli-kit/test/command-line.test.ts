import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anyText,
  type Command,
  FlagError,
  flag,
  HelpRequest,
  httpUrl,
  integerFrom,
  listOf,
  oneOf,
  onOff,
  readCommandLine,
  shownValue,
  someOf,
  stated,
  trueFalse,
  wordOr,
} from '../src/index.ts';

const flags = {
  rate: flag({
    name: 'rate',
    about: 'Requests per second',
    value: integerFrom(1, 99),
    fallback: 7,
  }),
  mode: flag<'slow' | 'fast'>({
    name: 'mode',
    about: 'How',
    value: oneOf(['slow', 'fast']),
    fallback: 'slow',
    also: { variable: 'HURRY', value: 'fast' },
  }),
  quick: flag({ name: 'quick', about: 'A look', value: onOff, bare: true, fallback: false }),
  out: flag<string | undefined>({
    name: 'out',
    about: 'Folder',
    value: anyText,
    fallback: undefined,
    absent: 'a temporary one',
    hide: () => '…',
  }),
  flags: flag({
    name: 'flags',
    about: 'Flags of the server',
    value: anyText,
    fallback: '',
    takesDashes: true,
  }),
};
const command: Command<typeof flags> = {
  run: 'pnpm try',
  about: 'Tries something.',
  verb: 'try',
  flags,
  hasVariables: true,
};
const withWords = { ...command, words: { name: 'experiment', known: ['01', '02'] } };

const read = (argv: readonly string[], env = {}) =>
  stated(readCommandLine(command, argv, env).settings);

test('readCommandLine() fills defaults, and reads values with and without =, switches, and a value that is a command line', () => {
  expect(read([])).toEqual({ rate: 7, mode: 'slow', quick: false, out: undefined, flags: '' });
  expect(
    read(['--', '--rate', '9', '--mode=fast', '--quick', '--flags', '--a b', '--out=--x']),
  ).toEqual({ rate: 9, mode: 'fast', quick: true, flags: '--a b', out: '--x' });
  expect(read(['--quick=off', '--rate', '1', '--rate', '2'])).toMatchObject({
    quick: false,
    rate: 2,
  });
});

test('readCommandLine() takes a flag before its variable, and that before what another variable means', () => {
  const env = { RATE: '5', HURRY: 'true' };
  expect(readCommandLine(command, ['--rate', '6'], env).settings).toMatchObject({
    rate: { value: 6, from: '--rate' },
    mode: { value: 'fast', from: 'HURRY' },
    quick: { value: false, from: 'default' },
  });
  expect(read([], { HURRY: 'false' }).mode).toBe('slow');
  expect(read([], { HURRY: 'true', MODE: 'fast' }).mode).toBe('fast');
  expect(read(['--mode', 'slow'], { HURRY: 'true' }).mode).toBe('slow');
  const { hasVariables: _, ...without } = command;
  expect(readCommandLine(without, [], env).settings.rate.value).toBe(7);
});

test.each([
  [['--rate'], {}, '--rate must have a value: an integer from 1 to 99'],
  [['--rate', '--quick'], {}, '--rate must have a value: an integer from 1 to 99'],
  [['--rate', '0'], {}, "--rate must be an integer from 1 to 99, got '0'"],
  [['--rtae', '1'], {}, 'unknown flag --rtae; did you mean --rate?'],
  [['--hlep'], {}, 'unknown flag --hlep; did you mean --help?'],
  [['--speed'], {}, 'unknown flag --speed; --help lists the flags'],
  [['-q'], {}, 'unknown flag -q; --help lists the flags'],
  [['--mode', 'fats'], {}, "--mode must be one of slow, fast, got 'fats'; did you mean fast?"],
  [[], { MODE: 'fats' }, "MODE must be one of slow, fast, got 'fats'; did you mean fast?"],
  [['--quick=yes'], {}, "--quick must be on or off, got 'yes'"],
  [['--out', ' '], {}, "--out must be text, got '…'"],
  [['01'], {}, "unexpected argument '01'; --help lists the flags"],
  [[], { HURRY: '1' }, "HURRY must be true or false, got '1'"],
  [[], { HURRY: 'true', MODE: 'slow' }, 'only one of MODE and HURRY may be set, got both'],
])('readCommandLine() refuses %j with %j', (argv, env, message) => {
  expect(() => read(argv, env)).toThrow(new FlagError(`Cannot try: ${message}`));
});

test('readCommandLine() takes known words, and refuses others', () => {
  expect(readCommandLine(withWords, ['02', '--quick', '01']).words).toEqual(['02', '01']);
  expect(() => readCommandLine(withWords, ['03'])).toThrow(
    new FlagError("Cannot try: each experiment must be one of 01, 02, got '03'"),
  );
});

test.each([['--help'], ['-h']])(
  'readCommandLine() with %s gives the help, whatever else is wrong',
  (asked) => {
    const message = [
      'Usage: pnpm try [experiment …] [flags]',
      '',
      'Tries something.',
      'Each experiment is one of 01, 02.',
      '',
      '--rate   Requests per second',
      '         an integer from 1 to 99; default 7',
      '--mode   How',
      '         one of slow, fast; default slow',
      '         also HURRY=true',
      '--quick  A look',
      '--out    Folder',
      '         text; default a temporary one',
      '--flags  Flags of the server',
      '         text; default none',
      '--help   Shows this.',
      '',
      'Each flag has a variable: --rate is RATE. A flag beats its variable.',
    ].join('\n');
    expect(() => readCommandLine(withWords, ['--rate', 'x', asked])).toThrow(
      new HelpRequest(message),
    );
  },
);

test('readCommandLine() gives every text either a value or a FlagError', () => {
  const word = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom('--', '--rate', '--mode', '--quick', '--out', '--flags', '-x', '--rate=3'),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
      try {
        expect(Object.keys(read(argv))).toEqual(Object.keys(flags));
      } catch (error) {
        if (!(error instanceof HelpRequest)) expect(error).toBeInstanceOf(FlagError);
      }
    }),
  );
});

test.each([
  [someOf(['a', 'b']), 'b, a', ['a', 'b']],
  [someOf(['a', 'b']), 'all', ['a', 'b']],
  [someOf(['a', 'b']), 'a,a', undefined],
  [someOf(['a', 'b']), '', undefined],
  [listOf(integerFrom(1, 8)), '1,8,1', [1, 8, 1]],
  [listOf(integerFrom(1, 8)), '1,9', undefined],
  [wordOr('auto', integerFrom(1, 2)), 'auto', 'auto'],
  [wordOr('auto', integerFrom(1, 2)), '2', 2],
  [wordOr('auto', integerFrom(1, 2)), '1e0', undefined],
  [httpUrl, 'https://a/b//', 'https://a/b'],
  [httpUrl, 'ftp://a', undefined],
  [trueFalse, 'false', false],
] as const)('values: %o reads %s', ({ read: readValue }, text, value) => {
  expect(readValue(text)).toEqual(value);
});

test('values say what they must be', () => {
  const integer = integerFrom(1, 2);
  expect(wordOr('off', wordOr('auto', integer)).expected).toBe(
    'off, auto, or an integer from 1 to 2',
  );
  expect(someOf(['a', 'b']).expected).toBe('all, or some of a,b');
  expect(listOf(integer).expected).toBe(
    'a list, with commas, of which each is an integer from 1 to 2',
  );
});

test('shownValue() hides secrets, and names what is absent', () => {
  expect(shownValue(flags.out, 'secret')).toBe('…');
  expect(shownValue(flags.out, undefined)).toBe('a temporary one');
  expect(shownValue(flags.quick, true)).toBe('on');
});

describe('commandLine() in a program', () => {
  const program = fileURLToPath(new URL('fixtures/program.ts', import.meta.url));
  const run = (...argv: string[]) => {
    const args = ['--conditions=@ticketing/source', program, ...argv];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  test('gives the values; exits with 0 for help and with 2 for wrong use, without colours in a pipe', () => {
    expect(run('--rate', '3')).toEqual({ status: 0, stdout: '3\n', stderr: '' });
    expect(run('--help')).toMatchObject({ status: 0, stderr: '' });
    expect(run('--help').stdout).toMatch(/^Usage: program \[flags\]\n/);
    expect(run('--rote', '3')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'Cannot run: unknown flag --rote; did you mean --rate?\n',
    });
  });
});
