import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('fixtures/request-contexts.ts', import.meta.url));

test.each(['hooks', 'storage'])(
  'the contexts of 5,000 requests are released once their calls are answered, with tracers by async %s',
  async (kind) => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--expose-gc',
      '--conditions=@ticketing/source',
      program,
      kind,
    ]);
    // Each listener was called in the context of its caller.
    expect(JSON.parse(stdout)).toEqual({ held: 0, seen: 5100 });
  },
);
