import { defineConfig } from 'tsup';
export default defineConfig({
  // Workers load the modules of the conformance cases by URL, so each is a file of its own.
  entry: [
    'src/index.ts',
    'src/transport.ts',
    'src/worker.ts',
    'src/testing/index.ts',
    'src/testing/modules/*.ts',
  ],
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  sourcemap: true,
  clean: true,
});
