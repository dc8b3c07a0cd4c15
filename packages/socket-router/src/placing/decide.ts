import type { Head, RouteFunction } from '../contract/head.ts';

/** Who may get a connection. */
export type Choice =
  | { readonly kind: 'any' }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'slot'; readonly slot: string };

export const ANY_WORKER: Choice = { kind: 'any' };

/** What was decided about a head. */
export type Decision =
  | { readonly kind: 'place'; readonly choice: Choice }
  | { readonly kind: 'refuse'; readonly status: number; readonly reason: string };

const PLACE_ANYWHERE: Decision = { kind: 'place', choice: ANY_WORKER };

/** Asks a route function; one that throws, or gives what is no route, refuses with status 500. */
export function decide(route: RouteFunction | undefined, head: () => Head): Decision {
  if (route === undefined) return PLACE_ANYWHERE;
  let decided: unknown;
  try {
    decided = route(head());
  } catch {
    return { kind: 'refuse', status: 500, reason: 'route-threw' };
  }
  if (decided === undefined) return PLACE_ANYWHERE;
  const { key, slot, refuse } = Object(decided) as Record<string, unknown>;
  if (typeof key === 'string') return { kind: 'place', choice: { kind: 'key', key } };
  if (typeof slot === 'string') return { kind: 'place', choice: { kind: 'slot', slot } };
  if (Number.isSafeInteger(refuse) && (refuse as number) >= 400 && (refuse as number) <= 599) {
    return { kind: 'refuse', status: refuse as number, reason: 'route' };
  }
  // A promise is no route, and its rejection, which is handled nowhere else, would end the process.
  if (decided instanceof Promise) decided.catch(() => {});
  return { kind: 'refuse', status: 500, reason: 'route-invalid' };
}
