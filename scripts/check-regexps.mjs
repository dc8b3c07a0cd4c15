#!/usr/bin/env node
// Fails on regular expressions whose time is not linear in their input: recheck examines one match of each pattern in `src` of
// packages, apps and experiments; those that match again and again (`g`, `y`, `split`) also read repeated inputs. First it proves
// that both detect a pattern that is known to be slow.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';
import { slowRepetition } from './regexps/repeated-inputs.mjs';

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
// A former pattern for parameters of media types: one match is linear, but 15 kB of `;\"` took 0.2 s.
const KNOWN_SLOW_TOGETHER = /;[^;,"]*(?:"(?:[^"\\]|\\.)*"[^;,"]*)*/g;

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
function fault(pattern, { flags, repeats }) {
  const name = `/${pattern}/${flags}${repeats ? ' repeated' : ''}`;
  cache.verdicts[name] ??= check(pattern, { flags, repeats });
  return cache.verdicts[name];
}

function check(pattern, { flags, repeats }) {
  const { status, complexity, error } = checkSync(pattern, flags, limits);
  if (status === 'vulnerable') return complexity.summary;
  if (status !== 'safe') return `not known to be linear (${error?.kind})`;
  const unit = repeats ? slowRepetition(pattern, flags) : undefined;
  return unit === undefined
    ? ''
    : `more than linear in all matches of ${JSON.stringify(unit)}, repeated`;
}

/** Returns every pattern of a file with its line. Computed patterns cannot be checked. */
function patternsOf(file) {
  const text = readFileSync(file, 'utf8');
  const found = [];
  const splitting = new Set();
  const add = ({ start }, pattern, flags) =>
    found.push({
      where: `${relative(root, file)}:${text.slice(0, start).split('\n').length}`,
      pattern,
      flags,
      repeats: /[gy]/.test(flags) || splitting.has(start),
    });
  const construct = (node) => {
    if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp') return;
    const [pattern, flags] = node.arguments.map((argument) => argument?.value);
    add(node, typeof pattern === 'string' ? pattern : undefined, flags ?? '');
  };
  new Visitor({
    Literal: (node) => node.regex && add(node, node.regex.pattern, node.regex.flags),
    NewExpression: construct,
    CallExpression: (node) => {
      const [first] = node.arguments;
      if (node.callee.property?.name === 'split' && first !== undefined) splitting.add(first.start);
      construct(node);
    },
  }).visit(parseSync(file, text).program);
  return found;
}

for (const [known, verdict] of [
  [KNOWN_SLOW, 'polynomial'],
  [KNOWN_SLOW_TOGETHER, 'all matches'],
]) {
  if (!check(known.source, { flags: known.flags, repeats: true }).includes(verdict)) {
    throw new Error(`Cannot check regular expressions: ${known} passes for linear`);
  }
}
const patterns = globSync(sources, { cwd: root, exclude: ['**/node_modules/**'] })
  .sort()
  .flatMap((file) => patternsOf(`${root}${file}`));
let failed = 0;
for (const { where, pattern, flags, repeats } of patterns) {
  const verdict =
    pattern === undefined
      ? 'computed, which cannot be checked'
      : fault(pattern, { flags, repeats });
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
