import { GtfsError } from '../errors.ts';
import type { Reading } from './reading.ts';
import { type ColumnPlaces, splitRows } from './split-rows.ts';

/** Characters after which a row without an end is an error: a quote that is not closed takes the rest of a file. */
const MAX_ROW = 1024 * 1024;

/** Columns of a file: required ones, and others. */
export interface Columns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/**
 * Reads values of a row, by the position of a column among the wanted ones. Absent columns are empty texts. Returns the
 * reason why the row is left out, if it is.
 */
export type OnRow = (values: readonly string[]) => string | undefined;

/**
 * Reads a file row by row: UTF-8 with or without a mark, columns in any order, quotes, both ends of lines. `onRow` gets one list for all
 * rows, with the values of `required`, then of `optional`, without blanks around them.
 *
 * @throws GtfsError `ERR_GTFS_COLUMN` for a required column that is missing, `ERR_GTFS_CSV` for text that is no table
 */
export async function readRows(
  { files, signal, leftOut }: Reading,
  file: string,
  { columns, onRow }: { readonly columns: Columns; readonly onRow: OnRow },
): Promise<void> {
  const decoder = new TextDecoder('utf-8');
  let take: ((text: string) => void) | undefined;
  let held = '';
  const takeRow = (values: readonly string[]): void => {
    const reason = onRow(values);
    if (reason !== undefined) leftOut.count(file, reason);
  };
  const takeText = (piece: string): void => {
    const text = held + piece;
    let from = 0;
    const end = endOfRows(text);
    if (take === undefined && end > 0) {
      from = text.indexOf('\n') + 1;
      take = splitRows(placesOf(file, headerOf(text.slice(0, from)), columns), takeRow);
    }
    if (end > from) take?.(text.slice(from, end));
    held = text.slice(Math.max(from, end));
    if (held.length > MAX_ROW) throw rowTooLong(file);
  };
  for await (const piece of files.read(file)) {
    signal?.throwIfAborted();
    takeText(decoder.decode(piece, { stream: true }));
  }
  // The last row of many files has no end of a line.
  takeText(`${decoder.decode()}\n`);
  if (held !== '') leftOut.count(file, 'with a quote that is not closed');
}

/** Returns where the last whole row ends, 0 if there is none: an end of a line within quotes is none of a row. */
function endOfRows(text: string): number {
  let at = text.lastIndexOf('\n');
  if (!text.includes('"')) return at + 1;
  let quotes = quotesIn(text);
  let end = text.length;
  for (; at >= 0; at = at === 0 ? -1 : text.lastIndexOf('\n', at - 1)) {
    quotes -= quotesIn(text.slice(at, end));
    end = at;
    if (quotes % 2 === 0) return at + 1;
  }
  return 0;
}

function quotesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) count++;
  return count;
}

function headerOf(line: string): readonly string[] {
  return line.split(',').map((cell) => cell.replaceAll('"', '').trim());
}

function placesOf(
  file: string,
  names: readonly string[],
  { required, optional }: Columns,
): ColumnPlaces {
  const missing = required.find((name) => !names.includes(name));
  if (missing !== undefined) {
    const has = names.join(', ').slice(0, 200);
    const message = `${file} has no column ${missing}, but ${has}`;
    throw new GtfsError('ERR_GTFS_COLUMN', message, { file, column: missing });
  }
  return { places: [...required, ...optional].map((name) => names.indexOf(name)), names };
}

function rowTooLong(file: string): GtfsError {
  const message = `${file} has a row of more than ${MAX_ROW} characters: a quote may not be closed`;
  return new GtfsError('ERR_GTFS_CSV', message, { file });
}
