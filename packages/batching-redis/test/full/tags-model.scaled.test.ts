import { once } from 'node:events';
import { type Coalescer, createCoalescer } from '@ticketing/batching';
import {
  type Coordinator,
  createMemoryCoordinator,
  createMemoryStore,
  type SharedLoader,
  shareLoads,
} from '@ticketing/batching/shared';
import { engineUrl, scaled, until } from '@ticketing/test-kit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRedisCoordinator } from '../../src/index.ts';
import { CLIENTS, type TestClient } from '../clients.ts';

const RUNS = scaled({ fast: 60, full: 1000 });
const url = engineUrl('redis');
/** Nothing expires, and no command counts as failed on a busy machine. */
const KEPT = { ttlMs: 600_000, refresh: 0, leaseMs: 600_000 };
const PATIENT = { commandTimeoutMs: 10_000 };

interface Value {
  readonly load: number;
  readonly tags: readonly string[];
}

interface Member {
  readonly coordinator: Coordinator;
  readonly load: SharedLoader<string, Value>;
  readonly values: Coalescer<string, Value>;
}

type Step =
  | { readonly kind: 'get'; readonly member: 0 | 1; readonly key: string }
  | { readonly kind: 'resolve'; readonly which: number; readonly tags: readonly string[] }
  | { readonly kind: 'forgetTag'; readonly member: 0 | 1; readonly tag: string }
  | { readonly kind: 'forget'; readonly member: 0 | 1; readonly key: string };

const member = fc.constantFrom(0 as const, 1 as const);
const key = fc.constantFrom('a', 'b', 'c');
const tag = fc.constantFrom('red', 'green', 'blue');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('get' as const), member, key }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('resolve' as const),
      which: fc.nat(3),
      tags: fc.array(tag, { maxLength: 3 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('forgetTag' as const), member, tag }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const), member, key }) },
);

interface ModelLoad {
  readonly key: string;
  readonly number: number;
  readonly leader: 0 | 1;
  /** Tags that any member forgot since it began. */
  readonly forgotten: Set<string>;
  readonly calls: Call[];
  /** Calls of the other member. */
  readonly waiting: Call[];
}

interface Call {
  readonly answer: Promise<number>;
  /** Tags that had been forgotten since the load began that it waits for. */
  readonly forgotten: ReadonlySet<string>;
  expected: number | undefined;
}

/** Runs steps on two members that share what they load, and on a naive model: one list of kept values, looked through. */
async function follow(
  steps: readonly Step[],
  create: () => Coordinator,
  name: string,
): Promise<void> {
  const resolves: ((value: Value) => void)[] = [];
  const members = [0, 1].map((): Member => {
    const coordinator = create();
    const load = shareLoads<string, Value>(() => new Promise((resolve) => resolves.push(resolve)), {
      coordinator,
      name,
      tags: ({ tags }) => tags,
      ...KEPT,
    });
    return { coordinator, load, values: createCoalescer(load, { name }) };
  }) as [Member, Member];
  let kept: { readonly key: string; readonly load: number; readonly tags: readonly string[] }[] =
    [];
  const open: ModelLoad[] = [];
  const calls: Call[] = [];
  let loaded = 0;

  async function start(leader: 0 | 1, of: string, call: Call): Promise<void> {
    loaded += 1;
    await until(() => resolves.length === loaded, 'a load', 5000);
    open.push({
      key: of,
      number: loaded - 1,
      leader,
      forgotten: new Set(),
      calls: [call],
      waiting: [],
    });
  }

  async function get(asker: 0 | 1, of: string): Promise<void> {
    const { values, coordinator } = members[asker];
    const waits = coordinator.stats().waiting;
    const answer = values.get(of).then(({ load }) => load);
    const value = kept.find((each) => each.key === of);
    const load = open.find((each) => each.key === of);
    const call: Call = { answer, forgotten: new Set(load?.forgotten), expected: undefined };
    calls.push(call);
    if (load !== undefined && load.leader !== asker) {
      load.waiting.push(call);
      // Further calls of one member join its first.
      if (load.waiting.length === 1) {
        await until(() => coordinator.stats().waiting === waits + 1, 'a wait', 5000);
      }
    } else if (load !== undefined) load.calls.push(call);
    else if (value === undefined) await start(asker, of, call);
    else expect(await answer).toBe(value.load);
    if (value !== undefined) call.expected = value.load;
  }

  async function resolve(load: ModelLoad, tags: readonly string[]): Promise<void> {
    open.splice(open.indexOf(load), 1);
    const { coordinator } = members[load.leader];
    const { finished } = coordinator.stats();
    resolves[load.number]?.({ load: load.number, tags });
    await until(() => coordinator.stats().finished === finished + 1, 'an end', 5000);
    for (const call of load.calls) call.expected = load.number;
    const isOutdated = tags.some((each) => load.forgotten.has(each));
    if (!isOutdated) {
      kept.push({ key: load.key, load: load.number, tags });
      for (const call of load.waiting) call.expected = load.number;
      await Promise.all(load.waiting.map(({ answer }) => answer));
      return;
    }
    const [first, ...others] = load.waiting;
    if (first === undefined) return;
    let answered: number | undefined;
    void first.answer.then((number) => {
      answered = number;
    });
    await until(() => resolves.length > loaded || answered !== undefined, 'an answer', 5000);
    if (answered === undefined) {
      await start(load.leader === 0 ? 1 : 0, load.key, first);
      open.at(-1)?.calls.push(...others);
      return;
    }
    // It asked which tags are forgotten, and was about to claim, when the tag was forgotten: it came before that.
    expect(tags.some((each) => first.forgotten.has(each))).toBe(false);
    for (const call of load.waiting) call.expected = load.number;
  }

  try {
    for (const now of steps) {
      switch (now.kind) {
        case 'get':
          await get(now.member, now.key);
          break;
        case 'resolve': {
          const load = open[now.which];
          if (load !== undefined) await resolve(load, now.tags);
          break;
        }
        case 'forgetTag':
          await members[now.member].load.forgetTag(now.tag);
          for (const load of open) load.forgotten.add(now.tag);
          kept = kept.filter(({ tags }) => !tags.includes(now.tag));
          break;
        default:
          // A load under way would be repeated by whoever is first.
          if (open.some((each) => each.key === now.key)) break;
          await members[now.member].load.forget(now.key);
          kept = kept.filter((each) => each.key !== now.key);
      }
    }
    while (open.length > 0) await resolve(open[0] as ModelLoad, []);
    for (const { answer, expected } of calls) expect(await answer).toBe(expected);
    expect(members.reduce((sum, { load }) => sum + load.stats().led, 0)).toBe(loaded);
    expect(members.map(({ load }) => load.stats().local)).toEqual([0, 0]);
  } finally {
    for (const { values, coordinator } of members) {
      await values.close();
      await coordinator.close();
    }
  }
}

const program = fc.array(step, { maxLength: 25, size: 'max' });

test('two processes with tags do what a naive model does, over a store in memory', async () => {
  await fc.assert(
    fc.asyncProperty(program, (steps) => {
      const store = createMemoryStore();
      return follow(steps, () => createMemoryCoordinator({ store, ...PATIENT }), 'model');
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 600_000);

test.skipIf(url === undefined)(
  'two processes with tags do what a naive model does, over a server',
  async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(program, (steps) => {
        runs += 1;
        let place = 0;
        const create = () => {
          const client = clients[place] as TestClient;
          place += 1;
          return createRedisCoordinator({ client, ...PATIENT });
        };
        return follow(steps, create, `tags:${process.pid}:${runs}`);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  },
  600_000,
);

let clients: readonly TestClient[] = [];
beforeAll(async () => {
  if (url === undefined) return;
  clients = [CLIENTS.iovalkey(url), CLIENTS.ioredis(url)];
  await Promise.all(clients.map((client) => once(client as never, 'ready')));
});
afterAll(() => {
  for (const client of clients) client.disconnect();
});
