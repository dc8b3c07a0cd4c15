#!/usr/bin/env node
// Fails on regular expressions whose time is not linear in their input: recheck examines each pattern in `src` of packages, apps
// and experiments. First it proves that recheck detects a pattern that is known to be slow.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';

// The JavaScript build needs neither Java nor a native program.
process.env['RECHECK_SYNC_BACKEND'] = 'pure';
const { checkSync } = await import('recheck');

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = [
  'packages/*/src/**/*.ts',
  'internal/*/src/**/*.ts',
  'apps/*/src/**/*.ts',
  'experiments/*.ts',
  'experiments/[!t]*/**/*.ts',
];
const cacheFile = `${root}node_modules/.cache/check-regexps.json`;
// Counts steps, not milliseconds, so that a busy machine gets the same verdict.
const limits = {
  timeout: null,
  attackLimit: 100_000_000,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
};

// A former pattern for numbers in Renfe's script: 40,000 digits and a letter blocked a process for seven seconds.
const KNOWN_SLOW = /-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w$.])/y;

// Verdicts of earlier runs, by pattern: a run examines only new ones.
const { version } = createRequire(import.meta.url)('recheck/package.json');
const settings = JSON.stringify([version, limits]);
const cache = readCache();

function readCache() {
  try {
    const read = JSON.parse(readFileSync(cacheFile, 'utf8'));
    if (read.settings === settings) return read;
  } catch {}
  return { settings, verdicts: {} };
}

/** Returns the verdict on a pattern: '' if it is linear. */
function fault(pattern, flags) {
  const name = `/${pattern}/${flags}`;
  cache.verdicts[name] ??= check(pattern, flags);
  return cache.verdicts[name];
}

function check(pattern, flags) {
  const { status, complexity, error } = checkSync(pattern, flags, limits);
  if (status === 'safe') return '';
  return status === 'vulnerable' ? complexity.summary : `not known to be linear (${error?.kind})`;
}

/** Returns every pattern of a file with its line. Computed patterns cannot be checked. */
function patternsOf(file) {
  const text = readFileSync(file, 'utf8');
  const found = [];
  const add = ({ start }, pattern, flags) =>
    found.push({
      where: `${relative(root, file)}:${text.slice(0, start).split('\n').length}`,
      pattern,
      flags,
    });
  const construct = (node) => {
    if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp') return;
    const [pattern, flags] = node.arguments.map((argument) => argument?.value);
    add(node, typeof pattern === 'string' ? pattern : undefined, flags ?? '');
  };
  new Visitor({
    Literal: (node) => node.regex && add(node, node.regex.pattern, node.regex.flags),
    NewExpression: construct,
    CallExpression: construct,
  }).visit(parseSync(file, text).program);
  return found;
}

if (!fault(KNOWN_SLOW.source, KNOWN_SLOW.flags).includes('polynomial')) {
  throw new Error(`Cannot check regular expressions: ${KNOWN_SLOW} passes for linear`);
}
const patterns = globSync(sources, { cwd: root, exclude: ['**/node_modules/**'] })
  .sort()
  .flatMap((file) => patternsOf(`${root}${file}`));
let failed = 0;
for (const { where, pattern, flags } of patterns) {
  const verdict =
    pattern === undefined ? 'computed, which cannot be checked' : fault(pattern, flags);
  if (verdict === '') continue;
  failed += 1;
  process.stderr.write(
    `${where}: ${pattern === undefined ? 'a pattern' : `/${pattern}/${flags}`} is ${verdict}\n`,
  );
}
mkdirSync(dirname(cacheFile), { recursive: true });
writeFileSync(cacheFile, JSON.stringify(cache));
process.stdout.write(`${patterns.length} regular expressions, ${failed} of them not linear\n`);
if (failed > 0) process.exitCode = 1;
