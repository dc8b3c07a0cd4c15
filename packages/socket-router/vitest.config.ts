import { defineProject, mergeConfig } from 'vitest/config';
// @boundaries-ignore the settings that all packages share stand at the top of the repository
import shared from '../../vitest.shared.ts';

// Real processes, several a test, take their time where other packages' tests run at the same time.
const testTimeout = 30_000;

export default mergeConfig(
  shared,
  defineProject({
    test: {
      name: 'socket-router',
      testTimeout,
      hookTimeout: testTimeout,
      // These tests wait for processes more than they compute.
      maxWorkers: 3,
    },
  }),
);
