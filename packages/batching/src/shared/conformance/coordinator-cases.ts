import assert from 'node:assert/strict';
import { BatchingError } from '../../errors.ts';
import {
  assertHeld,
  awaited,
  CoordinatorStage,
  type CoordinatorSubject,
  claim,
  claimed,
  failure,
  leased,
  textOf,
  until,
  value,
} from './coordinator-stage.ts';

/** One promise of a coordinator, for any test runner. */
export interface CoordinatorCase {
  /** Unique among the cases. */
  readonly name: string;
  /** Creates coordinators, uses and closes them. @throws for a broken promise, and for what is left behind */
  run(): Promise<void>;
}

type Act = (stage: CoordinatorStage) => Promise<void>;

const KEEP_MS = 60_000;
const SHORT_LEASE_MS = 300;
const MIB = 1024 * 1024;

const claims: Record<string, Act> = {
  async 'one of many processes gets the lease, and the others wait'(stage) {
    const key = stage.key();
    const coordinators = await Promise.all(Array.from({ length: 8 }, () => stage.coordinator()));
    const answers = await Promise.all(coordinators.map((each) => claim(each, key)));
    assert.equal(answers.filter(({ kind }) => kind === 'lease').length, 1);
    assert.equal(answers.filter(({ kind }) => kind === 'wait').length, 7);
    for (const answer of answers) if (answer.kind === 'wait') answer.leave();
  },
  async 'one of many claims of one process gets the lease'(stage) {
    const key = stage.key();
    const coordinator = await stage.coordinator();
    const answers = await Promise.all(Array.from({ length: 8 }, () => claim(coordinator, key)));
    assert.equal(answers.filter(({ kind }) => kind === 'lease').length, 1);
    for (const answer of answers) if (answer.kind === 'wait') answer.leave();
    assert.equal(coordinator.stats().waiting, 0);
  },
  async 'keys do not know of each other'(stage) {
    const coordinator = await stage.coordinator();
    const [one, another] = [stage.key(), stage.key()];
    const lease = await leased(coordinator, one);
    await leased(coordinator, another);
    await lease.finish(value('one'), KEEP_MS);
    await assertHeld(coordinator, another);
  },
  async 'later leases have greater fences'(stage) {
    const key = stage.key();
    const coordinators = [await stage.coordinator(), await stage.coordinator()];
    let last = 0;
    for (let round = 0; round < 6; round += 1) {
      const lease = await leased(coordinators[round % 2] as (typeof coordinators)[0], key);
      assert.ok(lease.fence > last);
      last = lease.fence;
      if (round % 3 === 0) await lease.release();
      else await lease.finish(value('x'), 0);
    }
  },
  async 'a signal that has aborted rejects the claim with its reason, and takes no lease'(stage) {
    const key = stage.key();
    const coordinator = await stage.coordinator();
    const reason = new Error('enough');
    await assert.rejects(claim(coordinator, key, { signal: AbortSignal.abort(reason) }), reason);
    const controller = new AbortController();
    const answer = claim(coordinator, key, { signal: controller.signal });
    controller.abort(reason);
    await assert.rejects(answer, reason);
    // It may have been given back a moment later.
    const next = await claim(await stage.coordinator(), key);
    const end = next.kind === 'wait' ? await awaited(coordinator, key, next) : next;
    assert.equal(end.kind, 'lease');
  },
};

const outcomes: Record<string, Act> = {
  async 'a value that is not kept goes to those who waited, and to no other'(stage) {
    const key = stage.key();
    const [leader, waiter, late] = await stage.threeCoordinators();
    const lease = await leased(leader, key);
    const wait = await claimed('wait', waiter, key);
    assert.equal(wait.fence, lease.fence);
    assert.equal(await lease.finish(value('v', 7), 0), true);
    const answer = await awaited(waiter, key, wait);
    assert.equal(textOf(answer), 'v');
    await leased(late, key);
  },
  async 'a value that is kept goes to all, with what its load took and how long it is kept'(stage) {
    const key = stage.key();
    const coordinator = await stage.coordinator();
    const lease = await leased(coordinator, key);
    await lease.finish(value('v', 123), KEEP_MS);
    const answer = await claimed('value', await stage.coordinator(), key);
    assert.equal(textOf(answer), 'v');
    assert.equal(answer.loadMs, 123);
    assert.ok(answer.leftMs > 0 && answer.leftMs <= KEEP_MS);
  },
  async 'a value is kept for its time'(stage) {
    const key = stage.key();
    const coordinator = await stage.coordinator();
    const lease = await leased(coordinator, key);
    await lease.finish(value('v'), 50);
    await until(async () => (await claim(coordinator, key)).kind === 'lease', 'the end of a value');
  },
  async 'bytes arrive as they were: none, all values, and a MiB'(stage) {
    const coordinator = await stage.coordinator();
    const reader = await stage.coordinator();
    const all = Uint8Array.from({ length: 256 }, (_, index) => index);
    for (const bytes of [new Uint8Array(), all, Buffer.alloc(MIB, all)]) {
      const key = stage.key();
      const lease = await leased(coordinator, key);
      await lease.finish({ kind: 'value', bytes, loadMs: 1 }, KEEP_MS);
      const answer = await claimed('value', reader, key);
      assert.ok(Buffer.from(answer.bytes).equals(bytes));
    }
  },
  async 'a failure goes to those who waited, and for its time to all'(stage) {
    const key = stage.key();
    const [leader, waiter] = [await stage.coordinator(), await stage.coordinator()];
    const lease = await leased(leader, key);
    const wait = await claimed('wait', waiter, key);
    await lease.finish(failure('no'), 0);
    const answer = await awaited(waiter, key, wait);
    assert.deepEqual([answer.kind, textOf(answer)], ['failure', 'no']);
    const second = await leased(waiter, key);
    await second.finish(failure('again'), KEEP_MS);
    assert.equal(textOf(await claimed('failure', leader, key)), 'again');
  },
  async 'an outcome that is not shared makes each process load for itself'(stage) {
    const key = stage.key();
    const [leader, waiter] = [await stage.coordinator(), await stage.coordinator()];
    const lease = await leased(leader, key);
    const wait = await claimed('wait', waiter, key);
    await lease.finish({ kind: 'unshared' }, KEEP_MS);
    assert.deepEqual(await awaited(waiter, key, wait), { kind: 'local', reason: 'unshared' });
    assert.equal((await claim(leader, key)).kind, 'local');
  },
  async 'a second end of a lease changes nothing'(stage) {
    const key = stage.key();
    const coordinator = await stage.coordinator();
    const lease = await leased(coordinator, key);
    assert.equal(await lease.finish(value('first'), KEEP_MS), true);
    assert.equal(await lease.finish(value('second'), KEEP_MS), false);
    await lease.release();
    assert.equal(textOf(await claim(coordinator, key)), 'first');
  },
};

const lives: Record<string, Act> = {
  async 'a released lease goes to one of those who wait'(stage) {
    const key = stage.key();
    const [leader, one, another] = await stage.threeCoordinators();
    const lease = await leased(leader, key);
    const waits = [await claimed('wait', one, key), await claimed('wait', another, key)] as const;
    const answers = Promise.all([awaited(one, key, waits[0]), awaited(another, key, waits[1])]);
    await lease.release();
    // The first to claim leads; it ends its load once the other one waits for it.
    await until(() => one.stats().leases + another.stats().leases === 1, 'a second leader');
    await until(() => one.stats().waits + another.stats().waits >= 3, 'a wait for it');
    const [second] = [one, another].filter((each) => each.stats().leases === 1);
    await second?.close();
    const [first, last] = await answers;
    assert.deepEqual([first.kind, last.kind], ['lease', 'lease']);
  },
  async 'the lease of a process that hangs runs out, and its late outcome is refused'(stage) {
    const key = stage.key();
    const [hanging, waiter] = [await stage.hangingCoordinator(), await stage.coordinator()];
    const lost = await leased(hanging, key, { leaseMs: SHORT_LEASE_MS });
    // On a busy machine it may have run out already.
    const first = await claim(waiter, key);
    const answer = first.kind === 'wait' ? await awaited(waiter, key, first) : first;
    assert.ok(answer.kind === 'lease');
    assert.ok(answer.lease.fence > lost.fence);
    assert.equal(await lost.finish(value('old'), KEEP_MS), false);
    await assertHeld(waiter, key);
    assert.equal(await answer.lease.finish(value('new'), KEEP_MS), true);
    assert.equal(textOf(await claim(hanging, key)), 'new');
    assert.equal(hanging.stats().refused, 1);
  },
  async 'a lease that ran out, and that no other took, can still be finished'(stage) {
    const key = stage.key();
    const hanging = await stage.hangingCoordinator();
    const lease = await leased(hanging, key, { leaseMs: 30 });
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.equal(await lease.finish(value('v'), KEEP_MS), true);
  },
  async 'a lease is renewed while its process lives'(stage) {
    const key = stage.key();
    const leader = await stage.coordinator();
    const lease = await leased(leader, key, { leaseMs: 1500 });
    await until(() => leader.stats().renewed >= 4, 'four renewals');
    await assertHeld(await stage.coordinator(), key);
    assert.equal(lease.lost.aborted, false);
    assert.equal(await lease.finish(value('v'), 0), true);
  },
  async 'waiters() counts the processes that wait'(stage) {
    const key = stage.key();
    const [leader, one, another] = await stage.threeCoordinators();
    const lease = await leased(leader, key);
    assert.equal(await lease.waiters(), 0);
    const waits = [await claimed('wait', one, key), await claimed('wait', another, key)];
    const second = await claimed('wait', another, key);
    assert.equal(await lease.waiters(), 2);
    waits[0]?.leave();
    await until(async () => (await lease.waiters()) === 1, 'one waiter less');
    waits[1]?.leave();
    assert.equal(await lease.waiters(), 1);
    second.leave();
    second.leave();
    await until(async () => (await lease.waiters()) === 0, 'no waiter');
  },
};

const ends: Record<string, Act> = {
  async 'forget removes a kept value for all'(stage) {
    const key = stage.key();
    const [one, another] = [await stage.coordinator(), await stage.coordinator()];
    await (await leased(one, key)).finish(value('v'), KEEP_MS);
    await another.forget(key);
    await leased(one, key);
  },
  async 'forget refuses the outcome of a load that is under way, and its waiters load anew'(stage) {
    const key = stage.key();
    const [leader, waiter] = [await stage.coordinator(), await stage.coordinator()];
    const lease = await leased(leader, key);
    const wait = await claimed('wait', waiter, key);
    await waiter.forget(key);
    assert.equal(await lease.finish(value('stale'), KEEP_MS), false);
    const answer = await awaited(waiter, key, wait);
    assert.ok(answer.kind === 'lease');
    assert.ok(answer.lease.fence > lease.fence);
  },
  async 'a lease whose key is forgotten is lost'(stage) {
    const key = stage.key();
    const coordinator = await stage.coordinator();
    const lease = await leased(coordinator, key, { leaseMs: SHORT_LEASE_MS });
    await coordinator.forget(key);
    await until(() => lease.lost.aborted, 'the loss of a lease');
    assert.ok(BatchingError.is(lease.lost.reason));
    assert.equal(lease.lost.reason.code, 'ERR_LEASE_LOST');
    assert.equal(await lease.finish(value('stale'), KEEP_MS), false);
  },
  async 'with renew one gets the lease of a kept value, and the others the value'(stage) {
    const key = stage.key();
    const [one, another] = [await stage.coordinator(), await stage.coordinator()];
    await (await leased(one, key)).finish(value('old'), KEEP_MS);
    const lease = await leased(another, key, { renew: true });
    assert.equal(textOf(await claim(one, key, { renew: true })), 'old');
    assert.equal(textOf(await claim(one, key)), 'old');
    assert.equal(await lease.finish(value('new'), KEEP_MS), true);
    assert.equal(textOf(await claim(one, key)), 'new');
  },
  async 'close releases the leases, wakes who waits, and answers claims with local'(stage) {
    const key = stage.key();
    const [leader, waiter] = [await stage.coordinator(), await stage.coordinator()];
    const lease = await leased(leader, key);
    const wait = await claimed('wait', waiter, key);
    await Promise.all([leader.close(), leader.close()]);
    assert.equal((await awaited(waiter, key, wait)).kind, 'lease');
    assert.deepEqual(await claim(leader, key), { kind: 'local', reason: 'down' });
    assert.equal(await lease.finish(value('late'), KEEP_MS), false);
    await assert.rejects(leader.forget(key), { code: 'ERR_NOT_FORGOTTEN' });
    const second = await claimed('wait', waiter, key);
    await waiter.close();
    await second.woken;
    second.leave();
  },
  async 'statistics count each end'(stage) {
    const coordinator = await stage.coordinator();
    const keys = [stage.key(), stage.key(), stage.key()] as const;
    await (await leased(coordinator, keys[0])).finish(value('v'), KEEP_MS);
    await (await leased(coordinator, keys[1])).release();
    const lease = await leased(coordinator, keys[2]);
    await coordinator.forget(keys[2]);
    await lease.finish(value('v'), KEEP_MS);
    await claim(coordinator, keys[0]);
    const { state, claims: all, leases, values, ...stats } = coordinator.stats();
    assert.deepEqual({ state, all, leases, values }, { state: 'up', all: 4, leases: 3, values: 1 });
    const { finished, released, refused, forgotten, errors, timeouts, held } = stats;
    assert.deepEqual(
      { finished, released, refused, forgotten, errors, timeouts, held },
      { finished: 1, released: 1, refused: 1, forgotten: 1, errors: 0, timeouts: 0, held: 0 },
    );
  },
};

const tags: Record<string, Act> = {
  async 'a tag that is forgotten is in the answers of all processes, at a time that grows'(stage) {
    const group = stage.key();
    const [one, another] = [await stage.coordinator(), await stage.coordinator()];
    const first = await one.forgottenTags(group, 0);
    assert.ok(first !== undefined && first.floor > 0);
    assert.deepEqual(first.tags, []);
    await one.forgetTag(group, 'red');
    await another.forgetTag(group, 'green');
    const answer = await another.forgottenTags(group, first.floor);
    assert.equal(answer?.floor, first.floor);
    const times = new Map(answer?.tags);
    const [red, green] = [times.get('red') ?? 0, times.get('green') ?? 0];
    assert.ok(red > first.floor && green > red && times.size === 2);
    await one.forgetTag(group, 'red');
    const [[tag, time] = ['', 0], ...others] = (await one.forgottenTags(group, green))?.tags ?? [];
    assert.deepEqual([tag, others], ['red', []]);
    assert.ok(time > green);
  },
  async 'groups do not know of each other'(stage) {
    const coordinator = await stage.coordinator();
    const [one, another] = [stage.key(), stage.key()];
    await coordinator.forgetTag(one, 'red');
    assert.deepEqual((await coordinator.forgottenTags(another, 0))?.tags, []);
  },
  async 'a group that has lost what it knew has a floor above all times before'(stage) {
    const coordinator = await stage.coordinator();
    const known = (await coordinator.forgottenTags(stage.key(), 0))?.floor ?? 0;
    const answer = await coordinator.forgottenTags(stage.key(), known + 1_000_000_000);
    assert.ok((answer?.floor ?? 0) > known + 1_000_000_000);
  },
  async 'tags of a value arrive with it: none, and many'(stage) {
    const coordinator = await stage.coordinator();
    for (const ids of [[], Array.from({ length: 64 }, (_, index) => `${index}`.repeat(11))]) {
      const key = stage.key();
      const lease = await leased(coordinator, key);
      const outcome = { kind: 'value', bytes: Buffer.from('v'), loadMs: 1 } as const;
      await lease.finish({ ...outcome, tags: { ids, at: 1_234_567_890_123_456 } }, KEEP_MS);
      const answer = await claimed('value', await stage.coordinator(), key);
      assert.equal(textOf(answer), 'v');
      assert.equal(answer.fence, lease.fence);
      assert.deepEqual(answer.tags, { ids, at: 1_234_567_890_123_456 });
    }
  },
  async 'a value that a claim knows as outdated is removed, and a later one is not'(stage) {
    const key = stage.key();
    const [one, another] = [await stage.coordinator(), await stage.coordinator()];
    const old = await leased(one, key);
    await old.finish(value('old'), KEEP_MS);
    const lease = await leased(another, key, { outdated: old.fence });
    // It does not end the lease of the one who was first.
    const wait = await claimed('wait', one, key, { outdated: old.fence });
    wait.leave();
    assert.equal(await lease.finish(value('new'), KEEP_MS), true);
    assert.equal(textOf(await claim(one, key, { outdated: old.fence })), 'new');
  },
};

/**
 * Returns what a coordinator promises as cases, in a fixed order, each with keys of its own: they may run at the same time.
 * The coordinators of a subject share one engine, whose clock is the real one.
 *
 * @example
 * for (const { name, run } of coordinatorCases({ create })) test(name, run);
 */
export function coordinatorCases(subject: CoordinatorSubject): readonly CoordinatorCase[] {
  const groups = { claims, outcomes, lives, ends, tags };
  return Object.entries(groups).flatMap(([group, acts]) =>
    Object.entries(acts).map(([name, act]) => ({
      name: `${group}: ${name}`,
      async run() {
        const stage = new CoordinatorStage(subject);
        try {
          await act(stage);
        } catch (error) {
          await stage.clear().catch(() => {});
          throw error;
        }
        await stage.clear();
      },
    })),
  );
}
