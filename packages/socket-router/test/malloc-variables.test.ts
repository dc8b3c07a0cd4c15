import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openRouter } from './router-fixture.ts';

const KEPT = { MALLOC_TRIM_THRESHOLD_: '67108864', MALLOC_MMAP_THRESHOLD_: '33554432' };

test.skipIf(process.platform !== 'linux')('workers are started with them', async () => {
  const { pids } = await openRouter({ own: true, count: 1 });
  for (const pid of pids()) {
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    for (const [name, value] of Object.entries(KEPT))
      expect(variables).toContain(`${name}=${value}`);
  }
});
