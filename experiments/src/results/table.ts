/** Rows as a Markdown table with even columns; the first row is the head, the first `texts` columns are text. */
export function table(rows: readonly (readonly string[])[], texts = 1): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [head = '', ...body] = rows.map((row) =>
    line(
      widths.map((width, column) =>
        column < texts ? (row[column] ?? '').padEnd(width) : (row[column] ?? '').padStart(width),
      ),
    ),
  );
  const rule = widths.map((width, column) => (column < texts ? '-' : ':').padStart(width, '-'));
  return [head, line(rule), ...body];
}

/** Three digits, or all before the point: `0.123`, `12.3`, `12345`. */
export function three(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return Math.abs(value) < 0.001 ? '0' : value.toPrecision(3);
}

/** `12 %`. */
export function percent(share: number): string {
  if (!Number.isFinite(share)) return '-';
  return `${Math.abs(share) < 0.1 ? (100 * share).toFixed(1) : (100 * share).toFixed(0)} %`;
}

/** `1.23x`. */
export function times(ratio: number): string {
  return Number.isFinite(ratio) ? `${three(ratio)}x` : '-';
}
