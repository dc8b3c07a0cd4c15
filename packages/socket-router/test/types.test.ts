import { expect, expectTypeOf, test } from 'vitest';
import {
  type AttachOptions,
  createSocketRouter,
  type ForkOptions,
  type Head,
  type LeaveOptions,
  type Route,
  type RouteFunction,
  type RouterOptions,
  type WorkerSource,
} from '../src/index.ts';

const workers: WorkerSource = { subscribe: () => () => {} };

test('an answer of a route is of one kind, which one field identifies', () => {
  const kindOf = (route: Exclude<Route, undefined>): string => {
    if (route.key !== undefined) {
      expectTypeOf(route.among).toEqualTypeOf<readonly string[] | undefined>();
      return route.key;
    }
    if (route.slot !== undefined) return route.slot;
    if (route.refuse !== undefined) return `${route.refuse}`;
    return `${route.answer.status}`;
  };
  expect(kindOf({ key: 'a', among: ['0'] })).toBe('a');
  expect(kindOf({ answer: { status: 204 } })).toBe('204');
  const either = (head: Head) =>
    head.kind === 'tls' ? { slot: '0' } : { key: head.target ?? '', among: undefined };
  expectTypeOf(either).toExtend<RouteFunction>();
  // @ts-expect-error: a key and a slot
  expect(kindOf({ key: 'a', slot: '0' })).toBe('a');
  // @ts-expect-error: no key
  expect(kindOf({ among: ['0'], slot: '0' })).toBe('0');
  // @ts-expect-error: an answer has a status
  expect(() => kindOf({ answer: { body: 'a' } })).not.toThrow();
});

test('options take undefined where they may be absent, so that they can be passed on', async () => {
  const none = undefined as undefined;
  const options: Required<RouterOptions> = {
    workers,
    mode: none,
    route: none,
    health: none,
    laterRequests: none,
    balance: none,
    protocol: none,
    proxyProtocol: none,
    limits: none,
    signals: none,
  };
  const router = createSocketRouter(options);
  await router.close({ graceMs: none, lameDuckMs: none });
  const limited = createSocketRouter({
    workers: [workers],
    balance: { loadFactor: none },
    limits: {
      headBytes: none,
      headTimeoutMs: none,
      pending: none,
      queuePerWorker: none,
      maxWaitMs: none,
      claimTimeoutMs: none,
      stuckTimeoutMs: none,
    },
  });
  await limited.close();
  expectTypeOf<{
    route: undefined;
    orphanGraceMs: undefined;
  }>().toExtend<AttachOptions>();
  expectTypeOf<{ graceMs: undefined; lameDuckMs: undefined }>().toExtend<LeaveOptions>();
  expectTypeOf<{
    workers: number;
    slotPrefix: undefined;
    env: { readonly NAME: undefined };
    execArgv: undefined;
    restart: { backoffMs: undefined; maxFailures: undefined; withinMs: undefined };
    startTimeoutMs: undefined;
  }>().toExtend<ForkOptions>();
});
