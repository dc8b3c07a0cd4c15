#!/usr/bin/env node
// Changes the sources in one place at a time and runs the related tests. A change that no test notices is a missing test,
// or dead code. `mutants.mjs [--package core] [--file placement] [--sample 40] [--seed 1]`; `--help` lists the packages.
import { fork } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mutantsOf } from './mutants/mutants-of.mjs';
import { onPinnedNode } from './shared/beside.mjs';

/** Folders in which tests must notice every change, by package. */
const AREAS = {
  core: ['packages/core/src'],
  batching: ['packages/batching/src'],
  dispatch: ['packages/dispatch/src/kernel', 'packages/dispatch/src/worker'],
  'socket-router': ['placing', 'intake', 'router', 'server', 'worker'].map(
    (folder) => `packages/socket-router/src/${folder}`,
  ),
  ...Object.fromEntries(
    [
      'admission',
      'resilience',
      'batching-redis',
      'carriers',
      'dispatch-cluster',
      'dispatch-nats',
      'dispatch-wrappers',
      'otel',
      'stations',
      'gtfs',
    ].map((name) => [name, [`packages/${name}/src`]]),
  ),
  // What runs in a browser is tested there, from a bundle.
  'demo-server': [
    'answers',
    'carriers',
    'compose',
    'dispatch',
    'flags',
    'fleet',
    'http',
    'metrics',
    'nats',
    'operator',
    'processes',
    'search',
    'serving',
    'telemetry',
    'worms',
  ].map((folder) => `apps/demo-server/src/${folder}`),
};
const USAGE = `usage: mutants.mjs [--package NAME] [--file TEXT] [--sample 40] [--seed 1]
  --package  one of ${Object.keys(AREAS).join(', ')}; all by default
  --file     changes only files whose path contains this text
  --sample   changes per package, at least 1
  --seed     equal seeds choose equal changes`;

const values = readOptions();
if (!process.features.typescript) process.exit(await onPinnedNode());
const root = fileURLToPath(new URL('..', import.meta.url));
const packages = values.package === undefined ? Object.keys(AREAS) : [values.package];

/** The test process. */
let host;
/** The mutant in place. */
let changed;
/** Files changed or restored since the tests last read them. */
const written = new Set();
// Always restores the source and ends the test process.
process.on('exit', () => {
  restore();
  endHost();
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

const summary = [];
const survivors = [];
for (const name of packages) {
  const all = AREAS[name].flatMap(sourcesOf).flatMap(mutantsOf);
  const chosen = sampleOf(all, Number(values.sample), Number(values.seed));
  console.log(`${name}: ${chosen.length} of ${all.length} mutants`);
  const clean = await cleanRunOf(name);
  let noticed = 0;
  for (const [index, mutant] of chosen.entries()) {
    const { outcome, by } = await outcomeOf(name, mutant, clean);
    const line = `${relative(root, mutant.path)}:${mutant.line}  ${mutant.what}`;
    console.log(`${index + 1}/${chosen.length} ${outcome.padEnd(8)} ${line}${by}`);
    if (outcome === 'survived') survivors.push(line);
    else noticed++;
  }
  const { failed } = await runTests(name, { order: clean.files }, clean.pauseLimitMs);
  for (const file of failed) {
    console.log(
      `${relative(root, file)} fails without a change: it may have noticed nothing above`,
    );
  }
  endHost();
  summary.push(
    `${name}: ${noticed} of ${chosen.length} noticed (${Math.round((100 * noticed) / chosen.length)} %)`,
  );
}
console.log(`\n${[...summary, ...survivors.map((line) => `survived  ${line}`)].join('\n')}`);
process.exit(survivors.length === 0 ? 0 : 1);

/** Returns the options. Ends the process with its usage for `--help`, an unknown option or a wrong value. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        package: { type: 'string' },
        file: { type: 'string', default: '' },
        sample: { type: 'string', default: '40' },
        seed: { type: 'string', default: '1' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    if (values.package !== undefined && !Object.hasOwn(AREAS, values.package)) {
      throw new TypeError(`--package must be one of the packages below, got ${values.package}`);
    }
    for (const name of ['sample', 'seed']) {
      if (!/^[1-9]\d{0,8}$/.test(values[name])) {
        throw new RangeError(`--${name} must be a whole number of at least 1, got ${values[name]}`);
      }
    }
    return values;
  } catch (error) {
    console.error(`Cannot change sources: ${error.message}\n${USAGE}`);
    process.exit(2);
  }
}

function sourcesOf(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((file) => join(root, folder, file))
    .filter(
      (path) =>
        path.endsWith('.ts') &&
        !path.endsWith('.d.ts') &&
        !path.endsWith('index.ts') &&
        path.includes(values.file),
    )
    .sort();
}

/** Samples; equal seeds give equal samples (mulberry32). */
function sampleOf(list, size, seed) {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const left = [...list];
  const taken = [];
  while (left.length > 0 && taken.length < size) {
    taken.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return taken;
}

/** Runs the tests without a change. Returns their files, quick ones first, and the longest pause. */
async function cleanRunOf(name) {
  const { files, failed, longestPauseMs } = await runTests(name, {}, Number.POSITIVE_INFINITY);
  for (const file of failed) {
    console.log(`${relative(root, file)} fails without a change, and is left out`);
  }
  const passed = files.filter(({ file }) => !failed.includes(file));
  return {
    files: passed.sort((one, other) => one.ms - other.ms).map(({ file }) => file),
    // On a busy machine, a run of three times the time may only be slow.
    pauseLimitMs: 3 * longestPauseMs + 10_000,
    noticedBy: new Map(),
  };
}

/** Runs the tests that load the file, with the change in place. A hanging test counts as noticing it. */
async function outcomeOf(name, mutant, { files, pauseLimitMs, noticedBy }) {
  const { path } = mutant;
  const own = basename(path, '.ts');
  const noticed = noticedBy.get(path) ?? [];
  const rank = (file) => {
    if (basename(file) === `${own}.test.ts`) return 0;
    return noticed.includes(file) ? 1 : 2;
  };
  const order = [...files].sort((one, other) => rank(one) - rank(other));
  changed = mutant;
  writeFileSync(path, mutant.changed);
  written.add(path);
  try {
    const { failed, errors } = await runTests(name, { changed: path, order }, pauseLimitMs);
    noticedBy.set(path, [...new Set([...failed, ...noticed])]);
    if (failed.length + errors.length === 0) return { outcome: 'survived', by: '' };
    const by = failed.length === 0 ? [errors[0]] : failed.map((file) => basename(file));
    return { outcome: 'noticed', by: `  by ${by.join(', ')}` };
  } catch (error) {
    if (error.cause !== 'pause') throw error;
    return { outcome: 'hung', by: '' };
  } finally {
    restore();
  }
}

function restore() {
  if (changed === undefined) return;
  writeFileSync(changed.path, changed.text);
  written.add(changed.path);
  changed = undefined;
}

async function runTests(name, request, pauseLimitMs) {
  host ??= await startHost(name);
  return new Promise((resolve, reject) => {
    const child = host;
    const onExit = (code, signal) =>
      reject(new Error(`The process of the tests ended with ${signal ?? code}`));
    let longestPauseMs = 0;
    let since = performance.now();
    let timer;
    const progress = () => {
      longestPauseMs = Math.max(longestPauseMs, performance.now() - since);
      since = performance.now();
      clearTimeout(timer);
      if (pauseLimitMs === Number.POSITIVE_INFINITY) return;
      timer = setTimeout(() => {
        child.off('message', heed).off('exit', onExit);
        endHost();
        reject(new Error('The tests hang', { cause: 'pause' }));
      }, pauseLimitMs);
    };
    const heed = (message) => {
      progress();
      if (message.kind !== 'done') return;
      clearTimeout(timer);
      child.off('message', heed).off('exit', onExit);
      resolve({ ...message, longestPauseMs });
    };
    child.on('message', heed).once('exit', onExit);
    progress();
    child.send({ ...request, written: [...written] });
    written.clear();
  });
}

/** Starts a process group, so that hanging tests can be ended together. */
function startHost(name) {
  const child = fork(join(root, 'scripts/mutants/test-host.mjs'), [name], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    const onExit = (code, signal) =>
      reject(new Error(`The process of the tests did not start: ${signal ?? code}`));
    child.once('exit', onExit);
    child.once('message', () => {
      child.off('exit', onExit);
      resolve(child);
    });
  });
}

function endHost() {
  if (host === undefined) return;
  try {
    process.kill(-host.pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
  host = undefined;
}
