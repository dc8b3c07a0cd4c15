/** Lines of one chart. More would be a tangle; the table has all of them. */
export const MOST_LINES = 8;

/** Colours of the style sheet that lines have in turn. */
const COLOURS = 4;
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]] as const;

/** Returns the dashes of a line: lines differ by more than colour, and those of one colour by their dashes. */
export function dashOf(line: number): readonly number[] {
  return DASHES[(line + Math.floor(line / COLOURS)) % DASHES.length] ?? [];
}
