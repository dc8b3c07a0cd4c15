// Every change of one source that tests must notice.
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { parseAst } from 'vitest/node';

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

/** Returns every change of a file, as text replacements. */
export function mutantsOf(path) {
  const text = readFileSync(path, 'utf8');
  const found = [];
  const add = (start, end, by, what) => {
    const line = text.slice(0, start).split('\n').length;
    found.push({
      path,
      text,
      line,
      what,
      changed: text.slice(0, start) + by + text.slice(end),
    });
  };
  // Stripping replaces types by blanks, so positions stay.
  visit(parseAst(module.stripTypeScriptTypes(text)), (node) => {
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
    parseAst(module.stripTypeScriptTypes(text));
    return true;
  } catch {
    return false;
  }
}

/** Wording of errors has its own tests. */
function isErrorMade({ type, callee }) {
  return type === 'NewExpression' && /Error$/.test(callee.name ?? '');
}

function isEffect(expression) {
  const inner = expression.type === 'AwaitExpression' ? expression.argument : expression;
  if (inner.type === 'CallExpression') return inner.callee.type !== 'Super';
  if (inner.type === 'ChainExpression') return true;
  return inner.type === 'UnaryExpression' && inner.operator === 'void';
}

function visit(node, see) {
  if (node === null || typeof node !== 'object' || isErrorMade(node)) return;
  if (typeof node.type === 'string') see(node);
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) for (const one of value) visit(one, see);
    else if (value !== null && typeof value === 'object') visit(value, see);
  }
}
