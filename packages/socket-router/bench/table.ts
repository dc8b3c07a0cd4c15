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
