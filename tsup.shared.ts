import { defineConfig } from 'tsup';

/** Builds a library from its entry files: ES modules for Node 20, private packages (`internal/`) bundled. */
export const library = (...entry: string[]): ReturnType<typeof defineConfig> =>
  defineConfig({
    entry,
    format: ['esm'],
    // What is imported dynamically stays a file that is loaded when it is needed.
    splitting: true,
    target: 'node20.19',
    platform: 'node',
    sourcemap: true,
    clean: true,
    noExternal: ['@ticketing/kit', '@ticketing/cli-kit', '@ticketing/test-kit'],
  });
