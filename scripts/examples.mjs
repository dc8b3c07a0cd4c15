#!/usr/bin/env node
// Runs the examples as their readers do: each is copied outside the repository, gets the packed libraries and its other
// dependencies by npm, is compiled by its own strict settings, and its tests run on each Node:
// `examples.mjs [--nodes 20,26] [names…]`. Needs built packages.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installNode } from './node-version.mjs';
import { dependOnTarballs, exampleNames, npmInstall, packPackages } from './packages.mjs';

// Guards against hanging tests only.
const TEST_TIMEOUT_MS = 180_000;
const { values, positionals } = parseArgs({
  options: { nodes: { type: 'string', default: '20,26' } },
  allowPositionals: true,
});
const examples = fileURLToPath(new URL('../examples', import.meta.url));
const names = positionals.length > 0 ? positionals : exampleNames();
const unknown = names.find((name) => !exampleNames().includes(name));
if (unknown !== undefined) {
  throw new Error(`Cannot run example ${unknown}: it must be one of ${exampleNames().join(', ')}`);
}
const outside = mkdtempSync(join(tmpdir(), 'ticketing-examples-'));
const failed = [];

/** Runs a script of an example with a Node in front of all others. Returns its output, or undefined once it has failed. */
function runScript(folder, script, node) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', script], {
    cwd: folder,
    encoding: 'utf8',
    env,
    timeout: TEST_TIMEOUT_MS,
    shell: process.platform === 'win32',
  });
  if (status === 0) return stdout;
  process.stdout.write(`${stdout}${stderr}`);
  failed.push(`${basename(folder)}: ${script}`);
}

try {
  const tarballs = packPackages(join(outside, 'tarballs'));
  const nodes = values.nodes.split(',').map((major) => ({
    major,
    node: installNode(major, join(outside, `node-${major}`)),
  }));
  for (const name of names) {
    const started = performance.now();
    const folder = join(outside, name);
    cpSync(join(examples, name), folder, {
      recursive: true,
      filter: (path) => !/^(node_modules|dist)$/.test(basename(path)),
    });
    dependOnTarballs(folder, tarballs);
    npmInstall(folder);
    const built = runScript(folder, 'build', process.execPath) !== undefined;
    console.log(`${name}: ${built ? 'compiled' : 'failed to compile'}, ${secondsSince(started)} s`);
    if (!built) continue;
    for (const { major, node } of nodes) {
      const begun = performance.now();
      const output = runScript(folder, 'test', node);
      const passed = /^(?:#|ℹ) pass (\d+)/m.exec(output ?? '')?.[1] ?? 0;
      const outcome = output === undefined ? 'failed' : `${passed} tests pass`;
      console.log(`${name}: Node ${major}, ${outcome}, ${secondsSince(begun)} s`);
    }
  }
} finally {
  rmSync(outside, { recursive: true });
}
if (failed.length > 0) {
  console.error(`Failed: ${failed.join('; ')}`);
  process.exitCode = 1;
}

function secondsSince(started) {
  return ((performance.now() - started) / 1000).toFixed(1);
}
