import { type ContextsBy, runContextProgram } from '@ticketing/test-kit';
import { expect, test } from 'vitest';

const program = new URL('fixtures/request-contexts.ts', import.meta.url);

export function testContexts(all: readonly ContextsBy[]): void {
  test.each(all)(
    'the contexts of 5,000 requests are released, with tracers by async %s, and objects that are not closed',
    async (by) => {
      // Each load but those of DataLoaders is published, here in the context of its caller.
      const expected = { held: 0, seen: 15_000, ways: 4 };
      expect(await runContextProgram(program, by)).toEqual(expected);
    },
  );
}
