#!/usr/bin/env node
// Runs the examples as their readers do: each is copied outside the repository, gets the packed libraries and its other
// dependencies by npm, is compiled by its own strict settings, and its tests run on each Node:
// `examples.mjs [--nodes 20,26] [names…]`. Needs built packages.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  copyExample,
  dependOnTarballs,
  exampleNames,
  runExampleScript,
} from './shared/example-projects.mjs';
import { installNode } from './shared/node-version.mjs';
import { npmInstall, packPackages } from './shared/packages.mjs';

const { values, positionals } = parseArgs({
  options: { nodes: { type: 'string', default: '20,26' } },
  allowPositionals: true,
});
const names = positionals.length > 0 ? positionals : exampleNames();
const unknown = names.find((name) => !exampleNames().includes(name));
if (unknown !== undefined) {
  throw new Error(`Cannot run example ${unknown}: it must be one of ${exampleNames().join(', ')}`);
}
const outside = mkdtempSync(join(tmpdir(), 'ticketing-examples-'));
const failed = [];

try {
  const tarballs = packPackages(join(outside, 'tarballs'));
  const nodes = values.nodes.split(',').map((major) => ({
    major,
    node: installNode(major, join(outside, `node-${major}`)),
  }));
  for (const name of names) {
    const folder = copyExample(name, outside);
    dependOnTarballs(folder, tarballs);
    npmInstall(folder);
    const build = runExampleScript(folder, 'build', process.execPath);
    console.log(`${name}: ${build.ok ? 'compiled' : 'failed to compile'}, ${build.seconds} s`);
    if (!build.ok) failed.push(name);
    for (const { major, node } of build.ok ? nodes : []) {
      const { ok, passed, seconds } = runExampleScript(folder, 'test', node);
      console.log(
        `${name}: Node ${major}, ${ok ? `${passed} tests pass` : 'failed'}, ${seconds} s`,
      );
      if (!ok) failed.push(`${name} on Node ${major}`);
    }
  }
} finally {
  rmSync(outside, { recursive: true });
}
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
