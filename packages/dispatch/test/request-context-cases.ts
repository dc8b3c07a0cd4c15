import { type ContextsBy, runContextProgram } from '@ticketing/test-kit';
import { expect, test } from 'vitest';

const program = new URL('fixtures/request-contexts.ts', import.meta.url);

export function testContexts(all: readonly ContextsBy[]): void {
  test.each(all)(
    'the contexts of 5,000 requests are released once their calls are answered, with tracers by async %s',
    async (by) => {
      // Each listener was called in the context of its caller.
      expect(await runContextProgram(program, by)).toEqual({ held: 0, seen: 5100 });
    },
  );
}
