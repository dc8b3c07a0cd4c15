import type { Worm } from './worm.ts';
import { CLASS_WORDS, FIRST_NAMES, HABITATS, SURNAMES } from './worm-words.ts';

const SEED = 0x5eed_3017;
const FIRST_DAY = Date.UTC(2000, 0, 1);
const DAYS = 9000;
const DAY_MS = 86_400_000;

/** The document of a number, the same in every store and at every start; all draws are uniform and independent. */
export function worm(id: number): Worm {
  const draw = drawsOf(id);
  return {
    id,
    class: one(CLASS_WORDS, draw()),
    name: `${one(FIRST_NAMES, draw())} ${one(SURNAMES, draw())}`,
    lengthMm: 10 + Math.floor(draw() * 490),
    habitat: one(HABITATS, draw()),
    foundOn: new Date(FIRST_DAY + Math.floor(draw() * DAYS) * DAY_MS).toISOString().slice(0, 10),
  };
}

/** The documents from one number to another, both included. */
export function* worms(first: number, last: number): Generator<Worm> {
  for (let id = first; id <= last; id++) yield worm(id);
}

function one(words: readonly string[], draw: number): string {
  return words[Math.floor(draw * words.length)] as string;
}

/** Numbers from 0 to below 1: mulberry32 (T. Ettinger, public domain), begun anew for each document. */
function drawsOf(id: number): () => number {
  let state = Math.imul(id, 0x9e37_79b1) ^ SEED;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
