/** One document of the store, some 110 bytes as JSON. */
export interface Worm {
  /** Its place in the order of insertion, from 1. */
  readonly id: number;
  /** What it is looked for by. No store has an index of it. */
  readonly class: string;
  readonly name: string;
  readonly lengthMm: number;
  readonly habitat: string;
  /** `YYYY-MM-DD`. */
  readonly foundOn: string;
}

/** Its fields in the order in which every store writes them. */
export const WORM_FIELDS = ['id', 'class', 'name', 'lengthMm', 'habitat', 'foundOn'] as const;

/** Documents that a question is answered with at most: the first ones. */
export const MOST_FOUND = 10;

/** Table or collection of this demo alone, in a database that may have others: it is dropped when its documents are not those that are wanted. */
export const WORM_TABLE = 'ticketing_demo_worms';
