import { fileURLToPath } from 'node:url';
import { canMountMemory, runWithMemory } from '@ticketing/test-kit';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('../fixtures/large-values.ts', import.meta.url));

const sendLargeValues = (memory?: string) =>
  runWithMemory<{ wrong: string[]; path: string; size: number }>(
    [...process.execArgv, program],
    memory,
  );

test.runIf(process.platform === 'linux')(
  'large values go through a file in memory',
  async () => {
    const { wrong, path, size } = await sendLargeValues();
    expect(wrong).toEqual([]);
    expect(path).toMatch(/^\/dev\/shm\/ticketing-.* \(deleted\)$/);
    expect(size).toBeGreaterThan(1_000_000);
  },
  60_000,
);

// Where the system permits no folder of the test's own, nothing else shows this.
test.runIf(canMountMemory())(
  'where there is little memory for files, or none, they go through the pipe',
  async () => {
    const little = await sendLargeValues('size=1m');
    expect(little.wrong).toEqual([]);
    expect(little.size).toBeLessThanOrEqual(2 ** 20 + 4 * 2 ** 20);
    const none = await sendLargeValues('ro');
    // A file that could not be opened is a pipe that neither side uses.
    expect(none).toMatchObject({ wrong: [], path: expect.stringMatching(/^(?:socket|pipe):/) });
  },
  60_000,
);
