import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

// One for each file of tests: others run at the same time, and their unix sockets are not ours.
const outer = process.env['TMPDIR'];
const folder = mkdtempSync(join(tmpdir(), 'rt-'));
process.env['TMPDIR'] = folder;

afterAll(() => {
  rmSync(folder, { recursive: true });
  if (outer === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = outer;
});
