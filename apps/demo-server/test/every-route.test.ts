import { expect, test } from 'vitest';
import { apiOperations, targetOf } from './api-operations.ts';
import { exchange, getFrom, serveDemo, sharedServer } from './demo.ts';

const server = sharedServer('--latency', '0', '--allowed-hosts', 'proxy.test');

/** What is answered under any name: pages, and what they are made of. */
const PAGES = ['/', '/operator', '/docs', '/docs/static/index.css', '/assets/x', '/favicon.ico'];

/** Targets of all operations that only read and end. */
async function readTargets(url = server().url): Promise<readonly string[]> {
  const operations = apiOperations((await getFrom(`${url}/openapi.json`)).body);
  const targets = operations
    .filter(({ method, id }) => method === 'GET' && id !== 'followOperatorState')
    .map((one) => targetOf(one, ({ required, filled }) => (required ? filled : undefined)));
  expect(targets.length).toBeGreaterThan(10);
  return [...targets, '/openapi.json'];
}

/** Sends a request on a connection of its own, whose end the server must reach by itself. */
async function ask(target: string, fields: Readonly<Record<string, string>> = {}, method = 'GET') {
  const { url } = server();
  const all = { host: new URL(url).host, connection: 'close', ...fields };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const answer = await exchange(url, `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const [head = '', body = ''] = answer.split(/\r\n\r\n(.*)/s);
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body };
}

test('a name that was bound to this address reads nothing but pages [local-controls]', async () => {
  const targets = [...(await readTargets()), '/operator/events'];
  for (const host of ['evil.test', '127.0.0.1.evil.test', 'localhost.', '127.1', 'evil.test:80']) {
    for (const target of targets) {
      const { status, body } = await ask(target, { host });
      expect([target, status], host).toEqual([target, 403]);
      expect(body).toContain('--allowed-hosts');
    }
    for (const target of PAGES) expect((await ask(target, { host })).status).not.toBe(403);
  }
});

test.each(['localhost', '127.0.0.1', '[::1]:3000', 'a.localhost', 'PROXY.test:8080', '10.0.0.1'])(
  'a server on loopback answers under the name %s',
  async (host) => {
    for (const target of ['/config', '/operator/state']) {
      expect((await ask(target, { host })).status).toBe(200);
    }
  },
);

test('a server that others can reach answers under any name', async () => {
  const { url } = await serveDemo('--latency', '0', '--host', '0.0.0.0');
  const local = url.replace('0.0.0.0', '127.0.0.1');
  const head = 'GET /healthz HTTP/1.1\r\nHost: demo.test\r\nConnection: close\r\n\r\n';
  expect(await exchange(local, head)).toMatch(/^HTTP\/1.1 200 /);
});

const MARKUP = encodeURIComponent('<script>1</script>');

test('no answer is to be sniffed, whatever it repeats', async () => {
  const refused = [
    ...[`/stations/${MARKUP}`, `/search?origin=${MARKUP}`, `/api/v1/worms/${MARKUP}`, `/${MARKUP}`],
    ...[`/stations?text=${MARKUP}`, `/stations?${MARKUP}`],
  ];
  for (const target of [...(await readTargets()), ...PAGES, ...refused]) {
    for (const accept of ['text/html', '*/*']) {
      const { head } = await ask(target, { accept });
      expect(head, target).toContain('\r\nx-content-type-options: nosniff');
    }
  }
  for (const bytes of [
    'hello\r\n\r\n',
    `GET /${MARKUP} HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n`,
  ]) {
    expect(await exchange(server().url, bytes)).toContain('x-content-type-options: nosniff');
  }
});

test('every route closes the connection of a client that sends Connection: close, HTTP/1.1', async () => {
  // Each of these ends with the end of the connection.
  for (const target of [...(await readTargets()), ...PAGES, '/nowhere']) {
    const { head } = await ask(target);
    expect(head, target).toContain('\r\nconnection: close');
  }
});

test.each([
  ['null', 'null'],
  ['[]', 'a list'],
  ['"x"', 'string'],
  ['7', 'number'],
])('a body that is %s is a 400 with the reason, of every control', async (body, kind) => {
  const { url, get } = server();
  const operations = apiOperations((await get('/openapi.json')).body);
  const controls = operations.filter((one) => one.body !== undefined);
  expect(controls.length).toBeGreaterThan(3);
  for (const operation of controls) {
    const headers = { 'content-type': 'application/json', origin: url };
    const target = targetOf(operation, ({ filled }) => filled);
    const answer = await get(target, { method: operation.method, headers, body });
    expect(answer, operation.id).toMatchObject({
      status: 400,
      type: 'application/problem+json',
      body: { detail: `The body must be an object, got ${kind}` },
    });
  }
});
