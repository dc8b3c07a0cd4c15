import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const source = read('src/errors.ts');
const documented = [...read('../../docs/reference/core.md').matchAll(/^\| `([A-Z_]+)` /gm)].map(
  ([, code]) => code,
);

test('the reference documents every code of RailError and CarrierError, and no other', () => {
  const rail = [...source.matchAll(/^ {2}\| '(ERR_\w+)'/gm)].map(([, code]) => code);
  const carrier = [...source.matchAll(/^ {2}([A-Z_]+): (?:true|false),$/gm)].map(
    ([, code]) => code,
  );
  expect(rail).toHaveLength(6);
  expect(carrier).toHaveLength(15);
  expect(documented.toSorted()).toEqual([...rail, ...carrier].sort());
});

test('every code of RailError is thrown somewhere in the source', () => {
  const thrown = readdirSync(new URL('../src/', import.meta.url), { recursive: true })
    .map((name) => `src/${name}`)
    .filter((name) => name.endsWith('.ts') && name !== 'src/errors.ts')
    .map(read)
    .join('\n');
  for (const [, code] of source.matchAll(/^ {2}\| '(ERR_\w+)'/gm))
    expect(thrown).toContain(`'${code}'`);
});
