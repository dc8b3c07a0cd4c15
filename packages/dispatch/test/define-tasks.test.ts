import { expect, test } from 'vitest';
import { checkTaskModule, defineTasks, isTaskModule } from '../src/define-tasks.ts';

const search = (input: string): string => input;

test('defineTasks() keeps the tasks and hooks that it was given, frozen', () => {
  const setup = (): void => {};
  const tasks = { search };
  const module = defineTasks(tasks, { setup });
  expect(module).toEqual({ tasks: { search }, hooks: { setup } });
  expect([module, module.tasks, module.hooks].every((part) => Object.isFrozen(part))).toBe(true);
  expect(Object.isFrozen(tasks)).toBe(false);
});

test.each<[string, unknown[]]>([
  ['`tasks` must be an object of functions, got undefined', []],
  ['`tasks` must be an object of functions, got a function', [search]],
  ['`tasks` must be one or more functions, got none', [{}]],
  ['`search` must be a function, got 5', [{ search: 5 }]],
  ['`hooks` must be an object, got null', [{ search }, null]],
  ['unknown option `hooks.tearDown`; did you mean `teardown`?', [{ search }, { tearDown: search }]],
  ['`hooks.setup` must be a function, got x', [{ search }, { setup: 'x' }]],
])('defineTasks() throws a TypeError: %s', (what, given) => {
  const define = defineTasks as (...given: unknown[]) => unknown;
  expect(() => define(...given)).toThrow(new TypeError(`Cannot define tasks: ${what}`));
});

test('checkTaskModule() takes what another copy of the package has made', () => {
  const foreign = { tasks: { search }, hooks: {} };
  expect(checkTaskModule(foreign, 'load tasks from file:///a.js: its default export')).toBe(
    foreign,
  );
});

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['an object with search', { search }],
  ['an object with tasks, hooks', { tasks: {}, hooks: {} }],
  ['an object with tasks, hooks', { tasks: { search: 1 }, hooks: {} }],
  ['an object with tasks, hooks', { tasks: { search }, hooks: { other: search } }],
  ['a function', search],
])('checkTaskModule() refuses %s with ERR_BAD_MODULE', (got, value) => {
  const message = `Cannot load tasks from file:///a.js: its default export must be made by \`defineTasks\`, got ${got}`;
  expect(isTaskModule(value)).toBe(false);
  expect(() => checkTaskModule(value, 'load tasks from file:///a.js: its default export')).toThrow(
    expect.objectContaining({ code: 'ERR_BAD_MODULE', message }),
  );
});
