import { defineProject, mergeConfig } from 'vitest/config';
// @boundaries-ignore the settings that all packages share stand at the top of the repository
import shared from '../../vitest.shared.ts';
export default mergeConfig(
  shared,
  // These tests wait for processes more than they compute, and share the machine with those of other packages.
  defineProject({ test: { name: 'demo-server', maxWorkers: 3, testTimeout: 20_000 } }),
);
