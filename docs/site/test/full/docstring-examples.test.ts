import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, onTestFinished, test } from 'vitest';
import { errorsOf, examplesOf } from '../../src/check/docstring-examples.ts';
import { root } from '../../src/repository.ts';

const config = ts.getParsedCommandLineOfConfigFile(
  join(root, 'docs/site/src/api/tsconfig.json'),
  {},
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (each) => expect.unreachable(String(each)) },
);
const packages = globSync('packages/*/src/index.ts', { cwd: root })
  .sort()
  .map((path) => dirname(dirname(join(root, path))))
  .map((folder) => ({ folder, name: folder.split('/').at(-1), examples: examplesOf(folder) }))
  .filter(({ examples }) => examples.length > 0);

/** `expression; // value` of an example, where the value is a literal. */
function statedValues(code: string): readonly { statement: string; value: string }[] {
  return [...code.matchAll(/^(?!const|let|import)(.+?);? \/\/ (.+)$/gm)].flatMap(
    ([, statement = '', value = '']) => {
      try {
        // It may be a sentence.
        new Function(`return (${value});`)();
        return [{ statement, value }];
      } catch {
        return [];
      }
    },
  );
}

describe.each(packages)('docstrings of $name', ({ folder, examples }) => {
  test('each example compiles with what the package exports', () => {
    expect(errorsOf(folder, examples, config?.options ?? {})).toEqual([]);
  });

  const whole = examples.filter(
    ({ code, unknown }) => unknown.length === 0 && statedValues(code).length > 0,
  );
  test.runIf(whole.length > 0).each(whole)(
    'the example of $file gives what it states',
    async (example) => {
      const programs = new URL('../../node_modules/.examples/', import.meta.url);
      mkdirSync(programs, { recursive: true });
      onTestFinished(() => rmSync(programs, { recursive: true }));
      const values = statedValues(example.code);
      let { code } = example;
      for (const [index, { statement }] of values.entries()) {
        code = code.replace(statement, `export const stated${index} = ${statement}`);
      }
      const file = new URL('example.ts', programs);
      writeFileSync(file, `${example.imports}\n${code}\n`);
      const found = await import(`${file.href}?${example.file}-${values[0]?.value}`);
      for (const [index, { value }] of values.entries()) {
        expect(found[`stated${index}`]).toEqual(new Function(`return (${value});`)());
      }
    },
  );
});

test('an example with an option that there is not, or with too many arguments, does not compile', () => {
  const folder = join(root, 'packages/batching');
  const imports = `import { coalesce } from '${folder}/src/index.ts';`;
  const wrong = [
    "coalesce(async () => 1, { nmae: 'x' });",
    'coalesce(async () => 1, {}, fetchUser);',
  ];
  const examples = wrong.map((code) => ({ file: 'x.ts', code, imports, unknown: ['fetchUser'] }));
  expect(errorsOf(folder, examples, config?.options ?? {})).toEqual([
    expect.stringContaining('nmae'),
    expect.stringContaining('Expected 1-2 arguments, but got 3'),
  ]);
});

test('all docstrings together have examples of most exports', () => {
  expect(packages.flatMap(({ examples }) => examples).length).toBeGreaterThan(50);
});
