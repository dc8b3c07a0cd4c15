import { defineProject, mergeConfig } from 'vitest/config';
// @boundaries-ignore the settings that all packages share are at the top of the repository
import shared from '../../vitest.shared.ts';
export default mergeConfig(
  shared,
  defineProject({
    test: {
      name: 'demo-server',
      isolate: false,
      globalSetup: 'test/programs.ts',
      // The bundled server that runs in a test's process imports packages from their sources.
      execArgv: ['--conditions=@ticketing/source'],
    },
  }),
);
