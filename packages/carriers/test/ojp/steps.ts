/** What a call of a method costs, in characters or elements that it looks at. */
type Cost = (self: never, args: never, result: unknown) => number;

const lengthOf: Cost = (self: { length: number }) => self.length + 1;
const costs: readonly (readonly [prototype: object, methods: Readonly<Record<string, Cost>>])[] = [
  [
    String.prototype,
    {
      charCodeAt: () => 1,
      slice: (_self, _args, result) => (result as string).length + 1,
      indexOf: (self: string, [_searched, from]: readonly [string, number?], result) =>
        ((result as number) < 0 ? self.length : (result as number)) - (from ?? 0) + 1,
      trim: lengthOf,
      split: lengthOf,
      replace: lengthOf,
    },
  ],
  [RegExp.prototype, { exec: (_self, [text]: readonly [string]) => String(text).length + 1 }],
  [
    Array.prototype,
    Object.fromEntries(
      ['find', 'filter', 'map', 'flatMap', 'some', 'every', 'reduce', 'includes', 'sort'].map(
        (name) => [name, lengthOf],
      ),
    ),
  ],
  [Map.prototype, { get: () => 1, set: () => 1, has: () => 1 }],
  [
    Buffer.prototype,
    {
      indexOf: (self: Buffer, [_searched, from]: readonly [string, number?], result) =>
        ((result as number) < 0 ? self.length : (result as number)) - (from ?? 0) + 1,
    },
  ],
];

/**
 * Counts the characters and elements that a function looks at by methods of texts, patterns, lists and maps: unlike a time it is the
 * same on every machine. Patterns count once per character; that they are linear is checked elsewhere.
 */
export function stepsOf(run: () => void): number {
  let steps = 0;
  const restore: (() => void)[] = [];
  for (const [prototype, methods] of costs) {
    for (const [name, cost] of Object.entries(methods)) {
      const methodsOf = prototype as Record<string, (...args: never[]) => unknown>;
      const own = methodsOf[name] as (...args: never[]) => unknown;
      restore.push(() => {
        methodsOf[name] = own;
      });
      methodsOf[name] = function counted(this: never, ...args: never[]) {
        const result = own.apply(this, args);
        steps += cost(this, args as never, result);
        return result;
      };
    }
  }
  try {
    run();
  } finally {
    for (const undo of restore) undo();
  }
  return steps;
}
