#!/usr/bin/env node
// Starts each program that a manifest names, and each script of docs/discoveries, as briefly as it can be, and fails if one
// ends with a failure or writes into the tree: `start-programs.mjs [--all] [TEXT …]`, where a text is part of a name. Without
// `--all` those are left out that take minutes. A program that has no row below fails: it says how it is started briefly.
// Needs a build.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const LIMIT_MS = 240_000;
const { values, positionals } = parseArgs({
  options: { all: { type: 'boolean', default: false } },
  allowPositionals: true,
});

/** How programs are started, by a part of their path: the first row that fits. */
const WAYS = [
  { path: 'demo-server/bench/coalesce', args: ['--quick'] },
  { path: '/bench/', args: ['--quick'], long: true },
  { path: 'stress/kill-workers', args: ['--seconds', '3'] },
  { path: 'stress/roll', args: ['--answers', '100', '--connections', '5'] },
  { path: 'stress/fire', args: ['--kills', '2', '--workers', '2', '--connections', '4'] },
  { path: 'examples/distribution', args: ['--workers', '2'] },
  { path: 'scripts/fuzz', args: ['--runs', '200'] },
  { path: 'scripts/screenshots', args: ['--help'] },
  { path: 'scripts/subset-font', args: ['--help'] },
  { path: 'scripts/record-views', args: ['--help'] },
  { path: 'scripts/ecb-rates', by: 'apps/demo-server/test/full/ecb-rates.test.ts' },
  { path: 'real-answers/src/main.ts', args: ['--help'] },
  { path: 'src/main.ts', args: ['--port', '0', '--worms', '0'], until: /^processes /m },
  { path: 'src/host.ts', args: ['--help'] },
  { path: 'experiments/load', args: ['--help'] },
  { path: 'fleet-lab/src/', args: ['--help'] },
  { path: 'scripts/mutants', args: ['--help'] },
  { path: 'scripts/stale-tables', args: [] },
  { path: 'discoveries/a-heap-beyond-eight-megabytes', args: [], long: true },
  { path: 'discoveries/memory-that-was-just-given-back', args: [], long: true },
  { path: 'discoveries/', args: [] },
  // The gate has them as steps of its own, and the demo's tests what is built of it.
  { path: 'experiments/run.ts', by: '.ci/run' },
  { path: 'experiments/chaos', args: ['--help'] },
  { path: 'experiments/soak', args: ['--help'] },
  { path: 'experiments/growth', args: ['--help'] },
  { path: 'experiments/charts', args: [] },
  { path: 'scripts/regenerate', by: '.ci/run' },
  { path: 'scripts/bootstrap', by: '.ci/run' },
  { path: 'scripts/pack-smoke', by: '.ci/run' },
  { path: 'scripts/examples', by: '.ci/run' },
  { path: 'scripts/guides', by: '.ci/run' },
  { path: 'scripts/containers', by: '.ci/run' },
  { path: 'scripts/with-engines', by: '.ci/run' },
  { path: 'scripts/router-nodes', by: '.ci/run' },
  { path: 'scripts/rehearse-release', by: '.ci/run' },
  { path: 'scripts/check-regexps', by: '.ci/run' },
  { path: 'scripts/release/write-versions', by: 'scripts/rehearse-release.mjs' },
  { path: 'scripts/release/write-addresses', by: 'scripts/rehearse-release.mjs' },
  { path: 'scripts/release/publish', by: 'scripts/rehearse-release.mjs' },
  { path: 'internal/kit/inline-types', by: 'pnpm build' },
  { path: 'apps/demo-server/dist/main.js', by: 'apps/demo-server/test/full/built.test.ts' },
  { path: 'dist/src/main.js', by: 'scripts/examples.mjs' },
  { path: 'dist/test/', by: 'scripts/examples.mjs' },
];

/** Returns the programs that scripts of manifests run by `node`, each once: `{ name, folder, words }`. */
function programsOfManifests() {
  const manifests = globSync(['package.json', '{packages,internal,apps,examples}/*/package.json'], {
    cwd: root,
  });
  return manifests.flatMap((path) => {
    const folder = join(root, dirname(path));
    const { name, scripts = {} } = JSON.parse(readFileSync(join(root, path), 'utf8'));
    return Object.entries(scripts).flatMap(([script, command]) =>
      command
        .split(' && ')
        .map((part) => part.replace(/^exec /, '').split(' '))
        .filter(([program]) => program === 'node')
        .map(([, ...words]) => ({ name: `${name} ${script}`, folder, words })),
    );
  });
}

const discoveries = globSync('docs/discoveries/*.mjs', { cwd: root }).map((path) => ({
  name: basename(path),
  folder: root,
  words: [path],
}));

/** Ends the program that runs. */
let endCurrent = () => {};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    endCurrent();
    process.kill(process.pid, signal);
  });
}

/** Resolves with why a program failed, or `undefined`. */
async function start({ folder, words }, { args, until }) {
  const pinned = join(root, 'node_modules/.bin');
  const own = join(folder, 'node_modules/.bin');
  const child = spawn(join(pinned, 'node'), [...words, ...args], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: [own, pinned, process.env.PATH].join(delimiter) },
  });
  let output = '';
  let isReady = false;
  const end = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The group has ended by itself.
    }
  };
  const limit = setTimeout(end, LIMIT_MS, 'SIGKILL');
  endCurrent = () => end('SIGKILL');
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      output = (output + data).slice(-4000);
      if (isReady || !until?.test(output)) return;
      isReady = true;
      end('SIGTERM');
    });
  }
  const [code, signal] = await once(child, 'exit');
  clearTimeout(limit);
  end('SIGKILL');
  if (isReady || (code === 0 && until === undefined)) return undefined;
  return `ended with ${signal ?? code}:\n${output.trim()}`;
}

const treeOf = () => spawnSync('git', ['status', '--porcelain'], { cwd: root }).stdout.toString();
const seen = new Set();
const faults = [];
let started = 0;
for (const program of [...programsOfManifests(), ...discoveries]) {
  const path = join(
    program.folder,
    program.words.find((word) => !word.startsWith('-')),
  );
  const key = `${path} ${program.words.slice(1).join(' ')}`;
  if (seen.has(key) || !positionals.every((text) => `${program.name} ${path}`.includes(text)))
    continue;
  seen.add(key);
  const way = WAYS.find((each) => path.includes(each.path));
  if (way === undefined) faults.push(`${program.name}: add a row to WAYS for ${path}`);
  if (way?.args === undefined || (way.long && !values.all)) continue;
  const before = treeOf();
  const began = performance.now();
  const fault = await start(program, way);
  started += 1;
  const written = treeOf() === before ? undefined : `writes into the tree: ${treeOf()}`;
  const line = `${program.name}: ${path.slice(root.length)} ${way.args.join(' ')}`;
  console.log(
    `${(fault ?? written) ? 'FAILS' : 'starts'} ${line} (${((performance.now() - began) / 1000).toFixed(1)} s)`,
  );
  if (fault ?? written) faults.push(`${line} ${fault ?? written}`);
}
console.log(`${started} programs started, ${faults.length} faults`);
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
}
