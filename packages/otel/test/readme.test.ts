import { channel } from 'node:diagnostics_channel';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { Meter } from '@opentelemetry/api';
import { register } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Subscriptions } from '../src/channels.ts';
import { measureLibraries } from '../src/metrics/measure-libraries.ts';
import { figures, libraryFamilies, prometheusName } from '../src/prometheus/index.ts';

const root = new URL('../', import.meta.url);
const read = (path: string): Promise<string> => readFile(new URL(path, root), 'utf8');
const readme = await read('README.md');
const reference = await read('../../docs/reference/otel.md');
const [instrumented = '', written = '', registered = ''] = [
  ...readme.matchAll(/```ts\n([\s\S]*?)```/g),
].map(([, snippet]) => snippet);

const folder = new URL('node_modules/.readme/', root);
beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true }));

async function run(name: string, program: string): Promise<Record<string, unknown>> {
  const file = new URL(`${name}.ts`, folder);
  await writeFile(file, program);
  return import(file.href);
}

/** The dispatcher and the coalescer of the examples. */
const used = `import { createCoalescer } from '@ticketing/batching';
import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
const dispatcher = createInProcessDispatcher(defineTasks({ one: () => 1 }), { name: 'tasks' });
const documents = createCoalescer(async (key: string) => key, { name: 'document' });
await dispatcher.run('one');
await dispatcher.close();
await documents.get('a');
`;
const COUNTED = [
  'ticketing_dispatch_tasks_total{pool="tasks",outcome="completed"} 1',
  'ticketing_coalescer_calls_total{name="document",outcome="led"} 1',
];

test('README: the example subscribes, and close() ends that', async () => {
  const search = channel('tracing:ticketing:core:search:start');
  const { otel } = await run('instrumented', `${instrumented}\nexport { otel };\n`);
  expect(search.hasSubscribers).toBe(true);
  (otel as { close(): void }).close();
  expect(search.hasSubscribers).toBe(false);
});

test('README: statistics are written for Prometheus', async () => {
  const { text } = await run('written', `${used}${written}\nexport { text };\n`);
  for (const line of COUNTED) expect(text).toContain(`${line}\n`);
});

test('README: a registry of prom-client gets the figures', async () => {
  await run('registered', `${used}${registered}`);
  const text = await register.metrics();
  register.clear();
  for (const line of COUNTED) expect(text).toContain(`${line}\n`);
});

test('README has the sentence of the package, and at most 900 words and 120 lines', async () => {
  const { description } = JSON.parse(await read('package.json'));
  expect(readme.startsWith(`# @ticketing/otel\n\n${description}.\n`)).toBe(true);
  expect((await read('src/index.ts')).startsWith(`// ${description}\n`)).toBe(true);
  expect(readme.split('\n').length).toBeLessThanOrEqual(121);
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
});

test('the reference has each attribute of a span', async () => {
  const files = await readdir(new URL('src/spans/', root));
  const source = (await Promise.all(files.map((file) => read(`src/spans/${file}`)))).join('');
  const names = new Set([...source.matchAll(/'ticketing\.([a-z_.]+)'/g)].map(([, name]) => name));
  expect([...names].filter((name) => !reference.includes(`\`${name}\``))).toEqual([]);
});

/** Names of the instruments that are made. */
function measuredNames(): ReadonlySet<string> {
  const names = new Set<string>();
  const create = (name: string) => {
    names.add(name);
    return { add() {}, record() {} };
  };
  const meter = { createCounter: create, createUpDownCounter: create, createHistogram: create };
  const subscriptions = { on() {}, during() {} };
  measureLibraries(meter as unknown as Meter, subscriptions as unknown as Subscriptions);
  return names;
}

test('the reference has each figure, and its source', () => {
  const measured = measuredNames();
  const families = new Set(libraryFamilies.map(({ name }) => name));
  const rows = Object.values(figures).map((figure) => {
    const { name, kind, unit, labels } = figure;
    const known = prometheusName(figure);
    const pairs = Object.entries(labels).map(([label, from]) => `\`${label}\`: \`${from}\``);
    const how = [measured.has(name) ? 'measured' : '', families.has(known) ? 'read' : ''];
    return [
      `\`${name}\``,
      `\`${known}\``,
      unit.length === 0 ? kind : `${kind}, ${unit}`,
      pairs.join(', ') || '-',
      how.filter(Boolean).join(', '),
    ];
  });
  const written = reference
    .split('\n')
    .filter((line) => /^\| `ticketing\.[^|]+\| `ticketing_/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  expect(written).toEqual(rows);
});
