#!/usr/bin/env node
// Runs the cases of other-runtimes/ on Bun and Deno, on the packed libraries in an empty folder, and compares what they show with
// the tables of docs/guides/bun-and-deno.md: `other-runtimes.mjs [--print] [entries…]`. With `--print` it only prints the results.
// Needs built packages; servers of NATS and Redis are found by TEST_NATS_URL and TEST_REDIS_URL, as of with-engines.mjs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { npmInstall, packPackages } from './shared/packages.mjs';
import { differences, readTables, verdictOf } from './shared/runtime-tables.mjs';

const SIDE_BY_SIDE = 2;
const LONGEST_MS = 120_000;

/** Runtimes by the name in the tables: the version of the npm package that has it, and how it runs a file. */
const RUNTIMES = {
  Bun: { package: 'bun@1.4.5', command: ['node_modules/.bin/bun'] },
  Deno: { package: 'deno@2.9.6', command: ['node_modules/.bin/deno', 'run', '--allow-all'] },
};
const OTHERS = ['fastify@5', 'iovalkey@0.4', '@opentelemetry/api@1'];

/** Entries whose cases need a server, by the variable that has its URL. */
const ENGINES = {
  '@ticketing/batching-redis': 'TEST_REDIS_URL',
  '@ticketing/dispatch-nats': 'TEST_NATS_URL',
};

const { values, positionals } = parseArgs({
  options: { print: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const root = fileURLToPath(new URL('..', import.meta.url));
const suite = join(root, 'scripts/other-runtimes');
const page = readFileSync(join(root, 'docs/guides/bun-and-deno.md'), 'utf8');
const outside = mkdtempSync(join(tmpdir(), 'ticketing-runtimes-'));

/** Returns the names of the entries of each file of the suite, as Node reads them. */
async function entriesOf(folder) {
  const files = readdirSync(suite).filter((file) => /^[a-z]+\.mjs$/.test(file));
  const read = files
    .filter((file) => file !== 'tasks.mjs')
    .map(async (file) => {
      const { default: entries } = await import(join(folder, file));
      return Object.entries(entries).map(([entry, cases]) => ({
        file,
        entry,
        cases: Object.keys(cases),
      }));
    });
  return (await Promise.all(read)).flat();
}

/** Runs the cases of an entry in a runtime. Returns the names of those that failed, with their errors. */
async function run({ file, entry, cases, runtime }, folder) {
  const [program, ...args] = RUNTIMES[runtime].command;
  const child = spawn(join(folder, program), [...args, 'run-entry.mjs', `./${file}`, entry], {
    cwd: folder,
    // A group of its own, so that workers which a case leaves behind end with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, WORKERS_NODE: process.execPath, NODE_OPTIONS: '', NO_COLOR: '1' },
  });
  const closed = once(child, 'close');
  const end = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The runtime and all that it started have ended.
    }
  };
  const timer = setTimeout(end, LONGEST_MS);
  const passed = new Set();
  const failed = new Map();
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === '"end"') end();
    if (!line.startsWith('{')) continue;
    const { name, error } = JSON.parse(line);
    if (error === undefined) passed.add(name);
    else failed.set(name, error);
  }
  clearTimeout(timer);
  await closed;
  end();
  for (const name of cases) {
    if (!passed.has(name) && !failed.has(name)) failed.set(name, 'has no result');
  }
  return failed;
}

let faults = 0;
try {
  const tarballs = packPackages(join(outside, 'tarballs'));
  const folder = join(outside, 'suite');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'suite', private: true }));
  const runtimes = Object.values(RUNTIMES).map((each) => each.package);
  npmInstall(folder, [...tarballs.values(), ...runtimes, ...OTHERS]);
  cpSync(suite, folder, { recursive: true });
  const all = await entriesOf(folder);
  const tables = readTables(page);
  const runs = all
    .filter(({ entry }) => positionals.length === 0 || positionals.includes(entry))
    .filter(({ entry }) => {
      const variable = ENGINES[entry];
      if (variable === undefined || process.env[variable] !== undefined) return true;
      console.log(`${entry}: skipped, because ${variable} is not set`);
      if (process.env.ENGINE_TESTS === 'required') faults += 1;
      return false;
    })
    .flatMap((each) => Object.keys(RUNTIMES).map((runtime) => ({ ...each, runtime })));
  if (!values.print) {
    for (const fault of tables.faultsBeside(all.map(({ entry }) => entry))) {
      console.log(fault);
      faults += 1;
    }
  }
  const left = [...runs];
  await Promise.all(
    Array.from({ length: SIDE_BY_SIDE }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const { entry, runtime, cases } = next;
        const started = performance.now();
        const failed = await run(next, folder);
        const seconds = ((performance.now() - started) / 1000).toFixed(1);
        const verdict = verdictOf(cases, [...failed.keys()]);
        console.log(`${runtime}: ${entry}: ${verdict}, ${cases.length} cases, ${seconds} s`);
        const found = values.print
          ? [...failed.keys()]
          : differences(tables.promised(entry, runtime), { cases, failed: [...failed.keys()] });
        for (const name of found) {
          const [why] = (failed.get(name) ?? 'passes').split('\n');
          console.log(`  ${name}: ${why}`);
        }
        if (!values.print) faults += found.length;
      }
    }),
  );
} finally {
  rmSync(outside, { recursive: true, maxRetries: 3 });
}
if (faults > 0) {
  console.error(`docs/guides/bun-and-deno.md and the runtimes differ in ${faults} points`);
  process.exitCode = 1;
}
