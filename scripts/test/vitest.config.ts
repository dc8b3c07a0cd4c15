import { fileURLToPath } from 'node:url';
import { defineProject, mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

export default mergeConfig(
  shared,
  defineProject({
    // Above this folder, as elsewhere: what `npm test` leaves out is below `test/full`.
    root: fileURLToPath(new URL('..', import.meta.url)),
    test: { name: 'scripts', isolate: false, include: ['test/**/*.test.mjs'] },
  }),
);
