import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { carrierMarks } from '../src/carriers/carrier-marks.ts';
import { CARRIER_NAMES } from '../src/carriers/carriers.ts';
import { carrierMark, markStyles } from '../src/pages/frame/carrier-mark.ts';

const tokens = new Map(
  [
    ...readFileSync(new URL('../src/pages/look/tokens.css', import.meta.url), 'utf8').matchAll(
      /--([\w-]+):\s*light-dark\((#\w{6}), (#\w{6})\)/g,
    ),
  ].map(([, name = '', light = '', dark = '']) => [name, { light, dark }] as const),
);

/** Contrast of two colours by WCAG 2, from 1 to 21. */
function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [one, other].map(luminance).sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Colours of text, each on what it is written. */
const TEXTS = [
  ...['text', 'text-2', 'text-3', 'accent-text', 'good', 'warn', 'bad'].flatMap((ink) =>
    ['bg', 'surface', 'sunken'].map((ground) => [ink, ground] as const),
  ),
  ...['c1', 'c2', 'c3', 'c4', 'c5', 'c6'].map((ink) => [ink, 'surface'] as const),
  ['accent-text', 'accent-soft'],
  ['good', 'good-soft'],
  ['warn', 'warn-soft'],
  ['bad', 'bad-soft'],
] as const;

test.each(['light', 'dark'] as const)('every text has its contrast, %s', (scheme) => {
  expect(tokens.size).toBeGreaterThan(25);
  const colour = (name: string) => tokens.get(name)?.[scheme] ?? 'no such token';
  for (const [ink, ground] of TEXTS) {
    const ratio = contrast(colour(ink), colour(ground));
    expect(ratio, `${ink} on ${ground}: ${ratio.toFixed(1)}`).toBeGreaterThanOrEqual(4.5);
  }
  for (const ground of ['accent', 'accent-hover', 'accent-pressed']) {
    expect(contrast('#ffffff', colour(ground)), ground).toBeGreaterThanOrEqual(4.5);
  }
  // The edge of a control is what shows it.
  expect(contrast(colour('border'), colour('surface'))).toBeGreaterThanOrEqual(3);
  expect(contrast(colour('border'), colour('bg'))).toBeGreaterThanOrEqual(3);
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
