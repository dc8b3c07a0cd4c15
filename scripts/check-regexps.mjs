#!/usr/bin/env node
// Refuses regular expressions whose time is not linear in the text that they read: every one of `src` of the packages,
// the apps and the experiments is given to recheck. First it proves that recheck finds one that is known to be slow.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';

// Neither Java nor a program of its own: what is written in JavaScript does.
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
// Steps are counted, not milliseconds: the verdict is the same on a busy machine.
const limits = {
  timeout: null,
  attackLimit: 100_000_000,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
};

// A number of Renfe's script, as it was read once: 40,000 digits and a letter held a process for seven seconds.
const KNOWN_SLOW = /-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w$.])/y;

// Verdicts of earlier runs, by pattern: a run looks at what is new.
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

/** The verdict on a pattern: empty when it is linear. */
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

/** Every pattern of a file with its line; one that is computed cannot be checked. */
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
