import { describeValue, NESTED_WORKERS, unknownOption } from '@ticketing/kit';
import type { TaskHooks, TaskMap, TaskModule } from './contract/task.ts';
import { DispatchError } from './errors.ts';

const hookNames: readonly string[] = ['setup', 'teardown', 'health', 'report'];

/**
 * Returns the default export of a module that workers load. It is frozen; tasks added to the argument later are unknown.
 *
 * @throws TypeError for no task, a task or hook that is no function, and an unknown hook
 * @example
 * export default defineTasks({
 *   double: (input: number) => input * 2,
 * });
 */
export function defineTasks<M extends TaskMap>(tasks: M, hooks: TaskHooks = {}): TaskModule<M> {
  if (typeof tasks !== 'object' || tasks === null) {
    throw wrong('`tasks` must be an object of functions', tasks);
  }
  const entries = Object.entries(tasks);
  if (entries.length === 0) throw wrong('`tasks` must be one or more functions', 'none');
  for (const [name, task] of entries) {
    if (typeof task !== 'function') throw wrong(`\`${name}\` must be a function`, task);
  }
  if (typeof hooks !== 'object' || hooks === null) throw wrong('`hooks` must be an object', hooks);
  for (const [name, hook] of Object.entries(hooks)) {
    if (!hookNames.includes(name)) throw unknownOption('define tasks', `hooks.${name}`, hookNames);
    if (hook !== undefined && typeof hook !== 'function') {
      throw wrong(`\`hooks.${name}\` must be a function`, hook);
    }
  }
  return Object.freeze({
    tasks: Object.freeze({ ...tasks }),
    hooks: Object.freeze({ ...hooks }),
  });
}

function wrong(rule: string, got: unknown): TypeError {
  return new TypeError(`Cannot define tasks: ${rule}, got ${describeValue(got)}`);
}

/** Recognises what `defineTasks` returns, also that of another copy of this package. */
export function isTaskModule(value: unknown): value is TaskModule<TaskMap> {
  if (typeof value !== 'object' || value === null) return false;
  const { tasks, hooks } = value as Record<string, unknown>;
  return (
    holdsFunctions(tasks) &&
    Object.keys(tasks).length > 0 &&
    holdsFunctions(hooks) &&
    Object.keys(hooks).every((name) => hookNames.includes(name))
  );
}

/** Returns the hint for `await import('./tasks.ts')`, which needs its `default`. */
function hintFor(value: unknown): string {
  const isModule = Object.prototype.toString.call(value) === '[object Module]';
  return isModule && isTaskModule((value as { default?: unknown }).default)
    ? '; pass its `default`'
    : '';
}

/**
 * Returns the value if `defineTasks` has made it. `failed` begins the message: the failed action and the name of the value.
 *
 * @throws DispatchError `ERR_BAD_MODULE` otherwise
 */
export function checkTaskModule(value: unknown, failed: string): TaskModule<TaskMap> {
  if (isTaskModule(value)) return value;
  throw new DispatchError(
    'ERR_BAD_MODULE',
    `Cannot ${failed} must be made by \`defineTasks\`, got ${describeValue(value)}${hintFor(value)}`,
    { data: { name: 'worker' } },
  );
}

/**
 * Imports a module of tasks; a second import returns the same module. Also reads modules that TypeScript compiled to
 * CommonJS (`exports.default = defineTasks(…)`), whose default export is `exports`.
 *
 * @throws DispatchError `ERR_BAD_MODULE` if it exports no tasks by default; any error of its import
 */
export async function loadTaskModule(href: string): Promise<TaskModule<TaskMap>> {
  // A bundler that resolved it would find nothing: the module is a file beside the bundle.
  const exported = (await import(/* webpackIgnore: true */ /* @vite-ignore */ href)) as {
    readonly default?: unknown;
  };
  const compiled = Object(exported.default) as { readonly default?: unknown };
  return checkTaskModule(
    isTaskModule(compiled.default) ? compiled.default : exported.default,
    `load tasks from ${href}: its default export`,
  );
}

/** Whether another start would fail the same way: the module is missing, cannot be parsed, or exports no tasks. */
export function isFinalFailure(error: unknown, href: string): boolean {
  if (DispatchError.is(error)) return error.code === 'ERR_BAD_MODULE';
  if (error instanceof SyntaxError) return true;
  if (!(error instanceof Error)) return false;
  // A module that this one imports may exist in a moment, as while a build runs.
  const { code, url } = error as { readonly code?: unknown; readonly url?: unknown };
  return code === NESTED_WORKERS || (code === 'ERR_MODULE_NOT_FOUND' && url === href);
}

function holdsFunctions(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((member) => member === undefined || typeof member === 'function')
  );
}
