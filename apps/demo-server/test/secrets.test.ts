import { anyText, type FlagSpec } from '@ticketing/cli-kit';
import { expect, test } from 'vitest';
import { flagSpecs } from '../src/flags/flag-specs.ts';
import { hideSecretsOf } from '../src/flags/flag-values.ts';
import { readFlags, shownFlags } from '../src/flags/read-flags.ts';
import { eventually, getFrom, MADRID_BARCELONA, runDemo, startDemo } from './demo.ts';
import { receiveTelemetry } from './otlp-receiver.ts';

const SECRETS = ['us3r-s3cret', 'p4ss/s3cret', 'qu3ry-s3cret', 't0ken-s3cret'] as const;
const SCHEMES = ['http', 'https', 'nats', 'tls', 'redis', 'rediss', 'postgres', 'mongodb'];

/** Returns a URL to nobody with a secret in every place that may have one. */
function secretUrl(scheme: string): string {
  const [, password, parameter] = SECRETS;
  const query = scheme.startsWith('http') ? '' : `?password=${parameter}`;
  return `${scheme}://user:${encodeURIComponent(password)}@127.0.0.1:9/x${query}`;
}

const TEXTS = [
  ...SCHEMES.map(secretUrl),
  ...SCHEMES.map((scheme) => `${scheme}://${SECRETS[3]}@127.0.0.1:9`),
  ...['nats', 'tls'].map((scheme) => `${secretUrl(scheme)},${secretUrl(scheme)}`),
  `mongodb://user:${SECRETS[1]}@127.0.0.1:9,127.0.0.1:10/x`,
  'us3r-s3cret-of-32-characters-or-so',
];

function expectNoSecret(text: string, where: string): void {
  const found = ['s3cret', encodeURIComponent(SECRETS[1])].filter((one) => text.includes(one));
  expect(found, `${where}: ${text.slice(0, 300)}`).toEqual([]);
}

const specs = Object.entries<FlagSpec<unknown>>(flagSpecs);
/** Paths and a host, which have no secrets. */
const OPEN: readonly string[] = ['host', 'tlsCert', 'tlsKey'];
const secretFlags = specs.filter(
  ([key, { value }]) => !OPEN.includes(key) && TEXTS.some((text) => value.read(text) !== undefined),
);

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

test('hideSecretsOf() removes the secrets of URLs from what a library says, as written and decoded', () => {
  const url = 'postgres://me:p%40ss@db/worms?sslmode=disable&password=other';
  expect(hideSecretsOf(url, `cannot open ${url}: p@ss, p%40ss or other is wrong for me`)).toBe(
    'cannot open postgres://db/worms: …, … or … is wrong for me',
  );
  expect(hideSecretsOf('nats://t0ken@a,nats://b', 'no t0ken at b')).toBe('no … at b');
  expect(hideSecretsOf('http://a:4318', 'connect ECONNREFUSED')).toBe('connect ECONNREFUSED');
});

/** The address of nobody, with a password. */
const NOBODY = `http://user:${encodeURIComponent(SECRETS[1])}@127.0.0.1:9/x`;
const HTTP = secretFlags.filter(([, { value }]) => value.read(NOBODY) !== undefined);

test('no secret of the flags is in an answer, a line or a span of a server [secrets-hidden]', async () => {
  const collector = await receiveTelemetry();
  const key = `${SECRETS[0]}-of-pages`;
  const argv = HTTP.flatMap(([, { name }]) => [`--${name}`, NOBODY]);
  const run = ['--log-requests', 'on', '--show-flags', '--page-key', key];
  const { port } = new URL(collector.url);
  for (const otel of [NOBODY, `http://user:${SECRETS[0]}@127.0.0.1:${port}`]) {
    const demo = await startDemo([...argv, ...run, '--otel', otel], {
      OUIGO_PASSWORD: SECRETS[0],
    });
    const document = await getFrom(`${demo.url}/openapi.json`);
    const paths = Object.entries<object>(document.body.paths)
      .filter(([path, item]) => 'get' in item && !path.includes('{') && !path.includes('events'))
      .map(([path]) => path);
    expect(paths).toEqual(expect.arrayContaining(['/config', '/stats', '/operator/state']));
    for (const path of [...paths, MADRID_BARCELONA, '/', '/operator', '/docs', '/nowhere']) {
      const { body, headers } = await getFrom(demo.url + path);
      expectNoSecret(JSON.stringify([body, [...headers]]), path);
    }
    if (otel.includes(port)) {
      await eventually(() =>
        expect(collector.spans.map(({ name }) => name)).toContain('GET /search'),
      );
      for (const span of collector.spans) expectNoSecret(JSON.stringify(span), 'a span');
    } else await eventually(() => expect(demo.errors()).toContain('Cannot send telemetry'));
    demo.child.kill('SIGTERM');
    expect(await demo.exit()).toBe(0);
    expectNoSecret(demo.output() + demo.errors(), 'what it prints');
  }
});

test('no secret is in the line about a server that a start needs and cannot reach [secrets-hidden]', async () => {
  for (const argv of [
    ['--database-url', secretUrl('postgres')],
    ['--database-url', `${secretUrl('mongodb')}&serverSelectionTimeoutMS=100`],
  ]) {
    const { code, stdout, stderr } = await runDemo([...argv, '--worms', '5']);
    expect(code).toBe(2);
    expectNoSecret(stdout + stderr, argv.join(' '));
  }
});
