import type { Worm } from './worm.ts';

/** A worm as MongoDB keeps it: its number is the identity. */
export interface WormDocument extends Omit<Worm, 'id'> {
  readonly _id: number;
}

export function toDocument({ id, ...rest }: Worm): WormDocument {
  return { _id: id, ...rest };
}

export function fromDocument({ _id, ...rest }: WormDocument): Worm {
  return { id: _id, ...rest };
}
