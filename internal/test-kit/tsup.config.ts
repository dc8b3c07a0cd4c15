import { defineConfig } from 'tsup';
export default defineConfig({
  entry: ['src/index.ts', 'src/fake-clock.ts'],
  format: ['esm'],
  target: 'node20.19',
  platform: 'node',
  sourcemap: true,
  clean: true,
  // The runner is the one that runs the tests.
  external: ['vitest'],
});
