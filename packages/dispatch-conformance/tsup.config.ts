import { defineConfig } from 'tsup';
export default defineConfig({
  // Workers load the modules of the cases by URL, so each is a file of its own.
  entry: ['src/index.ts', 'src/modules/*.ts'],
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  sourcemap: true,
  clean: true,
  noExternal: ['@ticketing/test-kit'],
});
