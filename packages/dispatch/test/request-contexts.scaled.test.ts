import { CONTEXTS_BY, type ContextsBy, runContextProgram, scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';

const program = new URL('fixtures/request-contexts.ts', import.meta.url);

const tracers = scaled<readonly ContextsBy[]>({
  // As tracers of today keep their contexts.
  fast: ['storage'],
  full: CONTEXTS_BY,
});

test.each(tracers)(
  'the contexts of 5,000 requests are released once their calls are answered, with tracers by async %s',
  async (by) => {
    // Each listener was called in the context of its caller.
    expect(await runContextProgram(program, by)).toEqual({ held: 0, seen: 5100 });
  },
);
