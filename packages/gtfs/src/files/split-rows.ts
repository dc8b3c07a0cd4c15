import { initParser } from 'udsv';

/** Places of the wanted columns in a file, and the names of all its columns. */
export interface ColumnPlaces {
  /** Place of each column that was asked for, -1 without it. */
  readonly places: readonly number[];
  readonly names: readonly string[];
}

/**
 * Returns a function that splits whole rows into values, by the library. Three things are done around it: blanks go, ends of lines within
 * quotes become blanks, and rows that are too short, which the library joins with the next, are filled up.
 */
export function splitRows(
  { places, names }: ColumnPlaces,
  takeRow: (values: readonly string[]) => void,
): (rows: string) => void {
  const values: string[] = places.map(() => '');
  const parser = initParser({
    col: ',',
    row: '\n',
    encl: '"',
    esc: '"',
    trim: false,
    cols: names.map((name) => {
      return { name, type: 's', repl: { empty: '', null: undefined, NaN: undefined } };
    }),
  });
  // An empty row behind the last: if that one is too short, it has something to be joined with.
  const lastRow = `${','.repeat(names.length - 1)}\n`;

  function take(row: readonly string[]): void {
    let isBlank = true;
    for (let index = 0; index < places.length; index++) {
      const place = places[index] as number;
      const value = place < 0 ? '' : trimmed(row[place] ?? '');
      if (value !== '') isBlank = false;
      values[index] = value;
    }
    if (!isBlank) takeRow(values);
  }

  return (rows) => {
    let text = rows.includes('\r') ? rows.replaceAll('\r\n', '\n') : rows;
    if (text.includes('"')) text = text.replaceAll(/"[^"]*"/g, withoutLineEnds);
    let found = parser.stringArrs(text + lastRow);
    if (found.length !== linesIn(text) + 1) {
      const filled = text.split('\n').map((line) => filledUp(line, names.length));
      found = parser.stringArrs(filled.join('\n') + lastRow);
    }
    for (const row of found) take(row);
  };
}

/** Returns a line with as many columns as the header, at least. */
function filledUp(line: string, columns: number): string {
  if (line === '') return line;
  const has = line.replaceAll(/"[^"]*"/g, '').split(',').length;
  return line + ','.repeat(Math.max(0, columns - has));
}

/** Counts the lines that are not empty. */
function linesIn(text: string): number {
  let count = 0;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end > start) count++;
    start = end + 1;
  }
  return count;
}

function withoutLineEnds(quoted: string): string {
  return quoted.includes('\n') ? quoted.replaceAll('\n', ' ') : quoted;
}

function trimmed(value: string): string {
  const last = value.length - 1;
  return last >= 0 && (value.charCodeAt(0) <= 32 || value.charCodeAt(last) <= 32)
    ? value.trim()
    : value;
}
