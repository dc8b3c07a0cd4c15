/**
 * Returns the number of edits between two texts: insert, delete, replace, swap of two neighbours.
 *
 * Optimal string alignment (the restricted Damerau-Levenshtein distance), three rows.
 * Cost is `a.length * b.length`: callers bound the lengths.
 */
export function editDistance(a: string, b: string): number {
  let older: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (previous[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (previous[column - 1] as number) + (same ? 0 : 1),
      );
      // Before the first character there is `undefined`, which equals none.
      if (a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (older[column - 2] as number) + 1);
      }
      current.push(cost);
    }
    older = previous;
    previous = current;
  }
  return previous[b.length] as number;
}

/** Length from which on no text is near another: the cost grows with the length. */
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
