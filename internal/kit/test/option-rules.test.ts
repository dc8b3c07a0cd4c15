import { expect, test } from 'vitest';
import {
  aFlag,
  aFunction,
  aName,
  aSignal,
  atLeast,
  between,
  checkByRules,
  optionsOf,
  type Rule,
  resolveByRules,
  showValue,
  whole,
  wholeBetween,
  withMethods,
  wordOr,
} from '../src/options/option-rules.ts';

const looped: unknown[] = [];
looped.push(looped);

const accepts = (rule: Rule, values: readonly unknown[]): boolean[] => values.map(rule.test);

test('resolveByRules() fills what is absent or undefined, and keeps what is given', () => {
  const rules = { size: whole(3), ttlMs: between(0, 9), name: aName };
  expect(resolveByRules('try', {}, rules)).toEqual({ size: 3, ttlMs: undefined, name: undefined });
  expect(resolveByRules('try', { size: undefined, ttlMs: 0 }, rules)).toMatchObject({
    size: 3,
    ttlMs: 0,
  });
});

test('checkByRules() refuses an unknown option, also one that is undefined or of every object', () => {
  for (const [name, hint] of [
    ['siez', 'did you mean `size`?'],
    ['colour', 'known are size'],
    ['constructor', 'known are size'],
    ['__proto__', 'known are size'],
  ] as const) {
    const options = Object.fromEntries([[name, undefined]]);
    expect(() => checkByRules('try', options, { size: whole() })).toThrow(
      new TypeError(`Cannot try: unknown option \`${name}\`; ${hint}`),
    );
  }
});

test('checkByRules() knows where a misplaced option belongs', () => {
  const rules = { size: whole(), shutdown: optionsOf({ graceMs: whole(), lameDuckMs: whole() }) };
  for (const [name, hint] of [
    ['graceMs', 'shutdown.graceMs'],
    ['siez', 'size'],
  ] as const) {
    expect(() => checkByRules('try', { [name]: 1 }, rules)).toThrow(
      new TypeError(`Cannot try: unknown option \`${name}\`; did you mean \`${hint}\`?`),
    );
  }
  expect(resolveByRules('try', {}, rules)).toEqual({ size: undefined, shutdown: {} });
});

test('checkByRules() puts the name of the group before those of its options', () => {
  const rules = { tasks: whole() };
  expect(() => checkByRules('try', { tasks: 0 }, rules, 'recycle')).toThrow(
    new RangeError('Cannot try: `recycle.tasks` must be an integer of 1 or more, got 0'),
  );
  expect(() => checkByRules('try', { task: 1 }, rules, 'recycle')).toThrow(
    new TypeError('Cannot try: unknown option `recycle.task`; did you mean `tasks`?'),
  );
  expect(() => checkByRules('try', null as never, rules, 'recycle')).toThrow(
    new TypeError('Cannot try: `recycle` must be an object, got null'),
  );
  expect(() => checkByRules('try', 'fast' as never, rules)).toThrow(
    new TypeError('Cannot try: `options` must be an object, got fast'),
  );
});

test('a number out of range is a RangeError, anything else a TypeError', () => {
  const rules = { size: between(1, 2) };
  const check = (size: unknown) => () => checkByRules('try', { size }, rules);
  expect(check(3)).toThrow(new RangeError('Cannot try: `size` must be 1 to 2, got 3'));
  expect(check(Number.NaN)).toThrow(new RangeError('Cannot try: `size` must be 1 to 2, got NaN'));
  expect(check('1')).toThrow(new TypeError('Cannot try: `size` must be 1 to 2, got 1'));
  expect(check(1n)).toThrow(TypeError);
});

test('values without a text of their own are named too', () => {
  const check = (size: unknown) => () => checkByRules('try', { size }, { size: whole() });
  expect(check(Symbol('s'))).toThrow(/got Symbol\(s\)$/);
  expect(check(Object.create(null))).toThrow(/got an object without text$/);
});

test.each<[unknown, string]>([
  ['', "''"],
  [' \n', "' \n'"],
  [' '.repeat(100), `'${' '.repeat(56)}...`],
  [new String(''), "''"],
  [[], '[]'],
  [[''], "['']"],
  [[null], "['']"],
  [[[]], "['']"],
  [looped, "['']"],
  [['', ''], ','],
  [[1, 'a'], '1,a'],
  ['a text', 'a text'],
  [0, '0'],
])('showValue() of %o is never nothing', (value, text) => {
  expect(showValue(value)).toBe(text);
});

test('rules take what they say', () => {
  expect(accepts(whole(), [1, 2 ** 53 - 1, 0, 1.5, Infinity, '1'])).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(accepts(wholeBetween(0, 2), [0, 2, -1, 3, 0.5, NaN])).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(accepts(atLeast(1), [1, Infinity, 0.9, NaN])).toEqual([true, true, false, false]);
  expect(accepts(wordOr('auto', whole()), ['auto', 1, 'Auto', 0])).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(accepts(aName, ['a', '', 1])).toEqual([true, false, false]);
  expect(accepts(aFlag, [false, 0])).toEqual([true, false]);
  expect(accepts(aFunction, [() => 0, {}])).toEqual([true, false]);
  expect(accepts(aSignal, [new AbortController().signal, new AbortController()])).toEqual([
    true,
    false,
  ]);
  expect(accepts(withMethods('now'), [{ now() {} }, { now: 1 }, null, undefined])).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test('a member that every object inherits is no rule and no option', () => {
  const shown = { configurable: true, enumerable: true, writable: true, value: () => {} };
  Object.defineProperty(Object.prototype, 'inherited', shown);
  try {
    const resolved = resolveByRules<object>('try', { size: 1 }, { size: whole() });
    expect(Object.keys(resolved)).toEqual(['size']);
    expect(resolveByRules('try', resolved, { size: whole() })).toEqual({ size: 1 });
  } finally {
    Reflect.deleteProperty(Object.prototype, 'inherited');
  }
});

test('an option as other libraries call it is named', () => {
  const rules = { maxEntries: { ...whole(), aliases: ['max'] }, maxWait: whole() };
  expect(() => checkByRules('try', { max: 1 }, rules)).toThrow(
    new TypeError('Cannot try: unknown option `max`; did you mean `maxEntries`?'),
  );
});
