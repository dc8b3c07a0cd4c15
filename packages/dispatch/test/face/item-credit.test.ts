import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ItemStream } from '../../src/kernel/face/item-stream.ts';
import type { Call, ItemSink } from '../../src/kernel/state/call.ts';
import { ItemPump } from '../../src/worker/item-pump.ts';
import { settle } from '../worker/task-runner-fixture.ts';

/** A stream and its pump, and what is on its way between them until the test delivers it. */
class Line {
  readonly stream: ItemStream;
  readonly toCaller: unknown[] = [];
  readonly toWorker: number[] = [];
  made = 0;
  taken: unknown[] = [];
  isStopped = false;
  hasEnded = false;
  /** Most items that were made and not taken. */
  ahead = 0;
  readonly #pump: ItemPump;
  #sink: ItemSink | undefined;

  constructor(window: number, count: number) {
    const generate = async function* (this: Line) {
      try {
        for (let item = 1; item <= count; item += 1) {
          this.made = item;
          this.ahead = Math.max(this.ahead, item - this.taken.length);
          yield item;
        }
      } finally {
        this.isStopped = true;
      }
    };
    this.#pump = new ItemPump(window, {
      send: (item) => this.toCaller.push({ item }),
      stalled: () => {},
      now: () => 0,
      afterTurn: (resume) => resume(),
    });
    const run = (sink: ItemSink): Promise<unknown> => {
      this.#sink = sink;
      sink.begin({ stall: () => {} } as unknown as Call, {
        grant: (_call, items) => this.toWorker.push(items),
        giveUp: () => this.#pump.stop(),
      });
      return new Promise((resolve) => {
        void this.#pump.run(generate.call(this)).then(() => this.toCaller.push({ end: resolve }));
      });
    };
    this.stream = new ItemStream(window, run, () => 'left');
  }

  async take(): Promise<void> {
    const { done, value } = await this.stream.next();
    if (done) this.hasEnded = true;
    else this.taken.push(value);
  }

  async deliver(side: 'caller' | 'worker'): Promise<void> {
    if (side === 'worker') {
      // What the consumer was given counts as taken once it has it.
      await settle();
      const items = this.toWorker.shift();
      if (items !== undefined) this.#pump.grant(items);
      return;
    }
    const frame = this.toCaller.shift() as { item: unknown } | { end: () => void } | undefined;
    if (frame === undefined) return;
    if ('end' in frame) frame.end();
    else this.#sink?.item(frame.item);
  }
}

const steps = fc.array(
  fc.record({
    what: fc.constantFrom('take', 'caller', 'worker', 'settle'),
    times: fc.integer({ min: 1, max: 12 }),
  }),
  { maxLength: 60 },
);

test('a task is never more than the window ahead, and every item comes once, in order, whenever frames arrive', () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 80 }),
      steps,
      async (window, count, given) => {
        const line = new Line(window, count);
        const takes: Promise<void>[] = [];
        for (const { what, times } of given) {
          for (let time = 0; time < times; time += 1) {
            if (what === 'take') takes.push(line.take());
            else if (what === 'settle') await settle();
            else await line.deliver(what);
          }
          // A consumer that waits has room for one item beyond the window.
          expect(line.made - line.taken.length).toBeLessThanOrEqual(window);
        }
        // From now on all arrives, and the consumer takes all: nothing stands still.
        for (let round = 0; round < 20 * (count + 2) && !line.hasEnded; round += 1) {
          takes.push(line.take());
          await line.deliver('worker');
          await line.deliver('caller');
          await settle();
        }
        await Promise.all(takes);
        expect(line.hasEnded).toBe(true);
        expect(line.taken).toEqual(Array.from({ length: count }, (_, index) => index + 1));
        expect(line.ahead).toBeLessThanOrEqual(window);
      },
    ),
    { numRuns: 200 },
  ));

test('a consumer that leaves at any time stops the generator, and gets nothing more', () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 8 }), steps, async (window, given) => {
      const line = new Line(window, 1000);
      const takes = [line.take()];
      for (const { what, times } of given) {
        for (let time = 0; time < times; time += 1) {
          if (what === 'take') takes.push(line.take());
          else if (what === 'settle') await settle();
          else await line.deliver(what);
        }
      }
      await line.stream.return();
      await Promise.all(takes);
      const { made, taken } = line;
      const before = taken.length;
      for (let round = 0; round < 20; round += 1) {
        await line.deliver('worker');
        await line.deliver('caller');
        await settle();
      }
      await line.take();
      expect(line.hasEnded).toBe(true);
      expect(line.taken.length).toBe(before);
      // A generator that was never asked has nothing to end.
      expect(line.isStopped || made === 0).toBe(true);
      expect(line.made - made).toBeLessThanOrEqual(1);
    }),
    { numRuns: 200 },
  ));
