import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Gives each request a context that what it starts has too, as a tracer does. */
interface ContextManager {
  with<T>(context: object, run: () => T): T;
  active(): object | undefined;
}

/** Makes a context manager as there were before AsyncLocalStorage: an entry per async resource, until that is destroyed. */
function createHooksManager(): ContextManager {
  const contexts = new Map<number, object>();
  const stack: (object | undefined)[] = [];
  createHook({
    init(id) {
      const context = stack.at(-1);
      if (context !== undefined) contexts.set(id, context);
    },
    before: (id) => void stack.push(contexts.get(id)),
    after: () => void stack.pop(),
    destroy: (id) => void contexts.delete(id),
    promiseResolve: (id) => void contexts.delete(id),
  }).enable();
  return {
    with(context, run) {
      stack.push(context);
      try {
        return run();
      } finally {
        stack.pop();
      }
    },
    active: () => stack.at(-1),
  };
}

function createStorageManager(): ContextManager {
  const storage = new AsyncLocalStorage<object>();
  return { with: (context, run) => storage.run(context, run), active: () => storage.getStore() };
}

/** Platform features on which context managers are built. */
export const CONTEXTS_BY = ['hooks', 'storage'] as const;
export type ContextsBy = (typeof CONTEXTS_BY)[number];

/** Runs a program that calls {@link countHeldContexts} with its argument and writes JSON; returns its value. */
export async function runContextProgram(program: URL, by: ContextsBy): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--conditions=@ticketing/source',
    fileURLToPath(program),
    by,
  ]);
  return JSON.parse(stdout) as unknown;
}

/**
 * Runs requests one after the other, each in a context of its own, and returns how many of the contexts are held when all are
 * over and garbage was collected. Needs `--expose-gc`.
 *
 * @param request - one request; it gets the current context as `active()` gives it
 */
export async function countHeldContexts(
  by: ContextsBy,
  count: number,
  request: (active: () => object | undefined) => Promise<unknown>,
): Promise<number> {
  const manager = by === 'hooks' ? createHooksManager() : createStorageManager();
  const contexts: WeakRef<object>[] = [];
  for (let index = 0; index < count; index += 1) {
    const context = { index };
    contexts.push(new WeakRef(context));
    await manager.with(context, () => request(manager.active));
  }
  const collect = (globalThis as { readonly gc?: () => void }).gc;
  if (collect === undefined) throw new Error('Cannot collect garbage: start with --expose-gc');
  let held = count;
  // Objects with a weak callback take more than one collection, each with a turn after it.
  for (let round = 0; round < 20 && held > 0; round += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    collect();
    held = contexts.filter((each) => each.deref() !== undefined).length;
  }
  return held;
}
