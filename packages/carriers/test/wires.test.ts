import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';

const wires = new URL('../wires/', import.meta.url);
const pages = readdirSync(wires).map((name) => ({
  name,
  text: readFileSync(new URL(name, wires), 'utf8'),
}));
const programs = pages.flatMap(({ name, text }) =>
  [...text.matchAll(/^```(?:ts|js)\n(.*?)^```$/gms)].map(([, code = '']) => ({ name, code })),
);

test.each(programs)('the program of wires/$name makes a carrier', async ({ name, code }) => {
  const folder = new URL(`../node_modules/.readme/${name}/`, import.meta.url);
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [, carrier] = /const (\w+) = create/.exec(code) ?? [];
  // What the page names and a reader would have.
  const given = `
import { hafasSimProfile as profile } from '@ticketing/carrier-sim';
import { createAvlo, createHafas, createOjp, createOsdm, createOuigo, createRenfe } from '../../../src/index.ts';
const baseUrl = 'https://carrier.example';
const sim = { url: 'http://127.0.0.1' };
const credentials = { username: 'me', password: 'secret' };
const token = async () => 'token';
`;
  const file = new URL('program.ts', folder);
  writeFileSync(file, `${given}${code}\nexport const made = ${carrier};\n`);
  const { made } = await import(file.href);
  expect(made.request).toBeTypeOf('function');
});

test('each page of a wire has a program', () => {
  expect(programs.length).toBeGreaterThanOrEqual(pages.length);
});
