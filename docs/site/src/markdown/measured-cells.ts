/** A column of a table whose cells are measured numbers of one unit. */
export interface MeasuredColumn {
  readonly title: string;
  readonly unit: string;
  readonly values: readonly {
    readonly label: string;
    readonly value: number;
    readonly text: string;
  }[];
}

/** A number with its unit, and a ratio in brackets: `2,852 µs (1.00x)`, `55.9k`, `36 %`. */
const CELL =
  /^(-?\d[\d,]*(?:\.\d+)?)(k|M)?\s?(ns|µs|ms|s|min|B|kB|MB|GB|\/s|%|x)?(?:\s\([^()]*\))?$/;
const FACTORS: Readonly<Record<string, number>> = { k: 1_000, M: 1_000_000 };

/** Returns the columns of a table that can be drawn: three numbers or more of one unit, and no other text in them. */
export function measuredColumns([
  head = [],
  ...rows
]: readonly (readonly string[])[]): MeasuredColumn[] {
  return head.slice(1).flatMap((title, column) => {
    const cells = rows.map((row) => ({
      label: withoutMarks(row[0] ?? ''),
      text: withoutMarks(row[column + 1] ?? ''),
    }));
    const filled = cells.filter(({ label, text }) => label !== '' && text !== '');
    const read = filled.map(({ label, text }) => ({ label, text, match: CELL.exec(text) }));
    const units = new Set(read.map(({ match }) => match?.[3] ?? ''));
    if (read.length < 3 || units.size > 1 || read.some(({ match }) => match === null)) return [];
    const values = read.map(({ label, text, match }) => ({
      label,
      text,
      value: Number(match?.[1]?.replaceAll(',', '')) * (FACTORS[match?.[2] ?? ''] ?? 1),
    }));
    const isDrawable =
      values.some(({ value }) => value > 0) && values.every(({ value }) => value >= 0);
    return isDrawable ? [{ title: withoutMarks(title), unit: [...units][0] ?? '', values }] : [];
  });
}

function withoutMarks(text: string): string {
  return text
    .replaceAll(/\*\*|`/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim();
}
