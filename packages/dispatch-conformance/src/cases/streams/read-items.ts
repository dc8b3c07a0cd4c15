import { type Abilities, needsStreams } from '../../conformance-case.ts';

/** Reads items until the stream ends, or rejects. */
export async function read<T>(items: AsyncIterable<T>): Promise<{ got: T[]; error: unknown }> {
  const got: T[] = [];
  try {
    for await (const item of items) got.push(item);
    return { got, error: undefined };
  } catch (error) {
    return { got, error };
  }
}

export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** Skips subjects without streams, and by one more rule. */
export function needsStreamsAnd(other: (abilities: Abilities) => string | undefined) {
  return (abilities: Abilities): string | undefined => needsStreams(abilities) ?? other(abilities);
}
