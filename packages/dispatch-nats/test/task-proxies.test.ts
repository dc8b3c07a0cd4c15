import { channel } from 'node:diagnostics_channel';
import {
  createInProcessDispatcher,
  DispatchError,
  type Dispatcher,
  defineTasks,
  type RunOptions,
  type TaskContext,
  type TaskMap,
} from '@ticketing/dispatch';
import { systemClock } from '@ticketing/kit';
import { expect, it, onTestFinished } from 'vitest';
import { isLossOf, proxiesOf } from '../src/host/task-proxies.ts';
import { createNatsDispatcher, serveNatsTasks } from '../src/index.ts';
import { createMemoryNats } from './memory-nats.ts';

/** Dispatcher of another make, which cannot relay a call and notes its options. */
function otherMake(run: (task: string) => Promise<unknown> = async () => 'done') {
  const asked: { task: string; input: unknown; options: RunOptions | undefined }[] = [];
  const dispatcher = {
    run(task: string, input: unknown, options?: RunOptions) {
      asked.push({ task, input, options });
      return run(task);
    },
    stats: () => ({ name: 'other', workers: [{}] }),
  } as unknown as Dispatcher<TaskMap>;
  return { dispatcher, asked };
}

function contextOf(changes: Partial<TaskContext> = {}): TaskContext & { progressed: unknown[] } {
  const progressed: unknown[] = [];
  return {
    ...{ id: 1, workerId: 1, slot: 0, attempt: 1, deadline: undefined, metadata: {} },
    ...{ signal: new AbortController().signal, workerData: undefined },
    progress: (data: unknown) => void progressed.push(data),
    progressed,
    ...changes,
  } as TaskContext & { progressed: unknown[] };
}

function proxy(dispatcher: Dispatcher<TaskMap>, report?: () => unknown) {
  const ended: string[] = [];
  const settled = (ending: string): void => void ended.push(ending);
  const module = proxiesOf(dispatcher, ['sum'], { settled, report });
  const run = (context: TaskContext) =>
    (module.tasks['sum'] as (input: unknown, of: TaskContext) => Promise<unknown>)('in', context);
  return { run, ended, module };
}

it('a call has its limit, metadata, attempt, signal and progress in the dispatcher of the host', async () => {
  const { dispatcher, asked } = otherMake();
  const { run, ended } = proxy(dispatcher);
  const metadata = { traceparent: '00-a-b-01', tenant: 'x' };
  const context = contextOf({ deadline: Date.now() + 5000, metadata, attempt: 3 });
  expect(await run(context)).toBe('done');
  const [{ task, input, options } = { task: '', input: '', options: undefined }] = asked;
  expect([task, input]).toEqual(['sum', 'in']);
  expect(options).toMatchObject({ metadata, attempt: 3 });
  expect(options?.signal).toBe(context.signal);
  expect(options?.timeoutMs).toBeGreaterThan(4000);
  expect(options?.timeoutMs).toBeLessThanOrEqual(5000);
  options?.onProgress?.('half');
  expect(context.progressed).toEqual(['half']);
  expect(ended).toEqual(['completed']);
});

it('a call with nothing to pass on has its signal and progress alone, and a later one no attempt', async () => {
  const { dispatcher, asked } = otherMake();
  const { run } = proxy(dispatcher);
  await run(contextOf());
  await run(contextOf({ metadata: { tenant: 'x' } }));
  expect(Object.keys(asked[0]?.options ?? {})).toEqual(['signal', 'onProgress']);
  expect(Object.keys(asked[1]?.options ?? {})).toEqual(['metadata', 'signal', 'onProgress']);
});

it('a deadline that has passed ends the call at once, and is no wrong option', async () => {
  const { dispatcher, asked } = otherMake();
  await proxy(dispatcher).run(contextOf({ deadline: Date.now() - 10_000 }));
  expect(asked[0]?.options?.timeoutMs).toBe(1);
});

it('the trace of a caller is not passed on where this process traces the session itself', async () => {
  const { dispatcher, asked } = otherMake();
  const tracing = channel('tracing:ticketing:dispatch:run:start');
  const listen = (): void => {};
  tracing.subscribe(listen);
  onTestFinished(() => void tracing.unsubscribe(listen));
  const trace = { traceparent: 'a', tracestate: 'b', baggage: 'c' };
  await proxy(dispatcher).run(contextOf({ metadata: { ...trace, tenant: 'x' } }));
  expect(asked[0]?.options?.metadata).toEqual({ tenant: 'x' });
});

it('counts calls that failed apart from aborted ones, and passes their errors on', async () => {
  const error = new RangeError('no');
  const { dispatcher } = otherMake(async () => {
    throw error;
  });
  const { run, ended } = proxy(dispatcher);
  await expect(run(contextOf())).rejects.toBe(error);
  await expect(run(contextOf({ signal: AbortSignal.abort() }))).rejects.toBe(error);
  expect(ended).toEqual(['failed', 'aborted']);
});

it('has the report of the host as the hook of its module, if there is one', () => {
  const { dispatcher } = otherMake();
  const report = (): number => 1;
  expect(proxy(dispatcher, report).module.hooks.report).toBe(report);
  expect(proxy(dispatcher).module.hooks.report).toBeUndefined();
});

it.each([
  ['ERR_WORKER_LOST', 'local', true],
  ['ERR_WORKER_LOST', 'another', false],
  ['ERR_TIMEOUT', 'local', false],
] as const)('isLossOf(): %s of dispatcher %s is %s', (code, name, expected) => {
  expect(isLossOf('local', new DispatchError(code, 'x', { data: { name } }))).toBe(expected);
  expect(isLossOf('local', new Error(code))).toBe(false);
});

it('the time that a caller has left is the limit of its task on the host, and none without one', async () => {
  const nats = createMemoryNats({ clock: systemClock });
  const tasks = {
    left: (_: undefined, { deadline }: TaskContext) =>
      deadline === undefined ? undefined : deadline - Date.now(),
  };
  const local = createInProcessDispatcher(defineTasks(tasks));
  const host = serveNatsTasks({
    ...{ nats: nats.connect(), fleet: 'f', dispatcher: local, tasks: ['left'] },
  });
  const dispatcher = createNatsDispatcher<typeof tasks>({
    nats: nats.connect(),
    fleet: 'f',
    // A busy machine may be silent for seconds.
    missedBeats: 40,
  });
  expect(await dispatcher.run('left')).toBeUndefined();
  const left = (await dispatcher.run('left', undefined, { timeoutMs: 60_000 })) as number;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(60_000);
  for (const each of [dispatcher, host, local]) await each.close();
});
