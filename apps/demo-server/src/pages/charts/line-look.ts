/** Colour and dashes of a line, as classes of the style sheet. */
export interface LineLook {
  /** `bad` is for errors alone. */
  readonly ink: 'c1' | 'c2' | 'c3' | 'c4' | 'c5' | 'c6' | 'cbad';
  readonly dash: 'd1' | 'd2' | 'd3' | 'd4';
}

const INKS = ['c1', 'c2', 'c3', 'c4', 'c5'] as const;
const DASHES = ['d1', 'd2', 'd4'] as const;

/** Several lines that are drawn as one: grey and dotted, as no other is. */
export const MORE_LOOK: LineLook = { ink: 'c6', dash: 'd3' };

/** Looks that `lookOf` returns before one comes again. */
export const LOOKS = INKS.length * DASHES.length;

/** Returns the look of the line at a place of a list: neighbours differ by colour and by dashes, and {@link LOOKS} lines by one of them. */
export function lookOf(place: number): LineLook {
  const ink = INKS[place % INKS.length] ?? 'c1';
  const turn = (place % INKS.length) + 2 * Math.floor(place / INKS.length);
  return { ink, dash: DASHES[turn % DASHES.length] ?? 'd1' };
}
