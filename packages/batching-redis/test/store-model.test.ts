import { once } from 'node:events';
import { createMemoryStore, type LeaseStore } from '@ticketing/batching/shared';
import { createManualClock, engineUrl } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ScriptingClient } from '../src/redis-client.ts';
import { createRedisStore } from '../src/redis-store.ts';
import { CLIENTS } from './clients.ts';

const url = engineUrl('redis');
const LONG_MS = 600_000;
const HEAD_LENGTH = 37;
/** Greater than those of either store. */
const NO_FENCE = 5e15;

const token = fc.constantFrom('one', 'two', 'three');
const step = fc.oneof(
  fc.record({
    kind: fc.constant('claim' as const),
    token,
    after: fc.constantFrom('none' as const, 'last' as const, 'first' as const),
    outdated: fc.constantFrom('none' as const, 'last' as const, 'first' as const),
    renew: fc.boolean(),
  }),
  fc.record({
    kind: fc.constantFrom('renew' as const, 'release' as const, 'leave' as const),
    token,
  }),
  fc.record({ kind: fc.constant('finish' as const), token, isKept: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('forget' as const, 'waiters' as const) }),
  fc.record({
    kind: fc.constant('forgetTag' as const),
    tag: fc.constantFrom('red', 'green', 'blue'),
  }),
  fc.record({
    kind: fc.constant('forgottenTags' as const),
    since: fc.constantFrom('never' as const, 'first' as const, 'last' as const, 'ahead' as const),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Runs steps on a store, and returns its answers, with fences by their order: the numbers differ. */
async function answersOf(
  store: LeaseStore,
  key: string,
  steps: readonly Step[],
): Promise<unknown[]> {
  const fences: number[] = [];
  const held = new Map<string, number>();
  const orderOf = (fence: number): number => {
    if (!fences.includes(fence)) fences.push(fence);
    return fences.sort((a, b) => a - b).indexOf(fence);
  };
  const times: number[] = [0];
  const answers: unknown[] = [];
  for (const each of steps) {
    const name = 'token' in each ? each.token : '';
    const lease = { token: name, fence: held.get(name) ?? NO_FENCE };
    switch (each.kind) {
      case 'claim': {
        const after = { none: undefined, last: fences.at(-1), first: fences[0] }[each.after];
        const outdated = { none: undefined, last: fences.at(-1), first: fences[0] }[each.outdated];
        const claim = { token: name, leaseMs: LONG_MS, after, outdated, renew: each.renew };
        const reply = await store.claim(key, { ...claim, waiter: name });
        if (reply.kind === 'won') held.set(name, reply.fence);
        if (reply.kind === 'record') {
          const text = Buffer.from(reply.record.subarray(HEAD_LENGTH)).toString();
          answers.push(['record', text, reply.leftMs > 0]);
        } else answers.push([reply.kind, orderOf(reply.fence)]);
        break;
      }
      case 'finish': {
        // Kind, fence, loadMs, and for how long it lives on when it is no longer kept.
        const beyond = String(each.isKept ? 0 : LONG_MS).padStart(10, '0');
        const head = `v${String(lease.fence).padStart(16, '0')}${'1'.padStart(10, '0')}${beyond}`;
        const record = Buffer.from(`${head}${name} ${answers.length}`);
        answers.push(await store.finish(key, { ...lease, record, lifeMs: LONG_MS }));
        break;
      }
      case 'renew':
        answers.push(await store.renew(key, { ...lease, leaseMs: LONG_MS }));
        break;
      case 'release':
        await store.release(key, lease);
        break;
      case 'leave':
        await store.leave(key, name);
        break;
      case 'forgetTag':
        await store.forgetTag(key, each.tag);
        break;
      case 'forgottenTags': {
        const last = times.at(-1) as number;
        const since = { never: 0, first: times[1] ?? 0, last, ahead: NO_FENCE }[each.since];
        const { floor, tags } = await store.forgottenTags(key, since);
        for (const time of [floor, ...tags.map(([, each]) => each)]) {
          if (!times.includes(time)) times.push(time);
        }
        times.sort((a, b) => a - b);
        const byTime = [...tags].sort(([, a], [, b]) => a - b);
        answers.push([times.indexOf(floor), byTime.map(([tag, at]) => [tag, times.indexOf(at)])]);
        break;
      }
      case 'forget':
        await store.forget(key);
        break;
      default:
        answers.push(await store.waiters(key));
    }
  }
  return answers;
}

test.skipIf(url === undefined)(
  'the scripts do, step by step, what the store in memory does',
  async () => {
    const client = CLIENTS.iovalkey(url as string);
    await once(client as never, 'ready');
    const store = createRedisStore(client as unknown as ScriptingClient, 'model');
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
        runs += 1;
        const model = createMemoryStore({ clock: createManualClock() });
        const key = `${process.pid}:${runs}`;
        expect(await answersOf(store, key, steps)).toEqual(await answersOf(model, key, steps));
      }),
      { numRuns: 200 },
    );
    await store.close();
    client.disconnect();
  },
);
