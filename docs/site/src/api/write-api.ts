// Writes the pages of the API from the docstrings of the published packages: one page per entry that users import.
import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application, TSConfigReader } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';
import { root } from '../repository.ts';
import { repairAnchors } from './repair-anchors.ts';

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

interface Entry {
  /** Specifier without the scope, such as `batching/http`. */
  readonly name: string;
  readonly source: string;
}

const output = fileURLToPath(new URL('../../api/', import.meta.url));

function entriesOf(folder: string): readonly Entry[] {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (manifest.private === true) return [];
  return Object.entries(manifest.exports).flatMap(([path, conditions]) => {
    const source = typeof conditions === 'object' ? conditions['@ticketing/source'] : undefined;
    if (source === undefined) return [];
    return [
      { name: join(manifest.name.replace('@ticketing/', ''), path), source: join(folder, source) },
    ];
  });
}

const entries = globSync('packages/*/package.json', { cwd: root })
  .sort()
  .flatMap((path) => entriesOf(dirname(join(root, path))));
const application = await Application.bootstrapWithPlugins(
  {
    entryPoints: entries.map(({ source }) => source),
    tsconfig: fileURLToPath(new URL('tsconfig.json', import.meta.url)),
    plugin: ['typedoc-plugin-markdown'],
    outputs: [{ name: 'markdown', path: output }],
    basePath: root,
    readme: 'none',
    name: 'API',
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    // The repository's own compiler has checked them.
    skipErrorChecking: true,
    sort: ['source-order'],
    groupOrder: ['Functions', 'Variables', 'Classes', 'Interfaces', '*'],
    logLevel: 'Warn',
    validation: false,
  },
  [new TSConfigReader()],
);
const settings: Partial<Record<keyof PluginOptions | 'disableSources' | 'router', unknown>> = {
  router: 'module',
  entryFileName: 'index',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  sanitizeComments: true,
  pageTitleTemplates: {
    index: 'API',
    module: ({ name }: { name: string }) => (name === '' ? 'API' : `@ticketing/${name}`),
  },
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  enumMembersFormat: 'table',
  typeDeclarationFormat: 'table',
  disableSources: true,
};
for (const [name, value] of Object.entries(settings)) application.options.setValue(name, value);
const project = await application.convert();
if (project === undefined) throw new Error('Cannot write the API: its sources cannot be read');
for (const module of project.children ?? []) {
  const source = project.getSymbolIdFromReflection(module)?.fileName;
  const entry = entries.find((each) => each.source === source);
  if (entry === undefined) throw new Error(`Cannot name the entry of ${module.name}`);
  module.name = entry.name;
}
rmSync(output, { recursive: true, force: true });
await application.generateOutputs(project);
repairAnchors(output);
if (application.logger.hasErrors()) process.exitCode = 1;
