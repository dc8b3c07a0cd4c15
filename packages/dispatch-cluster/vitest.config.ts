import { fileURLToPath } from 'node:url';
import { defineProject, mergeConfig } from 'vitest/config';
// @boundaries-ignore the settings that all packages share stand at the top of the repository
import shared from '../../vitest.shared.ts';

// Some three hundred workers are started, each of which would strip the types of the same files: a third of the time.
const cache = new URL('node_modules/.cache/workers', import.meta.url);
const env = { NODE_COMPILE_CACHE: fileURLToPath(cache) };
export default mergeConfig(
  shared,
  defineProject({ test: { name: 'dispatch-cluster', env, maxWorkers: 2 } }),
);
