import { expect, test } from 'vitest';
import { eventually, getFrom, MADRID_BARCELONA, runDemo, startDemo } from '../demo.ts';
import { receiveTelemetry } from '../otlp-receiver.ts';
import { expectNoSecret, SECRETS, secretFlags, secretUrl } from '../secret-flags.ts';

/** The address of nobody, with a password. */
const NOBODY = `http://user:${encodeURIComponent(SECRETS[1])}@127.0.0.1:9/x`;
const HTTP = secretFlags.filter(([, { value }]) => value.read(NOBODY) !== undefined);

/** Proves that no secret leaves a server whose telemetry is received, or has nobody to go to. */
function testServer(isReceived: boolean): void {
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
function testDatabase(url: string): void {
  test(`no secret is in the line about a server that a start needs and cannot reach, ${new URL(url).protocol} [secrets-hidden]`, async () => {
    const { code, stdout, stderr } = await runDemo(['--database-url', url, '--worms', '5']);
    expect(code).toBe(2);
    expectNoSecret(stdout + stderr, url);
  });
}

testServer(true);
testServer(false);
testDatabase(secretUrl('postgres'));
testDatabase(`${secretUrl('mongodb')}&serverSelectionTimeoutMS=100`);
