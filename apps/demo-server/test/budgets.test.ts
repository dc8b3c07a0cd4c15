import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { expect, inject, test } from 'vitest';
import { sharedServer } from './demo.ts';

const server = sharedServer();

/** Bytes by brotli of a bundled file. */
function bytesOf(file: string): number {
  const assets = `${fileURLToPath(inject('programs'))}assets/`;
  const [name = ''] = readdirSync(assets);
  return statSync(`${assets}${name}/${file}.br`).size;
}

test('the traveller’s page with a search stays within 30 kB: 5 of markup, 7.5 of style, 17.5 of script', async () => {
  const { body } = await server().get('/?origin=Madrid&destination=Barcelona');
  const markup = brotliCompressSync(body).length;
  const style = bytesOf('traveller.css');
  const script = bytesOf('traveller.js');
  const later = bytesOf('traveller-later.js');
  console.log(`markup ${markup} bytes, style ${style}, script ${script}, later ${later}`);
  expect(markup).toBeLessThan(5000);
  expect(style).toBeLessThan(7500);
  expect(script).toBeLessThan(17_500);
  expect(markup + style + script + bytesOf('icon.svg')).toBeLessThan(30_000);
  // After the first answer: what opens journeys, the form, other days, and why a list is empty.
  expect(later).toBeLessThan(19_000);
});

test('each picture of the READMEs stays within 150 kB, the moving one within 1 MB, and is shown', () => {
  const folder = new URL('../../../docs/pictures/', import.meta.url);
  const readmes = ['../README.md', '../../../README.md']
    .map((path) => readFileSync(new URL(path, import.meta.url), 'utf8'))
    .join();
  const names = readdirSync(folder);
  expect(names.toSorted()).toEqual(
    [
      ...['home', 'journey', 'operator', 'results', 'round-trip'].flatMap((name) =>
        ['dark', 'light'].map((scheme) => `${name}-${scheme}.webp`),
      ),
      ...['operator', 'partial', 'results'].map((name) => `${name}-phone.webp`),
      'story.webp',
    ].toSorted(),
  );
  for (const name of names) {
    const most = name === 'story.webp' ? 1_000_000 : 150_000;
    expect(statSync(new URL(name, folder)).size, name).toBeLessThan(most);
    expect(readmes).toContain(`docs/pictures/${name}`);
  }
});
