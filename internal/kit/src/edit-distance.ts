/**
 * Returns the number of edits between two texts: insert, delete, replace, swap of two neighbours.
 *
 * Optimal string alignment (the restricted Damerau-Levenshtein distance), three rows.
 * Cost is `a.length * b.length`: callers bound the lengths.
 */
export function editDistance(a: string, b: string): number {
  const width = b.length + 1;
  let older = new Uint32Array(width);
  let previous = Uint32Array.from({ length: width }, (_, column) => column);
  let current = new Uint32Array(width);
  for (let row = 1; row <= a.length; row++) {
    const own = a.charCodeAt(row - 1);
    const before = a.charCodeAt(row - 2);
    current[0] = row;
    for (let column = 1; column < width; column++) {
      const other = b.charCodeAt(column - 1);
      const replaced = (previous[column - 1] as number) + (own === other ? 0 : 1);
      const moved = Math.min(previous[column] as number, current[column - 1] as number) + 1;
      // Before the first character there is NaN, which equals none.
      const isSwap = before === other && own === b.charCodeAt(column - 2);
      const swapped = isSwap ? (older[column - 2] as number) + 1 : replaced;
      current[column] = Math.min(replaced, moved, swapped);
    }
    [older, previous, current] = [previous, current, older];
  }
  return previous[b.length] as number;
}

/** Of a text this long and longer nothing is near: the cost grows with its length. */
const LONGEST = 64;
/** Edits, as a share of the longer text, up to which two texts are near. */
const NEAR = 0.4;

/**
 * Returns which of the known names a misspelt one may mean, whatever its case: the one with the fewest edits if those are two
 * fifths of the longer name at most, or else the first that contains the name or is contained in it.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  if (wanted.length < 2 || wanted.length > LONGEST) return undefined;
  const shares = known.map((one) => {
    return editDistance(wanted, one.toLowerCase()) / Math.max(wanted.length, one.length);
  });
  const least = Math.min(...shares);
  if (least <= NEAR) return known[shares.indexOf(least)];
  // As when a unit is missing.
  return known.find((one) => {
    const other = one.toLowerCase();
    return (
      Math.min(wanted.length, one.length) > 2 && (other.includes(wanted) || wanted.includes(other))
    );
  });
}
