/** Writes rows as a Markdown table with even columns; the first row is the head, the first column is text. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths =
    rows[0]?.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const padded = rows.map((row) =>
    line(
      widths.map((width, column) =>
        column === 0 ? (row[0] ?? '').padEnd(width) : (row[column] ?? '').padStart(width),
      ),
    ),
  );
  const rule = line(widths.map((width, column) => (column === 0 ? '-' : ':').padStart(width, '-')));
  const [head = '', ...body] = padded;
  return [head, rule, ...body];
}

/** A number a second in three digits: `1.23M`, `45.6k`, `789`. */
export function perSecond(value: number): string {
  if (value >= 999_500) return `${three(value / 1e6)}M`;
  if (value >= 999.5) return `${three(value / 1e3)}k`;
  return three(value);
}

/** Three digits, or all before the point. */
export function three(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}

/** `1.23x`. */
export function times(ratio: number): string {
  return `${ratio.toFixed(2)}x`;
}
