/** A column of texts, one line each. Finds the lines when the first one is read. */
export interface TextColumn {
  readonly length: number;
  at(row: number): string;
}

/** Returns the lines of a text as a column. A text without a line has one empty row. */
export function textColumn(text: string, length: number): TextColumn {
  let starts: Uint32Array | undefined;
  return {
    length,
    at(row) {
      starts ??= lineStarts(text, length);
      return text.slice(starts[row], (starts[row + 1] ?? 0) - 1);
    },
  };
}

function lineStarts(text: string, length: number): Uint32Array {
  const starts = new Uint32Array(length + 1);
  let at = 0;
  for (let row = 1; row < length; row++) {
    at = text.indexOf('\n', at) + 1;
    starts[row] = at;
  }
  starts[length] = text.length + 1;
  return starts;
}

/** Reads one integer per line, in base 36; an empty line is 0. */
export function integerColumn(text: string, length: number): Int32Array {
  const numbers = new Int32Array(length);
  let [row, value, sign] = [0, 0, 1];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10) {
      numbers[row] = sign * value;
      row += 1;
      [value, sign] = [0, 1];
    } else if (code === 45) sign = -1;
    else value = value * 36 + code - (code < 58 ? 48 : 87);
  }
  numbers[row] = sign * value;
  return numbers;
}

/** Reads integers of which each but the first is the difference to the one before. */
export function deltaColumn(text: string, length: number): Int32Array {
  const numbers = integerColumn(text, length);
  for (let row = 1; row < length; row++) {
    numbers[row] = (numbers[row] ?? 0) + (numbers[row - 1] ?? 0);
  }
  return numbers;
}

/** Finds the rows of a column by their text. */
export interface TextLookup {
  find(text: string): number | undefined;
}

/** Indexes a column by its texts, which are unique; empty ones are absent. A table of row numbers, without a copy of the texts. */
export function textLookup(
  length: number,
  textAt: (row: number) => string | undefined,
): TextLookup {
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * length + 2)));
  const mask = slots.length - 1;
  for (let row = 0; row < length; row++) {
    const text = textAt(row);
    if (text === undefined || text === '') continue;
    let slot = hash(text) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = row + 1;
  }
  return {
    find(text) {
      for (let slot = hash(text) & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
        const row = (slots[slot] ?? 0) - 1;
        if (textAt(row) === text) return row;
      }
      return undefined;
    },
  };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  return value ^ (value >>> 15);
}
