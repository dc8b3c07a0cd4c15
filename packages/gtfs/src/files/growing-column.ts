/** A column of whole numbers that grows as rows come. */
export interface GrowingColumn {
  readonly length: number;
  push(value: number): void;
  /** Returns the values, as long as nothing is added. */
  values(): Int32Array;
}

const FIRST = 1024;

/** Doubles its room when it is full: at most half of it is unused. */
export function growColumn(): GrowingColumn {
  let room = new Int32Array(FIRST);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length === room.length) {
        const larger = new Int32Array(length * 2);
        larger.set(room);
        room = larger;
      }
      room[length++] = value;
    },
    values: () => room.subarray(0, length),
  };
}
