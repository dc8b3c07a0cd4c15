import { defineProject, mergeConfig } from 'vitest/config';
// @boundaries-ignore the settings that all packages share are at the top of the repository
import shared, { computing } from '../../vitest.shared.ts';
export default mergeConfig(
  shared,
  defineProject({ test: { name: 'gtfs', isolate: false, ...computing } }),
);
