import { readdirSync } from 'node:fs';
import { DESCRIPTORS_OF_PROCESS, requireDescriptors } from '@ticketing/kit';
import { expect, test } from 'vitest';
import { canTakeDescriptors, takeDescriptors } from '../src/index.ts';

test.skipIf(!canTakeDescriptors)(
  'requireDescriptors() throws while there are too few, and opens none for long',
  () => {
    const before = readdirSync('/proc/self/fd').length;
    expect(requireDescriptors(DESCRIPTORS_OF_PROCESS)).toBeUndefined();
    const giveBack = takeDescriptors();
    let error: unknown;
    try {
      requireDescriptors(1);
    } catch (thrown) {
      error = thrown;
    }
    giveBack();
    expect(error).toMatchObject({
      code: 'EMFILE',
      message:
        'Cannot start a process: fewer than 1 file descriptors are free; raise their limit (`ulimit -n`)',
    });
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
  },
);
