#!/usr/bin/env node
// Packs every library that is published, installs the tarballs in a project outside the repository, compiles programs
// against their types, and runs a search there on each Node version: `pack-smoke.mjs [--nodes 20,22,24,26]`. Needs
// built packages.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installNode } from './shared/node-version.mjs';
import { npmInstall, packPackages } from './shared/packages.mjs';

const { values } = parseArgs({ options: { nodes: { type: 'string', default: '20,22,24,26' } } });
const root = fileURLToPath(new URL('..', import.meta.url));
const outside = mkdtempSync(join(tmpdir(), 'ticketing-pack-'));

function project(name) {
  const folder = join(outside, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, private: true }));
  return folder;
}

/** Compiles programs against the published types, as modules for Node and for a bundler. */
function checkTypes(folder) {
  const sources = join(root, 'scripts/pack-smoke-types');
  cpSync(sources, folder, { recursive: true });
  const compile = (...args) =>
    execFileSync(join(root, 'node_modules/.bin/tsc'), args, { cwd: folder, stdio: 'inherit' });
  const strict = ['--ignoreConfig', '--noEmit', '--strict', '--types', '', '--target', 'es2023'];
  const files = readdirSync(sources);
  const modules = files.filter((file) => file.endsWith('.mts'));
  const bundled = ['--module', 'esnext', '--moduleResolution', 'bundler'];
  compile(...strict, '--module', 'nodenext', ...files);
  compile(...strict, ...bundled, ...modules);
  for (const file of files) rmSync(join(folder, file));
  process.stdout.write(`types: ${files.join(', ')}\n`);
}

try {
  const tarballs = packPackages(join(outside, 'tarballs'));
  const user = project('user');
  npmInstall(user, [...tarballs.values()]);
  cpSync(join(root, 'scripts/pack-smoke-project'), user, { recursive: true });
  checkTypes(user);
  for (const major of values.nodes.split(',')) {
    const node = installNode(major, join(outside, `node-${major}`));
    for (const script of readdirSync(join(root, 'scripts/pack-smoke-project'))) {
      const stdio = ['ignore', 'inherit', 'inherit'];
      execFileSync(node, [script], { cwd: user, stdio });
    }
  }
} finally {
  rmSync(outside, { recursive: true });
}
