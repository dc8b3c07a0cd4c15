import { readFile } from 'node:fs/promises';
import { createInProcessDispatcher, type TaskModule } from '@ticketing/dispatch';
import {
  type ConformanceTasks,
  type CreateDispatcher,
  conformanceCases,
} from '@ticketing/dispatch-conformance';
import { expect, test } from 'vitest';

const read = (path: string): Promise<string> =>
  readFile(new URL(`../${path}`, import.meta.url), 'utf8');
const readme = await read('README.md');

test('README: the cases, given to a test runner', async () => {
  const [snippet = ''] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1]);
  const body = (snippet as string).replace(/^import .*\n/gm, '');
  const create: CreateDispatcher = async (module, options) => {
    const loaded = (await import(module.href)) as { default: TaskModule<ConformanceTasks> };
    return createInProcessDispatcher(loaded.default, options);
  };
  const given: [name: string, skip: boolean, run: () => Promise<void>][] = [];
  const runner = (name: string, { skip }: { skip: boolean }, run: () => Promise<void>) =>
    given.push([name, skip, run]);
  new Function('test', 'conformanceCases', 'createMyDispatcher', body)(
    runner,
    conformanceCases,
    create,
  );
  const [, skip, run] = given.find(([name]) => name.startsWith('order:')) ?? [];
  expect(skip).toBe(false);
  await run?.();
});

test('README begins with the sentence of the package, names every export, and has at most 900 words', async () => {
  const { description } = JSON.parse(await read('package.json'));
  const index = await read('src/index.ts');
  expect(readme.startsWith(`# @ticketing/dispatch-conformance\n\n${description}.\n`)).toBe(true);
  expect(index.startsWith(`// ${description}\n`)).toBe(true);
  for (const [, name] of index.matchAll(/(?:\{|,) (?!type\b)([a-z]\w+)/g)) {
    expect(readme).toContain(name);
  }
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
});
