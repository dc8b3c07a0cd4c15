import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { exampleNames } from '../shared/example-projects.mjs';
import { publishedPackages } from '../shared/packages.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path) => readFileSync(`${root}${path}`, 'utf8');
const linesOf = (path) => read(path).trimEnd().split('\n').length;
const versions = new Map(publishedPackages().map(({ name, manifest }) => [name, manifest.version]));

describe('examples', () => {
  it('are in the list of examples and in the map, and no members of the workspace', () => {
    const names = exampleNames();
    expect(names).toContain('graphql');
    const workspace = read('pnpm-workspace.yaml');
    expect(workspace).not.toContain('examples/*');
    for (const name of names) {
      expect(read('examples/README.md'), name).toMatch(
        new RegExp(`^\\| \\[\`${name}\`\\]\\(${name}\\)`, 'm'),
      );
      expect(read('AGENTS.md'), name).toMatch(new RegExp(`^examples/.*\\b${name}\\b`, 'm'));
      expect(workspace, name).not.toMatch(new RegExp(`examples/${name}$`, 'm'));
    }
  });

  describe.each(exampleNames())('%s', (name) => {
    const folder = `examples/${name}`;
    const manifest = JSON.parse(read(`${folder}/package.json`));

    it('has source files of 80 lines at most, one test file, and a README of one screen', () => {
      for (const file of readdirSync(`${root}${folder}/src`)) {
        expect(linesOf(`${folder}/src/${file}`), file).toBeLessThanOrEqual(80);
      }
      const tests = readdirSync(`${root}${folder}/test`);
      expect(tests.filter((file) => file.endsWith('.test.ts'))).toHaveLength(1);
      expect(linesOf(`${folder}/README.md`)).toBeLessThanOrEqual(50);
      expect(read(`${folder}/README.md`)).toContain('\n## When not\n');
    });

    it('is a project of its own: private, strict, with ranges of the packages as they are', () => {
      expect(manifest).toMatchObject({
        name: `example-${name}`,
        private: true,
        type: 'module',
        engines: { node: '>=20.19' },
        scripts: { build: 'tsc', test: expect.stringMatching(/^node --test dist\/test\//) },
      });
      const dependencies = { ...manifest.dependencies, ...manifest.devDependencies };
      for (const [dependency, range] of Object.entries(dependencies)) {
        if (!dependency.startsWith('@ticketing/')) continue;
        expect(range, dependency).toBe(`^${versions.get(dependency)}`);
      }
      const { compilerOptions } = JSON.parse(read(`${folder}/tsconfig.json`));
      expect(compilerOptions).toMatchObject({
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
      });
    });
  });
});
