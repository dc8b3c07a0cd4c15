import type { FlagSpec } from '@ticketing/cli-kit';
import { expect, test } from 'vitest';
import { flagSpecs } from '../src/flags/flag-specs.ts';
import { eventually, getFrom, MADRID_BARCELONA, runDemo, startDemo } from './demo.ts';
import { receiveTelemetry } from './otlp-receiver.ts';

const SECRETS = ['us3r-s3cret', 'p4ss/s3cret', 'qu3ry-s3cret', 't0ken-s3cret'] as const;
export const SCHEMES = ['http', 'https', 'nats', 'tls', 'redis', 'rediss', 'postgres', 'mongodb'];

/** Returns a URL to nobody with a secret in every place that may have one. */
export function secretUrl(scheme: string): string {
  const [, password, parameter] = SECRETS;
  const query = scheme.startsWith('http') ? '' : `?password=${parameter}`;
  return `${scheme}://user:${encodeURIComponent(password)}@127.0.0.1:9/x${query}`;
}

export const TEXTS = [
  ...SCHEMES.map(secretUrl),
  ...SCHEMES.map((scheme) => `${scheme}://${SECRETS[3]}@127.0.0.1:9`),
  ...['nats', 'tls'].map((scheme) => `${secretUrl(scheme)},${secretUrl(scheme)}`),
  `mongodb://user:${SECRETS[1]}@127.0.0.1:9,127.0.0.1:10/x`,
  'us3r-s3cret-of-32-characters-or-so',
];

export function expectNoSecret(text: string, where: string): void {
  const found = ['s3cret', encodeURIComponent(SECRETS[1])].filter((one) => text.includes(one));
  expect(found, `${where}: ${text.slice(0, 300)}`).toEqual([]);
}

export const specs = Object.entries<FlagSpec<unknown>>(flagSpecs);
/** Paths and a host, which have no secrets. */
export const OPEN: readonly string[] = ['host', 'tlsCert', 'tlsKey'];
export const secretFlags = specs.filter(
  ([key, { value }]) => !OPEN.includes(key) && TEXTS.some((text) => value.read(text) !== undefined),
);

/** The address of nobody, with a password. */
const NOBODY = `http://user:${encodeURIComponent(SECRETS[1])}@127.0.0.1:9/x`;
const HTTP = secretFlags.filter(([, { value }]) => value.read(NOBODY) !== undefined);

/** Proves that no secret leaves a server whose telemetry is received, or has nobody to go to. */
export function testServer(isReceived: boolean): void {
  const whose = isReceived ? 'a server' : 'a server that cannot send telemetry';

  test(`no secret of the flags is in an answer, a line or a span of ${whose} [secrets-hidden]`, async () => {
    const collector = await receiveTelemetry();
    const key = `${SECRETS[0]}-of-pages`;
    const argv = HTTP.flatMap(([, { name }]) => [`--${name}`, NOBODY]);
    const run = ['--log-requests', 'on', '--show-flags', '--page-key', key];
    const { port } = new URL(collector.url);
    const otel = isReceived ? `http://user:${SECRETS[0]}@127.0.0.1:${port}` : NOBODY;
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
    if (isReceived) {
      await eventually(() =>
        expect(collector.spans.map(({ name }) => name)).toContain('GET /search'),
      );
      for (const span of collector.spans) expectNoSecret(JSON.stringify(span), 'a span');
    } else await eventually(() => expect(demo.errors()).toContain('Cannot send telemetry'));
    demo.child.kill('SIGTERM');
    expect(await demo.exit()).toBe(0);
    expectNoSecret(demo.output() + demo.errors(), 'what it prints');
  });
}

/** Proves that no secret of a database's URL is in the line about a database that does not answer. */
export function testDatabase(url: string): void {
  test(`no secret is in the line about a server that a start needs and cannot reach, ${new URL(url).protocol} [secrets-hidden]`, async () => {
    const { code, stdout, stderr } = await runDemo(['--database-url', url, '--worms', '5']);
    expect(code).toBe(2);
    expectNoSecret(stdout + stderr, url);
  });
}
