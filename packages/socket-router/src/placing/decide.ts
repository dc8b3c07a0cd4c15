import type { Head, RouteFunction } from '../contract/head.ts';

/** Which workers may get a connection. */
export type Choice =
  | { readonly kind: 'any' }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'slot'; readonly slot: string };

export const ANY_WORKER: Choice = { kind: 'any' };

/** What a route function decided. */
export type Decision =
  | Choice
  | { readonly kind: 'refuse'; readonly status: number; readonly reason: string };

/** Calls a route function. A function that throws, or returns what is no route, refuses with status 500. */
export function decide(route: RouteFunction | undefined, head: () => Head): Decision {
  if (route === undefined) return ANY_WORKER;
  let decided: unknown;
  try {
    decided = route(head());
  } catch {
    return { kind: 'refuse', status: 500, reason: 'route-threw' };
  }
  if (decided === undefined) return ANY_WORKER;
  const { key, slot, refuse } = Object(decided) as Record<string, unknown>;
  if (typeof key === 'string') return { kind: 'key', key };
  if (typeof slot === 'string') return { kind: 'slot', slot };
  if (Number.isSafeInteger(refuse) && (refuse as number) >= 400 && (refuse as number) <= 599) {
    return { kind: 'refuse', status: refuse as number, reason: 'route' };
  }
  // A promise is no route, and its unhandled rejection would end the process.
  if (decided instanceof Promise) decided.catch(() => {});
  return { kind: 'refuse', status: 500, reason: 'route-invalid' };
}
