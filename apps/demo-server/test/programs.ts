import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsup';
import type { TestProject } from 'vitest/node';
import { bundleAssets } from '../src/pages/bundle-assets.ts';
import { PAGES } from '../src/pages/page-assets.ts';
import { programs } from '../tsup.config.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the programs that the tests start, as a URL. */
    readonly programs: string;
  }
}

/** Packages that find their workers' programs or data by their own address, the databases', a bundler, and a CommonJS one that is loaded late. */
const outside =
  /^(@ticketing\/(dispatch|stations)|@prometheus-io\/client$|@opentelemetry\/|@fastify\/swagger-ui$|pg$|mongodb$|esbuild$)/;

/**
 * Bundles the demo with its libraries for the tests, which start it some hundred times: a process is ready in half the
 * time.
 */
export default async function bundlePrograms(project: TestProject): Promise<void> {
  const pathOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
  const outDir = pathOf('node_modules/.cache/programs/');
  await build({
    config: false,
    silent: true,
    clean: true,
    entry: [...programs, 'src/serving/serve.ts', 'src/flags/read-flags.ts'].map(pathOf),
    outDir,
    format: ['esm'],
    target: 'node20',
    platform: 'node',
    removeNodeProtocol: false,
    sourcemap: true,
    external: [outside],
    // What it matches is bundled, whatever `external` says.
    noExternal: [new RegExp(`^(?!${outside.source.slice(1)})`)],
    esbuildOptions(options) {
      options.conditions = ['@ticketing/source'];
    },
    esbuildPlugins: [
      {
        // An `import` of it loads the platform's undici as well, for an export that is not used: 0.1 s.
        name: 'http-by-require',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^(node:)?http$/ }, () => ({ path: 'http', namespace: 'platform' }));
          onLoad({ filter: /./, namespace: 'platform' }, () => ({
            contents: "module.exports = process.getBuiltinModule('node:http')",
          }));
        },
      },
    ],
    // Libraries that are CommonJS ask for the platform's modules by `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  // `clean` leaves empty folders.
  rmSync(`${outDir}assets`, { recursive: true, force: true });
  bundleAssets(`${outDir}assets`, PAGES);
  // Below `node_modules` the package's own `package.json` does not say that these are modules.
  await writeFile(`${outDir}package.json`, '{ "type": "module" }');
  project.provide('programs', pathToFileURL(outDir).href);
}
