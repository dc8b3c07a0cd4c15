import { channel } from 'node:diagnostics_channel';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';

const root = new URL('../', import.meta.url);
const read = (path: string): Promise<string> => readFile(new URL(path, root), 'utf8');
const readme = await read('README.md');

test('README: the example subscribes, and close() ends that', async () => {
  const folder = new URL('node_modules/.readme/', root);
  await mkdir(folder, { recursive: true });
  onTestFinished(() => rm(folder, { recursive: true }));
  const [, snippet = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const file = new URL('snippet.ts', folder);
  await writeFile(file, `${snippet}\nexport { otel };\n`);
  const search = channel('tracing:ticketing:core:search:start');
  const { otel } = await import(file.href);
  expect(search.hasSubscribers).toBe(true);
  otel.close();
  expect(search.hasSubscribers).toBe(false);
});

test('README has the sentence of the package, each attribute and metric, and at most 120 lines', async () => {
  const { description } = JSON.parse(await read('package.json'));
  expect(readme.startsWith(`# @ticketing/otel\n\n${description}.\n`)).toBe(true);
  expect((await read('src/index.ts')).startsWith(`// ${description}\n`)).toBe(true);
  expect(readme.split('\n').length).toBeLessThanOrEqual(121);
  const source = `${await read('src/spans.ts')}${await read('src/metrics.ts')}`;
  const names = new Set([...source.matchAll(/'ticketing\.([a-z_.]+)'/g)].map(([, name]) => name));
  const missing = [...names].filter((name = '') => {
    const short = name.startsWith('dispatch.') ? name.slice('dispatch'.length) : name;
    return !readme.includes(name) && !readme.includes(`\`${short}\``);
  });
  expect(missing).toEqual([]);
});
