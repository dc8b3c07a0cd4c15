import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

// One for each file of tests: others run at the same time, and their unix sockets are not ours.
const folder = mkdtempSync(join(tmpdir(), 'rt-'));
process.env['TMPDIR'] = folder;
afterAll(() => rmSync(folder, { recursive: true }));

/** Folders for unix sockets that routers of this file of tests have made, and not removed. */
export function doorFolders(): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('router-'));
}
