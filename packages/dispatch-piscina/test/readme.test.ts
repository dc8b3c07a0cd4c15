import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
// Not in node_modules, where Node runs no TypeScript.
const folder = new URL('test/.readme/', root);
const readme = await readFile(new URL('README.md', root), 'utf8');
const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);

beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true }));

test('README: tasks, and a dispatcher that runs them', async () => {
  const [tasks = '', program = ''] = snippets;
  const file = new URL('program.ts', folder);
  await writeFile(new URL('tasks.ts', folder), tasks);
  await writeFile(file, `${program}\nconsole.log(inverted.join(), dispatcher.state);\n`);
  const args = ['--conditions=@ticketing/source', fileURLToPath(file)];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  expect({ stdout, stderr }).toEqual({ stdout: '255,155,0 closed\n', stderr: '' });
});

test('README begins with the sentence of the package, and has at most 900 words; the reference has every option', async () => {
  const { description } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const index = await readFile(new URL('src/index.ts', root), 'utf8');
  const reference = await readFile(
    new URL('../../docs/reference/dispatch-piscina.md', root),
    'utf8',
  );
  const options = await readFile(new URL('src/create-piscina-dispatcher.ts', root), 'utf8');
  expect(readme.startsWith(`# @ticketing/dispatch-piscina\n\n${description}.\n`)).toBe(true);
  expect(index.startsWith(`// ${description}\n`)).toBe(true);
  for (const [, name] of options.matchAll(/^ {2}readonly (\w+)/gm)) {
    expect(reference).toContain(`\`${name}\``);
  }
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
  expect(snippets).toHaveLength(2);
});
