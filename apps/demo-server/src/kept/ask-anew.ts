import { AsyncLocalStorage } from 'node:async_hooks';

const scope = new AsyncLocalStorage<true>();

/** Calls `search` so that every carrier it asks is asked anew, whatever answers are kept; without `fresh` just calls it. */
export function askAnew<T>(fresh: true | undefined, search: () => T): T {
  return fresh ? scope.run(true, search) : search();
}

/** Returns whether the search that asks a carrier passes by kept answers. */
export function isAskedAnew(): boolean {
  return scope.getStore() === true;
}
