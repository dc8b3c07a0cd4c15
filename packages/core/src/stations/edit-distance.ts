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
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (older[column - 2] as number) + 1);
      }
      current.push(cost);
    }
    older = previous;
    previous = current;
  }
  return previous[b.length] as number;
}
