import { texts } from '@ticketing/kit';
import type { Head, RouteFunction } from '../contract/head.ts';
import { type RouterAnswer, resolveAnswer } from '../server/answers.ts';

/** The worker of a key, of all or of the slots `among`. */
export interface KeyChoice {
  readonly kind: 'key';
  readonly key: string;
  readonly among?: readonly string[];
}

/** Workers that may get a connection. */
export type Choice =
  | { readonly kind: 'any' }
  | KeyChoice
  | { readonly kind: 'slot'; readonly slot: string };

export const ANY_WORKER: Choice = { kind: 'any' };

/** Decision of a route function. */
export type Decision = Choice | Refusal | OwnAnswer;

/** The router answers. */
interface OwnAnswer {
  readonly kind: 'answer';
  readonly answer: RouterAnswer;
}

interface Refusal {
  readonly kind: 'refuse';
  readonly status: number;
  readonly reason: string;
}

/** Calls a route function. A function that throws, or returns what is no route, refuses with status 500. */
export function decide(route: RouteFunction | undefined, head: () => Head): Decision {
  if (route === undefined) return ANY_WORKER;
  let decided: unknown;
  try {
    decided = route(head());
  } catch {
    return wrong('route-threw');
  }
  if (decided === undefined) return ANY_WORKER;
  const { key, among, slot, refuse, answer } = Object(decided) as Record<string, unknown>;
  if (typeof key === 'string') return keyChoice(key, among);
  if (typeof slot === 'string') return { kind: 'slot', slot };
  if (Number.isSafeInteger(refuse) && (refuse as number) >= 400 && (refuse as number) <= 599) {
    return { kind: 'refuse', status: refuse as number, reason: 'route' };
  }
  if (answer !== undefined) {
    const resolved = resolveAnswer(answer);
    return resolved === undefined ? wrong('answer-invalid') : { kind: 'answer', answer: resolved };
  }
  if (key !== undefined) return wrong('key-is-no-text');
  if (slot !== undefined) return wrong('slot-is-no-text');
  if (refuse !== undefined) return wrong('refuse-out-of-range');
  // A promise is no route, and its unhandled rejection would end the process.
  if (decided instanceof Promise) decided.catch(() => {});
  return wrong('route-invalid');
}

function keyChoice(key: string, among: unknown): Decision {
  if (among === undefined) return { kind: 'key', key };
  if (!texts.test(among)) return wrong('among-is-no-list-of-texts');
  const slots = among as readonly string[];
  return slots.length === 0 ? wrong('among-empty') : { kind: 'key', key, among: slots };
}

function wrong(reason: string): Refusal {
  return { kind: 'refuse', status: 500, reason };
}
