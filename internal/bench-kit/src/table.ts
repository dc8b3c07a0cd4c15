/** Formats rows as a Markdown table. The first row is the head, the first `texts` columns are text. */
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

/** Formats three digits, or all before the point: `0.123`, `12.3`, `12345`. `-` if not finite. */
export function three(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return Math.abs(value) < 0.001 ? '0' : value.toPrecision(3);
}

/** Formats a number per second in three digits: `1.23M`, `45.6k`, `789`. `-` if not finite. */
export function perSecond(value: number): string {
  if (value >= 999_500) return `${three(value / 1e6)}M`;
  if (value >= 999.5) return `${three(value / 1e3)}k`;
  return three(value);
}

/** Formats a share: `12 %`, below a tenth `1.2 %`. `-` if not finite. */
export function percent(share: number): string {
  if (!Number.isFinite(share)) return '-';
  return `${Math.abs(share) < 0.1 ? (100 * share).toFixed(1) : (100 * share).toFixed(0)} %`;
}

/** Formats a ratio: two digits after the point below 10, else three in all: `0.99x`, `2.00x`, `25.1x`. `-` if not finite. */
export function times(ratio: number): string {
  if (!Number.isFinite(ratio)) return '-';
  return `${Math.abs(ratio) < 9.995 ? ratio.toFixed(2) : three(ratio)}x`;
}
