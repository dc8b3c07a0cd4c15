import { anyText } from '@ticketing/cli-kit';
import { expect, test } from 'vitest';
import { readFlags, shownFlags } from '../src/flags/read-flags.ts';
import {
  expectNoSecret,
  OPEN,
  SCHEMES,
  secretFlags,
  secretUrl,
  specs,
  TEXTS,
} from './secret-flags.ts';

test('the flags that take a URL or a secret are found', () => {
  expect(secretFlags.map(([key]) => key)).toEqual(
    expect.arrayContaining([
      'natsUrl',
      'redisUrl',
      'pageKey',
      'carriersUrl',
      'databaseUrl',
      'otel',
    ]),
  );
  for (const key of OPEN) expect(specs.find(([name]) => name === key)?.[1].value).toBe(anyText);
});

test.each(specs)(
  'the secrets of a value of %s are neither shown nor in the error about a wrong one [secrets-hidden]',
  (key, { name, value, variable }) => {
    // A text that is no URL is one of these flags' own secret only where the flag takes it.
    for (const text of TEXTS.filter((one) => one.includes('://') || value.hide !== undefined)) {
      const env = variable ?? name.toUpperCase().replaceAll('-', '_');
      for (const [argv, environment] of [
        [[`--${name}`, text], {}],
        [[], { [env]: text }],
      ] as const) {
        if (value.read(text) === undefined) {
          let message = '';
          try {
            readFlags(argv, environment);
          } catch (error) {
            message = (error as Error).message;
          }
          expect(message).toMatch(/^Cannot start: /);
          expectNoSecret(message, name);
        } else if (!OPEN.includes(key)) {
          const { flags, rows } = readFlags(withNeeded(key, argv), environment);
          expect(JSON.stringify(flags)).toContain('s3cret');
          expectNoSecret(JSON.stringify(rows), name);
          expectNoSecret(JSON.stringify(shownFlags(flags)), name);
        }
      }
    }
  },
);

/** Adds the flags without which one has no effect. */
function withNeeded(key: string, argv: readonly string[]): readonly string[] {
  const needed: Readonly<Record<string, readonly string[]>> = {
    natsUrl: ['--dispatch', 'nats'],
    redisUrl: ['--coalesce', 'shared'],
  };
  return [...argv, ...(needed[key] ?? [])];
}

test('no secret is in the error about a flag that is misspelt, or about a word that is none [secrets-hidden]', () => {
  for (const url of SCHEMES.map(secretUrl)) {
    for (const argv of [[`--otl=${url}`], ['--otl', url], [url], ['--port', url], ['--fleet', url]])
      expect(() => readFlags(argv, {})).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('s3cret') }),
      );
  }
});
