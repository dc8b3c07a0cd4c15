import type { TaskMap, TaskModule } from '../contract/task.ts';
import { checkTaskModule, isTaskModule } from '../define-tasks.ts';
import { DispatchError } from '../errors.ts';

/**
 * Imports a module of tasks. One that was imported before is the same module again. What TypeScript compiles to CommonJS,
 * `exports.default = defineTasks(…)`, is found as well: to `import()` its default export is `exports`.
 *
 * @throws DispatchError `ERR_BAD_MODULE` if it exports no tasks by default; what its import throws
 */
export async function loadTaskModule(href: string): Promise<TaskModule<TaskMap>> {
  const exported = (await import(href)) as { readonly default?: unknown };
  const compiled = Object(exported.default) as { readonly default?: unknown };
  return checkTaskModule(
    isTaskModule(compiled.default) ? compiled.default : exported.default,
    href,
  );
}

/** Tells whether another start would fail alike: the module is missing, cannot be parsed, or exports no tasks. */
export function isFinalFailure(error: unknown, href: string): boolean {
  if (DispatchError.is(error)) return error.code === 'ERR_BAD_MODULE';
  if (error instanceof SyntaxError) return true;
  if (!(error instanceof Error)) return false;
  // A module that is missing further down may be there in a moment, as while a build runs.
  const { code, url } = error as { readonly code?: unknown; readonly url?: unknown };
  return code === 'ERR_MODULE_NOT_FOUND' && url === href;
}
