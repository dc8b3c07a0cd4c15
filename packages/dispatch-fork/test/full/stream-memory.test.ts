import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Growth } from '@ticketing/test-kit';
import { expect, test } from 'vitest';

const MB = 1024 * 1024;

test('1 GB through a task with a slow consumer takes less than 64 MB', async () => {
  const program = fileURLToPath(new URL('../fixtures/slow-reader.ts', import.meta.url));
  const args = ['--conditions=@ticketing/source', program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { read, rss, held } = JSON.parse(stdout) as Growth;
  expect(read).toBe(1024 * MB);
  expect(held).toBeLessThan(64 * MB);
  // With what the allocator keeps of buffers that are gone.
  expect(rss).toBeLessThan(160 * MB);
}, 60_000);
