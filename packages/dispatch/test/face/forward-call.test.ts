import { turns } from '@ticketing/test-kit';
import { describe, expect, it } from 'vitest';
import { createInProcessDispatcher, defineTasks, type TaskContext } from '../../src/index.ts';
import { forwardCall, streamWindow } from '../../src/worker.ts';

/** A dispatcher whose tasks pass calls on to another. */
function chain() {
  const notes: string[] = [];
  const stages = { made: 0 };
  const inner = createInProcessDispatcher(
    defineTasks({
      double: (n: number) => 2 * n,
      async *numbers(count: number) {
        try {
          for (let number = 1; number <= count; number += 1) {
            stages.made = number;
            if (number === 13) throw new Error('13');
            yield number;
          }
        } finally {
          notes.push('ended');
        }
      },
      steps: (_: undefined, context: TaskContext) => {
        context.progress('one');
        context.progress('two');
      },
      hold: (_: undefined, { signal }: TaskContext) =>
        new Promise((_resolve, reject) => {
          notes.push('began');
          signal.addEventListener('abort', () => {
            notes.push(`aborted: ${signal.reason}`);
            reject(signal.reason);
          });
        }),
    }),
  );
  const outer = createInProcessDispatcher(
    defineTasks({
      pass: ([task, input]: readonly [string, unknown], context: TaskContext) =>
        forwardCall(inner, context, { task, input, options: undefined }),
      passItems: ([task, input]: readonly [string, unknown], context: TaskContext) =>
        forwardCall(inner, context, {
          task,
          input,
          options: undefined,
        }) as never as AsyncIterable<number>,
      window: (_: undefined, context: TaskContext) => streamWindow(context),
      async *windowOfItems(_: undefined, context: TaskContext) {
        yield streamWindow(context);
      },
    }),
  );
  return {
    notes,
    stages,
    inner,
    outer,
    async [Symbol.asyncDispose]() {
      await outer.close();
      await inner.close();
    },
  };
}

describe('forwardCall()', () => {
  it('returns what the task of the other dispatcher returns', async () => {
    await using both = chain();
    expect(await both.outer.run('pass', ['double', 21])).toBe(42);
    expect(both.inner.stats().completed).toBe(1);
  });

  it('passes progress on', async () => {
    await using both = chain();
    const seen: unknown[] = [];
    await both.outer.run('pass', ['steps', undefined], { onProgress: (data) => seen.push(data) });
    expect(seen).toEqual(['one', 'two']);
  });

  it('aborts the call when its caller does', async () => {
    await using both = chain();
    const controller = new AbortController();
    const call = both.outer.run('pass', ['hold', undefined], { signal: controller.signal });
    await expect.poll(() => both.notes).toEqual(['began']);
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await expect.poll(() => both.notes).toEqual(['began', 'aborted: Error: enough']);
    expect(both.inner.stats().aborted).toBe(1);
  });

  it('passes items on, and none is made that the caller has no room for', async () => {
    await using both = chain();
    const seen: number[] = [];
    for await (const item of both.outer.stream('passItems', ['numbers', 6], { window: 2 })) {
      seen.push(item);
      await turns();
      expect(both.stages.made).toBe(Math.min(6, seen.length + 2));
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    expect(both.notes).toEqual(['ended']);
    expect(both.inner.stats()).toMatchObject({ asked: 1, completed: 1, running: 0 });
  });

  it('ends the generator when the caller leaves', async () => {
    await using both = chain();
    for await (const item of both.outer.stream('passItems', ['numbers', 6])) if (item === 2) break;
    await expect.poll(() => both.notes).toEqual(['ended']);
    expect(both.inner.stats()).toMatchObject({ aborted: 1, running: 0 });
  });

  it('a stream that fails gives what came before it', async () => {
    await using both = chain();
    const seen: number[] = [];
    const items = both.outer.stream('passItems', ['numbers', 20]);
    const all = (async () => {
      for await (const item of items) seen.push(Number(item));
    })();
    await expect(all).rejects.toThrow('13');
    expect(seen).toHaveLength(12);
    const other = both.outer.stream('passItems', ['double', 2]);
    await expect(other.next()).rejects.toThrow(
      'Cannot stream task `double`: it gives one result, no items; use `run`',
    );
  });

  it('a call for a result of a task that gives items is refused by the other dispatcher', async () => {
    await using both = chain();
    await expect(both.outer.run('pass', ['numbers', 2])).rejects.toThrow(
      'Cannot run task `numbers`: it gives items one by one; use `stream`',
    );
  });

  it('a task knows the window of a stream, and that a call is none', async () => {
    await using both = chain();
    expect(await both.outer.run('window')).toBe(undefined);
    const items = both.outer.stream('windowOfItems', undefined, { window: 5 });
    expect(await items.next()).toEqual({ done: false, value: 5 });
    await items.return?.();
    expect(streamWindow({} as TaskContext)).toBe(undefined);
  });

  it('returns nothing for a dispatcher or a context that cannot do so', () => {
    expect(forwardCall({}, {} as TaskContext, { task: 'x', input: 1, options: undefined })).toBe(
      undefined,
    );
  });

  it('leaves a dispatcher alone whose run() is another', async () => {
    await using both = chain();
    Object.assign(both.inner, { run: () => Promise.resolve() });
    expect(await both.outer.run('pass', ['double', 21])).toBe(undefined);
    expect(both.inner.stats().asked).toBe(0);
  });
});
