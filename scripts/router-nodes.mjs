#!/usr/bin/env node
// Runs all tests of the socket router on several versions of Node, with workers from the built files: `router-nodes.mjs
// [--nodes 20,22,24,26]`. Needs a build.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installNode } from './shared/node-version.mjs';

const { values } = parseArgs({ options: { nodes: { type: 'string', default: '20,22,24,26' } } });
const root = fileURLToPath(new URL('../packages/socket-router', import.meta.url));
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const outside = mkdtempSync(join(tmpdir(), 'router-nodes-'));

if (!existsSync(join(root, 'dist/index.js'))) {
  throw new Error('Cannot run the tests: run `pnpm build` first');
}
/** The reporter of Vitest has it from Node 21 on, where it prints errors. */
const groupBy = `Map.groupBy ??= (items, keyOf) => {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
};`;
const failed = [];
try {
  for (const major of values.nodes.split(',')) {
    const node = installNode(major, join(outside, major));
    const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim();
    const started = performance.now();
    const { status, stdout, stderr } = spawnSync(
      node,
      ['--import', `data:text/javascript,${encodeURIComponent(groupBy)}`, vitest, 'run'],
      {
        cwd: root,
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
        env: { ...process.env, TEST_SCALE: 'full', WORKERS_FROM: 'dist', NO_COLOR: '1' },
      },
    );
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
