#!/usr/bin/env node
// Changes the sources one place at a time and runs the tests that are related to each: a change that no test notices is
// a missing test, or dead code. `mutants.mjs [--package core] [--file placement] [--sample 40] [--seed 1] [--time-limit 60]`.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseAst } from 'vitest/node';

/** Folders whose every change is to be noticed. */
const AREAS = {
  core: ['packages/core/src'],
  batching: ['packages/batching/src'],
  dispatch: ['packages/dispatch/src/kernel', 'packages/dispatch/src/worker'],
  'socket-router': ['packages/socket-router/src/master', 'packages/socket-router/src/worker'],
};
const OPERATORS = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
};

const { values } = parseArgs({
  options: {
    package: { type: 'string' },
    file: { type: 'string', default: '' },
    sample: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    'time-limit': { type: 'string', default: '120' },
  },
});
const root = fileURLToPath(new URL('..', import.meta.url));
const packages = values.package === undefined ? Object.keys(AREAS) : [values.package];
if (!packages.every((name) => Object.hasOwn(AREAS, name))) {
  console.error(
    `Unknown package ${values.package}: --package must be ${Object.keys(AREAS).join(', ')}`,
  );
  process.exit(2);
}

const all = packages.flatMap((name) =>
  AREAS[name]
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((file) => join(root, folder, file)),
    )
    .filter(
      (path) => path.endsWith('.ts') && !path.endsWith('index.ts') && path.includes(values.file),
    )
    .sort()
    .flatMap((path) => mutantsOf(name, path)),
);
const chosen = sampleOf(all, Number(values.sample), Number(values.seed));
console.log(`${chosen.length} of ${all.length} mutants`);
const survivors = [];
for (const [index, mutant] of chosen.entries()) {
  const outcome = outcomeOf(mutant);
  const line = `${relative(root, mutant.path)}:${mutant.line}  ${mutant.what}`;
  console.log(`${index + 1}/${chosen.length} ${outcome.padEnd(8)} ${line}`);
  if (outcome === 'survived') survivors.push(line);
}
const noticed = chosen.length - survivors.length;
console.log(
  `\n${noticed} of ${chosen.length} noticed (${Math.round((100 * noticed) / chosen.length)} %)`,
);
for (const line of survivors) console.log(`survived  ${line}`);
process.exitCode = survivors.length === 0 ? 0 : 1;

/** Every change of a file, as text that is put in the place of other text. */
function mutantsOf(name, path) {
  const text = readFileSync(path, 'utf8');
  const found = [];
  const add = (start, end, by, what) => {
    const line = text.slice(0, start).split('\n').length;
    found.push({
      name,
      path,
      text,
      line,
      what,
      changed: text.slice(0, start) + by + text.slice(end),
    });
  };
  // What is left has the same places: types become blanks.
  visit(parseAst(stripTypeScriptTypes(text)), (node) => {
    const shown = text.slice(node.start, node.end).replace(/\s+/g, ' ').slice(0, 60);
    if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression') {
      const { operator, left, right } = node;
      const by = OPERATORS[operator];
      const at = text.indexOf(operator, left.end);
      if (by === undefined || at >= right.start) return;
      add(at, at + operator.length, by, `${operator} becomes ${by} in \`${shown}\``);
    } else if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') {
      const { start, end } = node.test;
      add(
        start,
        end,
        `!(${text.slice(start, end)})`,
        `the condition \`${text.slice(start, end)}\` is negated`,
      );
    } else if (node.type === 'ExpressionStatement' && isEffect(node.expression)) {
      add(node.start, node.end, ';', `\`${shown}\` is removed`);
    } else if (
      node.type === 'ReturnStatement' &&
      node.argument?.type === 'Literal' &&
      typeof node.argument.value === 'boolean'
    ) {
      add(
        node.argument.start,
        node.argument.end,
        String(!node.argument.value),
        `\`${shown}\` is turned`,
      );
    } else if (
      /Function/.test(node.type) &&
      node.body?.type === 'BlockStatement' &&
      node.body.body.length > 1
    ) {
      add(
        node.body.start + 1,
        node.body.start + 1,
        ' if (1) return /** @type {any} */ (undefined);',
        'returns at once',
      );
    }
  });
  return found.filter(({ changed }) => parses(changed));
}

function parses(text) {
  try {
    parseAst(stripTypeScriptTypes(text));
    return true;
  } catch {
    return false;
  }
}

function isEffect(expression) {
  const inner = expression.type === 'AwaitExpression' ? expression.argument : expression;
  if (inner.type === 'CallExpression') return inner.callee.type !== 'Super';
  if (inner.type === 'ChainExpression') return true;
  return inner.type === 'UnaryExpression' && inner.operator === 'void';
}

function visit(node, see) {
  if (node === null || typeof node !== 'object') return;
  if (typeof node.type === 'string') see(node);
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) for (const one of value) visit(one, see);
    else if (value !== null && typeof value === 'object') visit(value, see);
  }
}

/** The same ones for the same seed (mulberry32). */
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

/** Runs the tests that load the file, with the change in place. A run that takes too long has noticed it as well. */
function outcomeOf({ name, path, text, changed }) {
  const restore = () => writeFileSync(path, text);
  process.once('exit', restore);
  // A signal waits for the run's end, so that the source is never left changed.
  const stop = () => process.exit(130);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
  writeFileSync(path, changed);
  try {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const args = [
      'related',
      path,
      '--run',
      // A file that no test loads is one whose changes nobody notices.
      '--passWithNoTests',
      '--project',
      name,
      '--bail',
      '1',
      '--reporter',
      'dot',
      '--exclude',
      '**/test/full/**',
    ];
    const { status, error } = spawnSync(process.execPath, [vitest, ...args], {
      cwd: root,
      stdio: 'ignore',
      timeout: Number(values['time-limit']) * 1000,
    });
    if (error?.code === 'ETIMEDOUT') return 'timeout';
    return status === 0 ? 'survived' : 'noticed';
  } finally {
    restore();
    process.off('exit', restore);
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop);
  }
}
