import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

test('bundlers keep the program of the workers: importing it is all that an entry of a bundle does', () => {
  const { '@ticketing/source': source, default: built } = manifest.exports['./worker'];
  expect(manifest.sideEffects).toEqual([source, built]);
});
