import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dashOf, MOST_LINES } from '../src/pages/browser/operator/line-dash.ts';

const style = readFileSync(new URL('../src/pages/browser/operator.css', import.meta.url), 'utf8');

/** The colour that the style sheet gives to a line. */
function colourOf(line: number): string {
  const [, colour = ''] =
    new RegExp(`\\.ink-${line}\\b[^{]*\\{\\s*color: var\\((--ink-\\d)\\)`).exec(style) ?? [];
  expect(colour, `line ${line}`).toMatch(/^--ink-/);
  return colour;
}

test('no two lines of a chart look the same, and those of neighbours differ in dashes too', () => {
  const lines = Array.from({ length: MOST_LINES }, (_, line) => line);
  const looks = lines.map((line) => `${colourOf(line)} ${dashOf(line)}`);
  expect(new Set(looks).size).toBe(MOST_LINES);
  for (const line of lines.slice(1)) expect(dashOf(line)).not.toEqual(dashOf(line - 1));
});
