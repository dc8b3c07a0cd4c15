import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
import { engineProgram, startNatsServer } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { serveNatsTasks } from '../src/index.ts';
import { serveJson } from '../src/json/index.ts';

const source = new URL('../src/', import.meta.url);

/** Returns the files that are loaded with an entry; types are not. */
function loadedWith(entry: string): Set<string> {
  const loaded = new Set<string>();
  const load = (file: URL): void => {
    if (loaded.has(file.href)) return;
    loaded.add(file.href);
    const text = readFileSync(file, 'utf8');
    for (const [, isType, path = ''] of text.matchAll(
      /^(?:import|export) (type )?(?:[^;]*? from )?'(\.[^']*)'/gm,
    )) {
      if (isType === undefined) load(new URL(path, file));
    }
  };
  load(new URL(entry, source));
  return loaded;
}

test('the package loads nothing of /json; /json loads nothing of hosts and dispatchers', () => {
  const folderOf = (file: string): string => file.slice(source.href.length).split('/')[0] ?? '';
  const folders = (entry: string): string[] =>
    [...new Set([...loadedWith(entry)].map(folderOf))].sort();
  expect(folders('index.ts')).toEqual(['dispatcher', 'fleet', 'host', 'index.ts', 'link']);
  expect(folders('json/index.ts')).toEqual(['json']);
});

/** Asks a server of NATS in the text of its protocol. @returns the head and the body of the answer */
async function ask(port: number, subject: string, body: string): Promise<[string, string]> {
  const socket: Socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let text = '';
  await once(socket, 'connect');
  const head = 'NATS/1.0\r\nTicketing-Deadline-Ms: 30000\r\n\r\n';
  socket.write('CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\nSUB reply 1\r\n');
  socket.write(
    `HPUB ${subject} reply ${head.length} ${head.length + body.length}\r\n${head}${body}\r\n`,
  );
  for await (const chunk of socket) {
    text += chunk;
    // Either `MSG subject sid bytes`, or `HMSG subject sid bytes-of-head bytes-of-all`.
    const [line = '', ...sizes] = text.match(/H?MSG reply 1 (\d+)(?: (\d+))?\r\n/) ?? [];
    const [first, all] = sizes.map(Number);
    const answer = text.slice(text.indexOf(line) + line.length);
    if (line === '' || answer.length < (all || (first ?? 0)) + 2) continue;
    socket.destroy();
    const headBytes = line.startsWith('HMSG') ? (first ?? 0) : 0;
    return [answer.slice(0, headBytes), answer.slice(headBytes).trimEnd()];
  }
  throw new Error(`The server has closed the connection: ${text}`);
}

test.skipIf(engineProgram('nats') === undefined)(
  'a program that knows the text of the protocol alone runs a task, and reads its error',
  async () => {
    await using server = await startNatsServer();
    const tasks = defineTasks({
      sum: (numbers: number[]) => numbers.reduce((a, b) => a + b, 0),
      fail: () => {
        throw new RangeError('out of range');
      },
    });
    await using dispatcher = createInProcessDispatcher(tasks);
    await using host = serveNatsTasks({
      nats: { servers: server.url },
      fleet: 'shop',
      dispatcher,
      tasks: ['sum', 'fail'],
      json: serveJson,
    });
    await host.ready();
    await dispatcher.ready();
    // `ready()` waits for the subscriptions of dispatchers alone, so the first request may be early.
    let answer: [string, string];
    do answer = await ask(server.port, 'tt.shop.t.sum', '[1, 2, 3]');
    while (/^NATS\/1.0 503/.test(answer[0]));
    expect(answer).toEqual(['', '6']);
    const [head, body] = await ask(server.port, 'tt.shop.t.fail', '');
    expect(head).toContain('Nats-Service-Error: out of range\r\nNats-Service-Error-Code: 500\r\n');
    expect(JSON.parse(body)).toEqual({ error: { name: 'RangeError', message: 'out of range' } });
  },
);
