import { CONTEXTS_BY, type ContextsBy, runContextProgram, scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';

const program = new URL('fixtures/request-contexts.ts', import.meta.url);

const tracers = scaled<readonly ContextsBy[]>({
  // As tracers of today keep their contexts.
  fast: ['storage'],
  full: CONTEXTS_BY,
});

test.each(tracers)(
  'the contexts of 5,000 requests are released, with tracers by async %s, and objects that are not closed',
  async (by) => {
    // Each load but those of DataLoaders is published, here in the context of its caller.
    const expected = { held: 0, seen: 15_000, ways: 4 };
    expect(await runContextProgram(program, by)).toEqual(expected);
  },
);
