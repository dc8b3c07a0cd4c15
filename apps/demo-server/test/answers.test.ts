import { DispatchError } from '@ticketing/dispatch';
import { turns } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { answerTasks } from '../src/answers/answer-tasks.ts';
import { askOwners } from '../src/answers/by-owner.ts';
import { elsewhere } from '../src/answers/elsewhere.ts';
import { here } from '../src/answers/here.ts';
import { inWorkers } from '../src/answers/in-workers.ts';
import { type AskOptions, kinds, QUESTION_NAMES } from '../src/answers/kinds.ts';
import { shared } from '../src/answers/shared.ts';
import { someAnswers } from './some-answers.ts';

const { signal } = new AbortController();
const options: AskOptions = { signal, deadlineMs: 1000 };
const answer = { body: Buffer.from('[]'), ms: 1 };

/** Answers of one process, and what it was asked. */
function process(name: string, fail?: () => unknown) {
  const asked: unknown[] = [];
  const answers = someAnswers({
    async worms(question, { deadlineMs, key }) {
      asked.push([name, question, deadlineMs, key]);
      if (fail !== undefined) throw fail();
      return answer;
    },
  });
  return { asked, answers };
}

/** A dispatcher whose worker answers by these tasks. */
function dispatcherOf(tasks: ReturnType<typeof answerTasks>) {
  const calls: { name: string; options: Record<string, unknown> }[] = [];
  return {
    calls,
    async run(name: 'worms', input: never, given: Record<string, unknown>) {
      calls.push({ name, options: given });
      return tasks[name](input, { signal } as never);
    },
  };
}

test('elsewhere() asks a task of the question, without its key: any worker answers', async () => {
  const other = process('other');
  const dispatcher = dispatcherOf(answerTasks(() => other.answers));
  const own = process('own');
  const { worms, events, stats, has } = elsewhere(own.answers, dispatcher as never);
  expect(await worms('utilize', { ...options, key: 'a key' })).toBe(answer);
  expect(other.asked).toEqual([['other', 'utilize', 1000, undefined]]);
  expect(dispatcher.calls).toMatchObject([
    { name: 'worms', options: { timeoutMs: 1500, retries: 1, idempotent: true } },
  ]);
  expect(dispatcher.calls[0]?.options['key']).toBeUndefined();
  expect([events, stats, has]).toEqual([own.answers.events, own.answers.stats, own.answers.has]);
  expect(own.asked).toEqual([]);
});

test('answerTasks() has a task for each question, and refuses a deadline that is none', () => {
  const tasks = answerTasks(() => process('own').answers);
  expect(Object.keys(tasks).sort()).toEqual([...QUESTION_NAMES].sort());
  for (const deadlineMs of [0, -1, 1.5, Number.NaN, 86_400_001, '1000' as never]) {
    const ask = () => tasks.worms({ question: 'utilize', deadlineMs }, { signal } as never);
    expect(ask).toThrow(RangeError);
  }
});

test('every link has a method for each question of the registry', () => {
  const own = someAnswers({});
  const dispatcher = {} as never;
  const links = [
    here({} as never, {} as never),
    inWorkers(own, { dispatcher, carriers: [], onEnd: () => {} }),
    elsewhere(own, dispatcher),
    shared(own),
  ];
  for (const link of links) {
    expect(Object.keys(link)).toEqual(expect.arrayContaining([...QUESTION_NAMES]));
  }
});

/** A member of a fleet: what it was asked, and what the owner of other keys was. */
function member({ isOwn, fail }: { isOwn: boolean; fail?: () => unknown }) {
  const [own, owner] = [process('own'), process('owner', fail)];
  const dispatcher = dispatcherOf(answerTasks(() => owner.answers));
  const keys: string[] = [];
  const questions = askOwners(own.answers, {
    hosts: dispatcher as never,
    isOwn(key) {
      keys.push(key);
      return isOwn;
    },
  });
  return {
    ask: questions.worms,
    own: own.asked,
    owner: owner.asked,
    calls: dispatcher.calls,
    keys,
  };
}

test('askOwners() answers for its own keys, and asks the owner of others by the key', async () => {
  const here = member({ isOwn: true });
  await here.ask('utilize', options);
  const key = kinds.worms.keyOf('utilize');
  expect([here.own, here.owner, here.keys]).toEqual([[['own', 'utilize', 1000, key]], [], [key]]);
  const there = member({ isOwn: false });
  await there.ask('utilize', { ...options, key: 'known' });
  expect([there.own, there.keys]).toEqual([[], ['known']]);
  expect(there.calls).toMatchObject([{ name: 'worms', options: { key: 'known' } }]);
});

test.each(['ERR_WORKER_LOST', 'ERR_CIRCUIT_OPEN', 'ERR_NO_HOST', 'ERR_DRAINING'] as const)(
  'askOwners() answers itself where the owner is gone (%s), in what is left of the time',
  async (code) => {
    const { ask, own } = member({
      isOwn: false,
      fail: () => new DispatchError(code, 'gone', { data: { name: 'keys' } }),
    });
    expect(await ask('utilize', { ...options, key: 'known' })).toBe(answer);
    expect(own).toEqual([['own', 'utilize', expect.any(Number), 'known']]);
    expect((own[0] as number[])[2]).toBeLessThanOrEqual(1000);
  },
);

test('askOwners() passes any other failure of an owner on, with its class', async () => {
  const crossed = Object.assign(new Error('too late'), {
    name: 'DispatchError',
    code: 'ERR_TIMEOUT',
    data: {},
  });
  const { ask, own } = member({ isOwn: false, fail: () => crossed });
  const error = await ask('utilize', options).catch((reason: unknown) => reason);
  expect([DispatchError.is(error), own]).toEqual([true, []]);
});

test('shared() makes one of equal questions, and passes their key on', async () => {
  const asked: AskOptions[] = [];
  let give = (): void => {};
  const own = someAnswers({
    worms(_, given) {
      asked.push(given);
      return new Promise((resolve) => {
        give = () => resolve(answer);
      });
    },
  });
  const { worms, has } = shared(own);
  const key = kinds.worms.keyOf('utilize');
  expect(has(key)).toBe(false);
  const both = [worms('utilize', options), worms('utilize', { ...options, key })];
  await turns();
  expect([has(key), asked.length, asked[0]?.key]).toEqual([true, 1, key]);
  give();
  expect(await Promise.all(both)).toEqual([answer, answer]);
  expect(has(key)).toBe(false);
});

test('here() counts the streams that were asked for, and closes what it answers by', async () => {
  const closed: string[] = [];
  const search = {
    stats: () => ({ running: 0 }),
    stream: () => [][Symbol.iterator](),
    close: async () => void closed.push('search'),
  };
  const store = { stats: () => ({ kind: 'none' }), close: async () => void closed.push('store') };
  const answers = here(search as never, store as never);
  answers.events({ query: {} } as never, options);
  answers.events({ query: {} } as never, options);
  expect(answers.stats()).toMatchObject({
    coalesce: undefined,
    streams: { asked: 2, joined: 0, inFlight: 0 },
    search: { running: 0 },
    worms: { kind: 'none', coalesce: undefined },
  });
  await answers.close();
  expect(closed).toEqual(['search', 'store']);
});
