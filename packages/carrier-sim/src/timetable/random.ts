/** A stream of repeatable pseudo-random values. */
export interface Random {
  /** Returns the next number, 0 or more and below 1. */
  next(): number;
  /** Returns the next integer, 0 or more and below `limit`. */
  below(limit: number): number;
  /** Returns one element of a list. */
  pick<T>(list: readonly [T, ...T[]]): T;
  /** Returns the next opaque identifier: 32 hexadecimal digits. */
  token(): string;
}

/**
 * Creates the stream of a key: equal keys give equal streams.
 *
 * The key is hashed with FNV-1a (Fowler, Noll, Vo; 32 bits); the stream is Mulberry32 (Tommy Ettinger).
 */
export function createRandom(key: string): Random {
  let state = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) {
    state = Math.imul(state ^ key.charCodeAt(index), 0x01000193);
  }
  const word = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const next = (): number => word() / 2 ** 32;
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (list) => list[below(list.length)] ?? list[0],
    token: () => Array.from({ length: 4 }, () => word().toString(16).padStart(8, '0')).join(''),
  };
}
