import assert from 'node:assert/strict';

/** Inputs that count how many were read, and whether their reader left. */
export interface CountingInputs<T> extends Iterable<T> {
  readonly read: number;
  readonly returned: number;
}

export function countingInputs<T>(length: number, make: (index: number) => T): CountingInputs<T> {
  let read = 0;
  let returned = 0;
  return {
    get read() {
      return read;
    },
    get returned() {
      return returned;
    },
    [Symbol.iterator]: () => ({
      next() {
        if (read === length) return { done: true, value: undefined };
        read += 1;
        return { done: false, value: make(read - 1) };
      },
      return() {
        returned += 1;
        return { done: true, value: undefined };
      },
    }),
  };
}

/** The values of all outcomes. @throws AssertionError if one was rejected */
export async function collect<T>(
  outcomes: AsyncIterable<PromiseSettledResult<T>>,
): Promise<readonly T[]> {
  const values: T[] = [];
  for await (const outcome of outcomes) {
    assert.ok(outcome.status === 'fulfilled', `an answer expected, got ${JSON.stringify(outcome)}`);
    values.push(outcome.value);
  }
  return values;
}
