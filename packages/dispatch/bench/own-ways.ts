import assert from 'node:assert/strict';
import { perSecond, three, times } from '@ticketing/bench-kit';
import type { Dispatcher } from '../src/index.ts';
import { recordsOf, smallRecord } from './payloads.ts';
import { type Measured, measureSlices, type SliceOptions } from './slices.ts';

/** Tasks of the dispatcher's module for this bench. */
type OwnTasks = {
  echo(value: unknown): unknown;
  /** A value of 10 KB. */
  records(): object;
  /** Gives its input again and again. */
  repeat(value: unknown): AsyncIterable<unknown>;
};

/** Measures a dispatcher beside itself: with and without limits, with results as objects and as bytes. Lines of text. */
export async function measureOwnWays(
  dispatcher: Dispatcher<
    OwnTasks & { recordsAsJson(): { kind: 'ticketing.raw-json'; bytes: Uint8Array } }
  >,
  options: Omit<SliceOptions, 'inFlight'>,
): Promise<string[]> {
  const input = smallRecord();
  const records = recordsOf(10_000);
  assert.deepEqual(await dispatcher.run('echo', input), input);
  assert.deepEqual(await dispatcher.run('records', undefined), records);
  assert.deepEqual(JSON.parse(String(await dispatcher.run('recordsAsJson', undefined))), records);
  /** Outside, so that no compiler finds it unused. */
  let signal: AbortSignal;
  const [made, limited, bare] = await measureSlices(
    [
      {
        name: 'a signal made, not given',
        run: () => {
          signal = new AbortController().signal;
          return dispatcher.run('echo', input);
        },
      },
      {
        name: '`signal` and `timeoutMs`',
        run: () => {
          signal = new AbortController().signal;
          return dispatcher.run('echo', input, { signal, timeoutMs: 10_000 });
        },
      },
      { name: 'neither', run: () => dispatcher.run('echo', input) },
    ],
    { ...options, inFlight: 64 },
  );
  const [asObject, asJson] = await measureSlices(
    [
      { name: 'an object', run: () => dispatcher.run('records', undefined) },
      { name: '`rawJson`', run: () => dispatcher.run('recordsAsJson', undefined) },
    ],
    { ...options, inFlight: 64 },
  );
  const [calls] = await measureSlices(
    [{ name: 'calls', run: () => dispatcher.run('echo', input) }],
    { ...options, inFlight: 16 },
  );
  const [few, many] = await measureStreams(dispatcher, input, options);
  return [
    `- 100 B, items of a stream: ${rate(few)} a second with \`window: 16\`, ${rate(many)} with 64; ` +
      `as results of calls, 16 in flight: ${rate(calls)}.`,
    `- 100 B, 64 in flight, each with a signal of its own and \`timeoutMs\`: ${rate(limited)} a second, ` +
      `${times(limited?.ratio ?? 0)} of the same with a signal made but not given (${rate(made)}); with neither ${rate(bare)}.`,
    `- A result of 10 KB as \`rawJson\`: ${times(asJson?.ratio ?? 0)} the tasks per second of an object ` +
      `(${rate(asJson)}, ${rate(asObject)}), ${three(asJson?.cpuUs ?? 0)} instead of ${three(asObject?.cpuUs ?? 0)} µs of the parent's CPU.`,
  ];
}

/** Each run takes the next item of a stream without an end. */
async function measureStreams(
  dispatcher: Pick<Dispatcher<OwnTasks>, 'stream'>,
  input: object,
  options: Omit<SliceOptions, 'inFlight'>,
): Promise<Measured[]> {
  const streams = [16, 64].map((window) => ({
    name: `window ${window}`,
    items: dispatcher.stream('repeat', input, { window })[Symbol.asyncIterator](),
  }));
  for (const { items } of streams) {
    assert.deepEqual(await items.next(), { done: false, value: input });
  }
  const measured = await measureSlices(
    streams.map(({ name, items }) => ({ name, run: () => items.next() })),
    { ...options, inFlight: 1 },
  );
  for (const { items } of streams) await items.return?.();
  return measured;
}

function rate(measured: Measured | undefined): string {
  return perSecond(measured?.perSecond ?? 0);
}
