import { configDefaults, defineProject, mergeConfig } from 'vitest/config';
// @boundaries-ignore the settings that all packages share are at the top of the repository
import shared from '../../vitest.shared.ts';
import { alone } from './vitest.alone.config.ts';
export default mergeConfig(
  shared,
  defineProject({
    test: {
      name: 'dispatch-cluster',
      isolate: false,
      exclude: [...configDefaults.exclude, ...alone],
    },
  }),
);
