import { fileURLToPath } from 'node:url';
import { canMountMemory, runWithMemory } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { execArgv } from '../worker-processes.ts';

const program = fileURLToPath(new URL('../long-bytes-program.mjs', import.meta.url));

const sendLongBytes = (memory?: string) =>
  runWithMemory<{ wrong: number[]; path: string }>([...execArgv, program], memory);

test.runIf(process.platform === 'linux')(
  'bytes that were read go by a file in memory',
  async () => {
    const { wrong, path } = await sendLongBytes();
    expect(wrong).toEqual([]);
    expect(path).toMatch(/^\/dev\/shm\/ticketing-.* \(deleted\)$/);
  },
);

// Where the system permits no folder of the test's own, nothing else shows this.
test.runIf(canMountMemory())(
  'without memory for a file, or for all of it, nothing is lost',
  async () => {
    expect((await sendLongBytes('size=16k')).wrong).toEqual([]);
    const { wrong, path } = await sendLongBytes('ro');
    expect(wrong).toEqual([]);
    expect(path).not.toContain('/dev/shm');
  },
);
