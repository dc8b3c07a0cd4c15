import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BatchingError, createStreamCoalescer, type StreamReader } from '../src/streams/index.ts';
import { settleJobs } from './held-loads.ts';
import { type HeldStream, holdStreams } from './held-streams.ts';

const RUNS = scaled({ fast: 100, full: 10_000 });

type Step =
  | { readonly kind: 'follow' | 'forget'; readonly key: number }
  | { readonly kind: 'next' | 'leave' | 'abort'; readonly which: number }
  | { readonly kind: 'send' | 'end' | 'fail'; readonly which: number };

/** One stream as the model knows it. */
interface ModelStream {
  readonly key: number;
  readonly held: HeldStream<number, number>;
  /** Items that the source has, that were read from it, that were displaced, and that the fastest reader has read. */
  sent: number;
  came: number;
  displaced: number;
  front: number;
  /** Comes after the items. */
  last: 'end' | 'fail' | undefined;
  state: 'open' | 'done' | 'failed' | 'aborted';
  readers: number;
}

interface ModelReader {
  readonly stream: ModelStream;
  readonly reader: StreamReader<number>;
  readonly controller: AbortController;
  place: number;
  /** Calls of `next()` without an answer, and the answers so far. */
  pending: number;
  readonly expected: unknown[];
  readonly actual: unknown[];
  isOver: boolean;
}

const which = fc.nat(12);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('follow' as const), key: fc.nat(1) }),
  },
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constantFrom('next' as const, 'send' as const), which }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('leave' as const, 'abort' as const, 'end' as const, 'fail' as const),
      which,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('forget' as const), key: fc.nat(1) }),
  },
);

/** Runs steps against the coalescer and a model of it, which do the same whenever all jobs have run. */
async function follow(steps: readonly Step[], maxItems: number): Promise<void> {
  const { open, streams } = holdStreams<number, number>();
  const coalescer = createStreamCoalescer(open, { name: 'model', maxItems });
  const models: ModelStream[] = [];
  const readers: ModelReader[] = [];
  const current = new Map<number, ModelStream>();

  function end(stream: ModelStream, state: ModelStream['state']): void {
    if (stream.state !== 'open') return;
    stream.state = state;
    if (current.get(stream.key) === stream) current.delete(stream.key);
  }

  function leave(reader: ModelReader, answer?: unknown): void {
    if (reader.isOver) return;
    reader.isOver = true;
    if (answer !== undefined) reader.expected.push(answer);
    reader.stream.readers -= 1;
    if (reader.stream.readers === 0) end(reader.stream, 'aborted');
  }

  function serve(reader: ModelReader): void {
    const { stream } = reader;
    while (reader.expected.length < reader.pending) {
      if (reader.isOver) reader.expected.push('done');
      else if (reader.place < stream.displaced) leave(reader, 'ERR_READER_BEHIND');
      else if (reader.place < stream.came) {
        reader.expected.push(reader.place);
        reader.place += 1;
        stream.front = Math.max(stream.front, reader.place);
      } else if (stream.state === 'open') return;
      else leave(reader, stream.state === 'failed' ? 'down' : 'done');
    }
  }

  function advance(stream: ModelStream): void {
    while (stream.state === 'open' && stream.came - stream.front < maxItems / 2) {
      if (stream.came < stream.sent) {
        stream.came += 1;
        while (stream.displaced < stream.front && stream.came - stream.displaced > maxItems) {
          stream.displaced += 1;
        }
        if (stream.displaced > 0 && current.get(stream.key) === stream) {
          current.delete(stream.key);
        }
      } else if (stream.last === undefined) return;
      else end(stream, stream.last === 'end' ? 'done' : 'failed');
      for (const reader of readers) if (reader.stream === stream) serve(reader);
    }
  }

  function apply(now: Step): void {
    switch (now.kind) {
      case 'follow': {
        const controller = new AbortController();
        const reader = coalescer.follow(now.key, { signal: controller.signal });
        let stream = current.get(now.key);
        if (stream === undefined) {
          const held = streams.at(-1) as HeldStream<number, number>;
          const empty = { sent: 0, came: 0, displaced: 0, front: 0, last: undefined, readers: 0 };
          stream = { key: now.key, held, state: 'open', ...empty };
          models.push(stream);
          current.set(now.key, stream);
        }
        stream.readers += 1;
        const state = { place: 0, pending: 0, expected: [], actual: [], isOver: false };
        readers.push({ stream, reader, controller, ...state });
        break;
      }
      case 'forget':
        expect(coalescer.forget(now.key)).toBe(current.delete(now.key));
        break;
      case 'next': {
        const asked = readers[now.which];
        if (asked === undefined) break;
        asked.pending += 1;
        asked.reader.next().then(
          ({ done, value }) => asked.actual.push(done ? 'done' : value),
          (error) => asked.actual.push(BatchingError.is(error) ? error.code : error),
        );
        serve(asked);
        break;
      }
      case 'leave':
      case 'abort': {
        const leaving = readers[now.which];
        if (leaving === undefined) break;
        const isAbort = now.kind === 'abort';
        if (isAbort) leaving.controller.abort('gone');
        else void leaving.reader.return();
        const isOver = leaving.isOver;
        leave(leaving);
        if (isAbort && !isOver && leaving.expected.length < leaving.pending) {
          leaving.expected.push('gone');
        } else if (isAbort && !isOver) {
          // The next call gets the reason.
          leaving.pending += 1;
          leaving.reader.next().catch((reason) => leaving.actual.push(reason));
          leaving.expected.push('gone');
        }
        serve(leaving);
        break;
      }
      default: {
        const stream = models[now.which];
        if (stream === undefined || stream.last !== undefined) break;
        if (now.kind === 'send') {
          stream.held.send(stream.sent);
          stream.sent += 1;
        } else {
          stream.last = now.kind;
          if (now.kind === 'end') stream.held.end();
          else stream.held.fail('down');
        }
      }
    }
    for (const stream of models) advance(stream);
  }

  for (const now of steps) {
    apply(now);
    await settleJobs();
    for (const { actual, expected } of readers) expect(actual).toEqual(expected);
    const open = models.filter(({ state }) => state === 'open').length;
    expect(coalescer.stats()).toMatchObject({
      ...{ asked: readers.length, opened: models.length, joined: readers.length - models.length },
      ...{ inFlight: open, unshared: open - current.size },
      readers: readers.filter(({ isOver }) => !isOver).length,
      failed: models.filter(({ state }) => state === 'failed').length,
      aborted: models.filter(({ state }) => state === 'aborted').length,
      outgrown: models.filter(({ displaced }) => displaced > 0).length,
    });
    for (const { held, state, readers: count } of models) {
      expect(held.returned).toBe(state === 'aborted' ? 1 : 0);
      expect(held.context.signal.aborted).toBe(state === 'aborted');
      expect(held.context.readers).toBe(count);
    }
    for (const key of [0, 1]) expect(coalescer.has(key)).toBe(current.has(key));
  }
}

test('random joins, leaves and items do what a model does', async () => {
  const steps = fc.array(step, { maxLength: 60, size: 'max' });
  await fc.assert(fc.asyncProperty(steps, fc.constantFrom(1, 2, 3, 5, 100), follow), {
    numRuns: RUNS,
  });
}, 600_000);
