import { setImmediate } from 'node:timers/promises';
import { scaled } from '@ticketing/test-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPiscinaDispatcher } from '../../src/index.ts';
import type { Tasks } from '../fixtures/foreign-frames.ts';

const module = new URL('../fixtures/foreign-frames.ts', import.meta.url);
const execArgv = ['--conditions=@ticketing/source'];

/** Dispatcher whose thread posts any given message. */
const create = () => createPiscinaDispatcher<Tasks>(module, { max: 1, execArgv });

// An error that escapes fails its test.
const escaped: unknown[] = [];
const note = (error: unknown) => escaped.push(error);
beforeEach(() => {
  escaped.length = 0;
  process.on('uncaughtException', note).on('unhandledRejection', note);
});
afterEach(async () => {
  await setImmediate();
  process.off('uncaughtException', note).off('unhandledRejection', note);
  expect(escaped).toEqual([]);
});

const malformed = (expected: string) => ({
  message: `Cannot read a frame: it must have ${expected}`,
});

const frames = {
  'cells that are no JSON': ['[0,', { name: 'SyntaxError' }],
  'cells that are no list': ['{}', malformed('a list of cells, got [object Object]')],
  'a code that does not exist': ['[0,99,1,0,0]', malformed('a code of this version, got 99')],
  'a number that is a text': ['[0,"x",1,0,0]', malformed('a number, got x')],
} as const;

type Post = readonly [name: keyof typeof frames, task: 'post' | 'postAndExit'];
const posts = scaled<readonly Post[]>({
  fast: [
    ['cells that are no JSON', 'post'],
    ['a number that is a text', 'postAndExit'],
  ],
  full: (Object.keys(frames) as (keyof typeof frames)[]).flatMap((name) => [
    [name, 'post'] as const,
    [name, 'postAndExit'] as const,
  ]),
});

test.each(posts)(
  'a thread that posts %s (%s) is replaced: its calls are lost, and later ones run [checked-frames]',
  async (name, task) => {
    const [cells, cause] = frames[name];
    await using dispatcher = create();
    // Later messages of the thread are not read.
    const lost = dispatcher.run(task, [[cells], [cells], ['{}']]);
    await expect(lost).rejects.toMatchObject({ code: 'ERR_WORKER_LOST', cause });
    expect(await dispatcher.run('echo', 'later')).toBe('later');
    expect(dispatcher.stats()).toMatchObject({ lost: 1, completed: 1 });
  },
);

test('messages that are no frames are ignored', async () => {
  await using dispatcher = create();
  const controller = new AbortController();
  const { signal } = controller;
  const call = dispatcher.run('post', [undefined, 7, 'text', {}, [], [1]], { signal });
  expect(await dispatcher.run('echo', 'later')).toBe('later');
  controller.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
});
