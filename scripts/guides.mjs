#!/usr/bin/env node
// Runs the guides as their readers do: in an empty folder each, a guide's files are written and its commands run in order, with the
// packed libraries installed by name, and what they print is compared: `guides.mjs [--nodes 20,26] [names…]`. A name is a page
// below docs/guides or docs/migrating, such as `jest`. Needs built packages.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { missingLines, settingsOf, stepsOf } from './shared/guide.mjs';
import { installNode } from './shared/node-version.mjs';
import { packPackages } from './shared/packages.mjs';
import { startTarballRegistry } from './shared/tarball-registry.mjs';

const SIDE_BY_SIDE = 2;

const { values, positionals } = parseArgs({
  options: { nodes: { type: 'string' } },
  allowPositionals: true,
});
const root = fileURLToPath(new URL('..', import.meta.url));
const guides = globSync('docs/{guides,migrating}/*.md', { cwd: root })
  .map((path) => ({ name: basename(path, '.md'), page: readFileSync(join(root, path), 'utf8') }))
  .map((guide) => ({ ...guide, settings: settingsOf(guide.page) }))
  .filter(({ settings }) => settings !== undefined)
  .sort((a, b) => a.name.localeCompare(b.name));
const known = guides.map(({ name }) => name);
const unknown = positionals.find((name) => !known.includes(name));
if (unknown !== undefined) {
  throw new Error(`Cannot run guide ${unknown}: it must be one of ${known.join(', ')}`);
}
const outside = mkdtempSync(join(tmpdir(), 'ticketing-guides-'));
const chosen = guides.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const runs = chosen.flatMap(({ name, page, settings }) =>
  settings.nodes
    .filter((major) => values.nodes?.split(',').includes(major) ?? true)
    .map((major) => ({ name, page, major, timeoutSeconds: settings.timeoutSeconds })),
);

/** Writes the guide as one script of bash, and runs it. Returns the number of steps, and what went wrong. */
async function run({ name, page, major, timeoutSeconds }, node, registry) {
  const folder = join(outside, `${name}-${major}`);
  const printed = join(outside, `${name}-${major}.printed`);
  for (const each of [folder, printed]) mkdirSync(each);
  const steps = stepsOf(page);
  const script = ['set -euo pipefail'];
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'output') continue;
    if (step.kind === 'commands') {
      script.push(`echo ${index} > ${printed}/reached`);
      script.push(`{\n${step.text}\n} > ${printed}/${index} 2>&1`);
      continue;
    }
    const content = join(printed, `${index}.file`);
    writeFileSync(content, step.text);
    script.push(`mkdir -p ${dirname(step.path)} && cp ${content} ${step.path}`);
  }
  const child = spawn('bash', ['-c', script.join('\n')], {
    cwd: folder,
    // A group of its own, so that servers which the guide leaves behind end with it.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
      NPM_CONFIG_USERCONFIG: registry.settings,
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
      NODE_OPTIONS: '',
      NO_COLOR: '1',
    },
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    process.kill(-child.pid, 'SIGKILL');
  }, timeoutSeconds * 1000);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The guide has ended all that it started.
  }
  const outputOf = (index) => {
    const path = join(printed, String(index));
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  const commands = steps.filter(({ kind }) => kind === 'commands').length;
  if (commands === 0) return { commands, fault: 'The guide has no commands' };
  if (isLate || code !== 0) {
    const reached = Number(outputOf('reached'));
    const why = isLate ? `did not end within ${timeoutSeconds} s` : `ended with exit code ${code}`;
    const fault = `The commands of line ${steps[reached]?.line} ${why}:\n${steps[reached]?.text}${outputOf(reached)}`;
    return { commands, fault };
  }
  for (const [index, step] of steps.entries()) {
    if (step.kind !== 'output') continue;
    const of = steps.slice(0, index).findLastIndex(({ kind }) => kind === 'commands');
    const missing = missingLines(step.text, outputOf(of));
    if (missing.length > 0) {
      const fault = `The commands of line ${steps[of]?.line} printed\n${outputOf(of)}\nwithout: ${missing.join('\n')}`;
      return { commands, fault };
    }
  }
  return { commands, fault: undefined };
}

let failed = 0;
let registry;
try {
  registry = await startTarballRegistry(packPackages(join(outside, 'tarballs')), outside);
  const nodes = new Map(
    [...new Set(runs.map(({ major }) => major))].map((major) => [
      major,
      installNode(major, join(outside, `node-${major}`)),
    ]),
  );
  const left = [...runs];
  await Promise.all(
    Array.from({ length: SIDE_BY_SIDE }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const started = performance.now();
        const { commands, fault } = await run(next, nodes.get(next.major), registry);
        const seconds = ((performance.now() - started) / 1000).toFixed(1);
        const verdict = fault === undefined ? `${commands} steps pass` : `failed: ${fault}`;
        console.log(`guide ${next.name}: Node ${next.major}, ${verdict}, ${seconds} s`);
        if (fault !== undefined) failed += 1;
      }
    }),
  );
} finally {
  await registry?.close();
  rmSync(outside, { recursive: true });
}
console.log(`${runs.length - failed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
