import { describe, expect, it } from 'vitest';
import { createInProcessDispatcher, defineTasks, type TaskContext } from '../src/index.ts';
import { forwardCall } from '../src/worker.ts';

/** A dispatcher whose tasks pass calls on to another. */
function chain() {
  const notes: string[] = [];
  const inner = createInProcessDispatcher(
    defineTasks({
      double: (n: number) => 2 * n,
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
    }),
  );
  return {
    notes,
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
