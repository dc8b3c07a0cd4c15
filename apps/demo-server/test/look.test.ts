import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { carrierMarks } from '../src/carriers/carrier-marks.ts';
import { CARRIER_NAMES } from '../src/carriers/carriers.ts';
import { carrierMark, markStyles } from '../src/pages/frame/carrier-mark.ts';
import { contrast } from '../src/pages/styleguide/contrast.ts';
import { colourTokens, PAIRS } from '../src/pages/styleguide/tokens.ts';

const sheet = readFileSync(new URL('../src/pages/look/tokens.css', import.meta.url), 'utf8');
const tokens = new Map(colourTokens(sheet).map((token) => [token.name, token]));

test.each(['light', 'dark'] as const)('every text has its contrast, %s', (scheme) => {
  expect(tokens.size).toBeGreaterThan(25);
  const colour = (name: string) => tokens.get(name)?.[scheme] ?? 'no such token';
  for (const [ink, ground, least] of PAIRS) {
    const ratio = contrast(colour(ink), colour(ground));
    expect(ratio, `${ink} on ${ground}: ${ratio.toFixed(1)}`).toBeGreaterThanOrEqual(least);
  }
  for (const ground of ['accent', 'accent-hover', 'accent-pressed']) {
    expect(contrast('#ffffff', colour(ground)), ground).toBeGreaterThanOrEqual(4.5);
  }
});

test('every carrier has a mark of its own, in a colour that white can be read on', () => {
  expect(Object.keys(carrierMarks).sort()).toEqual([...CARRIER_NAMES].sort());
  const all = Object.values(carrierMarks);
  expect(new Set(all.map(({ letters }) => letters)).size).toBe(all.length);
  expect(new Set(all.map(({ colour }) => colour)).size).toBe(all.length);
  for (const [id, { letters, colour }] of Object.entries(carrierMarks)) {
    expect(letters).toMatch(/^[A-Z]{2}$/);
    expect(contrast('#ffffff', colour), id).toBeGreaterThanOrEqual(4.5);
    expect(markStyles()).toContain(`.mark.${id}{--mark:${colour}}`);
  }
});

test('an operator without a mark has its initials, whatever its name', () => {
  const letters = (name: string) => />(.*)</.exec(String(carrierMark('other', name)))?.[1];
  expect(['SBB', 'Deutsche Bahn', 'öbb', '', '42', 'x'].map(letters)).toEqual([
    ...['SB', 'DB', 'ÖB', '?', '?', 'X'],
  ]);
  expect(String(carrierMark('toString', 'A B'))).toContain('class="mark"');
  expect(String(carrierMark('renfe', 'Renfe', 'small'))).toContain('class="mark renfe s"');
});

test('docs/design.md lists every colour with its values', () => {
  const page = readFileSync(new URL('../../../docs/design.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([\w-]+)` +\| `(#\w{6})` +\| `(#\w{6})` +\| \S/gm)].map(
    ([, name = '', light = '', dark = '']) => ({ name, light, dark }),
  );
  expect(rows).toEqual([...tokens.values()]);
});
