import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('examples/images.ts serves customers, uploads and a backlog', async () => {
  const file = fileURLToPath(new URL('../../examples/images.ts', import.meta.url));
  const args = ['--conditions=@ticketing/source', file];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  expect({ stdout, stderr }).toEqual({
    stdout: [
      ...['r0 bright', 'r1 dark', 'r2 bright', 'r3 dark'],
      ...['4 → 2, 4 bytes, 0 left here', '8 → 4, 16 bytes, 0 left here', 'backlog: 40 of 40', ''],
    ].join('\n'),
    stderr: '',
  });
});
