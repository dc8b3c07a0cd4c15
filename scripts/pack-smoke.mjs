#!/usr/bin/env node
// Packs every library that is published, installs the tarballs in projects outside the repository, compiles programs
// against their types with the oldest and the latest types of Node, and runs a search there on each Node version, and so
// does the built demo on them: `pack-smoke.mjs [--nodes 20,22,24,26]`. Needs a build.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installNode } from './shared/node-version.mjs';
import { OLDEST_TYPESCRIPT } from './shared/oldest-typescript.mjs';
import { npmInstall, packDemo, packPackages, publishedPackages } from './shared/packages.mjs';

const { values } = parseArgs({ options: { nodes: { type: 'string', default: '20,22,24,26' } } });
const root = fileURLToPath(new URL('..', import.meta.url));
const outside = mkdtempSync(join(tmpdir(), 'ticketing-pack-'));

function project(name) {
  const folder = join(outside, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, private: true }));
  return folder;
}

/** The types of Node that users may have: of the oldest Node that is supported, and the latest. */
const nodeTypes = ['20.19.0', 'latest'];
/** Packages that users have besides, if they use our entries for them. */
const otelApi = '@opentelemetry/api@1';
const peers = ['fastify@5', otelApi];

/** Compiles programs against the published types with one version of `@types/node`, as modules for Node and for a bundler. */
function checkTypes(tarballs, version) {
  const folder = project(`types-${version}`);
  npmInstall(folder, [...tarballs, ...peers, `@types/node@${version}`]);
  const sources = join(root, 'scripts/pack-smoke-types');
  cpSync(sources, folder, { recursive: true });
  writeFileSync(join(folder, 'entries.mts'), everyEntry());
  const compile = (...args) =>
    execFileSync(join(root, 'node_modules/.bin/tsc'), args, { cwd: folder, stdio: 'inherit' });
  const strict = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--types',
    'node',
    '--target',
    'es2023',
  ];
  const files = [...readdirSync(sources), 'entries.mts'];
  const modules = files.filter((file) => file.endsWith('.mts'));
  const bundled = ['--module', 'esnext', '--moduleResolution', 'bundler'];
  // Without `skipLibCheck`: declarations that do not compile fail the programs of users who set none.
  compile(...strict, '--module', 'nodenext', ...files);
  compile(...strict, ...bundled, ...modules);
  process.stdout.write(`types with @types/node ${version}: ${files.join(', ')}\n`);
}

/** Which programs each kind of the oldest TypeScript compiles. */
const programsOf = {
  modules: (file) => file.endsWith('.mts'),
  commonJs: (file) => file === 'common.cts',
  dataloaderByRequire: () => true,
};

/** Compiles programs against the published types with the oldest TypeScript that the READMEs name. */
function checkOldestTypes(tarballs) {
  for (const [kind, version] of Object.entries(OLDEST_TYPESCRIPT)) {
    const folder = project(`typescript-${version}`);
    npmInstall(folder, [...tarballs, ...peers, `@types/node@22`, `typescript@${version}`]);
    const sources = join(root, 'scripts/pack-smoke-types');
    cpSync(sources, folder, { recursive: true });
    writeFileSync(join(folder, 'entries.mts'), everyEntry());
    const files = [...readdirSync(sources), 'entries.mts'].filter(programsOf[kind]);
    const settings = ['--noEmit', '--strict', '--skipLibCheck', '--types', 'node'];
    const tsc = join(folder, 'node_modules/typescript/bin/tsc');
    const args = [tsc, ...settings, '--target', 'es2023', '--module', 'nodenext', ...files];
    execFileSync(process.execPath, args, { cwd: folder, stdio: 'inherit' });
    process.stdout.write(`types with TypeScript ${version}: ${files.join(', ')}\n`);
  }
}

/** Returns a program that reads the declarations of every entry of every package. */
function everyEntry() {
  const entries = publishedPackages().flatMap(({ name, manifest }) =>
    Object.entries(manifest.exports)
      .filter(([, target]) => target.types !== undefined)
      .map(([path]) => name + path.slice(1)),
  );
  return entries
    .map((entry, index) => `export type * as entry${index} from '${entry}';\n`)
    .join('');
}

try {
  const tarballs = packPackages(join(outside, 'tarballs'));
  for (const version of nodeTypes) checkTypes(tarballs.values(), version);
  checkOldestTypes([...tarballs.values()]);
  const user = project('user');
  npmInstall(user, [...tarballs.values(), otelApi]);
  cpSync(join(root, 'scripts/pack-smoke-project'), user, { recursive: true });
  const demo = project('demo');
  npmInstall(demo, [...tarballs.values(), packDemo(join(outside, 'tarballs'))]);
  cpSync(join(root, 'scripts/pack-smoke-demo'), demo, { recursive: true });
  for (const major of values.nodes.split(',')) {
    const node = installNode(major, join(outside, `node-${major}`));
    const stdio = ['ignore', 'inherit', 'inherit'];
    for (const script of readdirSync(join(root, 'scripts/pack-smoke-project'))) {
      execFileSync(node, [script], { cwd: user, stdio });
    }
    execFileSync(node, ['start.mjs'], { cwd: demo, stdio });
  }
} finally {
  rmSync(outside, { recursive: true });
}
