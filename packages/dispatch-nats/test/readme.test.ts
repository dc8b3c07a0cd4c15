import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connect } from '@nats-io/transport-node';
import type { NatsHostEvent } from '@ticketing/dispatch-nats';
import {
  documentedFields,
  engineProgram,
  type FieldsOf,
  fieldNames,
  gone,
  startNatsServer,
} from '@ticketing/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
// Not in node_modules, where Node runs no TypeScript.
const folder = new URL('test/.readme/', root);
const readme = await readFile(new URL('README.md', root), 'utf8');
const reference = await readFile(new URL('../../docs/reference/dispatch-nats.md', root), 'utf8');
const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);

beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true }));

test.skipIf(engineProgram('nats') === undefined)(
  'README: a host, and a dispatcher that runs its tasks; SIGTERM ends the host',
  async () => {
    const [tasks = '', host = '', program = ''] = snippets;
    await using server = await startNatsServer();
    const env = { ...process.env, NATS_URL: server.url };
    const args = (name: string) => [
      '--conditions=@ticketing/source',
      fileURLToPath(new URL(name, folder)),
    ];
    await writeFile(new URL('tasks.ts', folder), tasks);
    await writeFile(new URL('host.ts', folder), host);
    await writeFile(
      new URL('program.ts', folder),
      `${program}\nconsole.log(sum, dispatcher.state);\n`,
    );
    const child: ChildProcess = spawn(process.execPath, args('host.ts'), {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stderr?.on('data', (text) => {
      output += text;
    });
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args('program.ts'), {
      env,
    });
    expect({ stdout, stderr }).toEqual({ stdout: '6 closed\n', stderr: '' });
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(output).toBe('');
    await gone(child.pid as number, 10_000);
  },
);

test.skipIf(engineProgram('nats') === undefined)(
  'README: the subjects of JSON requests and the name of the service',
  async () => {
    await using server = await startNatsServer();
    const { createInProcessDispatcher, defineTasks } = await import('@ticketing/dispatch');
    const { serveNatsTasks } = await import('../src/index.ts');
    const { serveJson } = await import('../src/json/index.ts');
    const nats = { servers: server.url };
    const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
    await using dispatcher = createInProcessDispatcher(defineTasks({ sum }));
    await using host = serveNatsTasks({
      nats,
      fleet: 'shop',
      dispatcher,
      tasks: ['sum'],
      json: serveJson,
    });
    await host.ready();
    const client = await connect(nats);
    const [, subject = '', payload = ''] = readme.match(/nats .*request (\S+) '([^']*)'/) ?? [];
    const [, service = ''] = readme.match(/nats micro info (\S+)/) ?? [];
    expect((await client.request(subject, payload)).json()).toBe(6);
    expect((await client.request(`$SRV.INFO.${service}`)).json()).toMatchObject({
      name: service,
      endpoints: [{ name: 'sum', subject, queue_group: 'hosts' }],
    });
    await client.close();
  },
);

test('README begins with the sentence of the package, and has at most 900 words; the reference has every option', async () => {
  const { description } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const index = await readFile(new URL('src/index.ts', root), 'utf8');
  const files = ['dispatcher', 'host', 'host-event'].map(
    (name) => new URL(`src/contract/${name}.ts`, root),
  );
  const contract = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
  expect(readme.startsWith(`# @ticketing/dispatch-nats\n\n${description}.\n`)).toBe(true);
  expect(index.startsWith(`// ${description}\n`)).toBe(true);
  for (const kind of ['NatsDispatcherOptions', 'ServeNatsTasksOptions']) {
    const text = contract.match(new RegExp(`interface ${kind}[\\s\\S]*?\n}\n`))?.[0] ?? '';
    const names = [...text.matchAll(/^ {2}readonly (\w+)|^ {4}\| '(\w+)'/gm)];
    expect(names.length).toBeGreaterThan(5);
    const missing = names.filter(
      ([, own, inherited]) => !new RegExp(`[.\`]${own ?? inherited}\\b`).test(reference),
    );
    expect(missing.map(([text]) => text)).toEqual([]);
  }
  for (const kind of ['NatsRefusal', 'NatsLossSign', 'NatsHostEvent']) {
    const text = contract.match(new RegExp(`export type ${kind} =[\\s\\S]*?\n(?:\n|$)`))?.[0] ?? '';
    const names = [...text.matchAll(/'([\w-]+)'/g)].map(([, name]) => name);
    expect(names.length, kind).toBeGreaterThan(4);
    expect(names.filter((name) => !reference.includes(`\`${name}\``))).toEqual([]);
  }
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
  expect(snippets).toHaveLength(3);
});

type EventsByType = {
  readonly [Type in NatsHostEvent['type']]: Extract<NatsHostEvent, { readonly type: Type }>;
};

test('the reference has the fields of each type of message, and no others', () => {
  const host = { type: true, name: true, host: true } as const;
  const fields: FieldsOf<EventsByType> = {
    joined: host,
    leaving: host,
    refused: { ...host, reason: true },
    lost: { ...host, sign: true },
    late: { type: true, host: true, blockedMs: true },
    closed: { ...host, reconnects: true, error: true },
    unsent: { ...host, subject: true, bytes: true, error: true },
  };
  const page = reference.slice(reference.indexOf('## Diagnostics'));
  expect(documentedFields(page, /^[a-z]+$/)).toEqual(fieldNames(fields));
});
