/** Colour of the style sheet in both schemes. */
export interface ColourToken {
  readonly name: string;
  readonly light: string;
  readonly dark: string;
}

/** Returns the colours that a style sheet declares as `--name: light-dark(#…, #…)`, each on a line of its own, in their order. */
export function colourTokens(sheet: string): readonly ColourToken[] {
  return [...sheet.matchAll(/^ {2}--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/gm)].map(
    ([, name = '', light = '', dark = '']) => ({ name, light, dark }),
  );
}

/** Inks, each on the grounds that it is written on. Text needs a contrast of 4.5, the edge of a control 3. */
export const PAIRS: readonly (readonly [ink: string, ground: string, least: number])[] = [
  ...['text', 'text-2', 'text-3', 'accent-text', 'good', 'warn', 'bad'].flatMap((ink) =>
    ['bg', 'surface', 'sunken'].map((ground) => [ink, ground, 4.5] as const),
  ),
  ...['c1', 'c2', 'c3', 'c4', 'c5', 'c6'].map((ink) => [ink, 'surface', 4.5] as const),
  ...['text', 'text-3', 'accent-text'].map((ink) => [ink, 'accent-soft', 4.5] as const),
  ...['good', 'warn', 'bad'].map((ink) => [ink, `${ink}-soft`, 4.5] as const),
  ...['warn', 'bad'].map((ink) => ['text-2', `${ink}-soft`, 4.5] as const),
  ...['surface', 'bg'].map((ground) => ['border', ground, 3] as const),
];
