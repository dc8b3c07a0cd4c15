import type { ItemOutlet } from '../contract/dispatcher.ts';
import { afterPoll, MAX_TURN_MS, type TurnOptions } from './run-queue.ts';

/** Sink of a pump, its clock and its turns. */
export interface PumpOptions extends Pick<TurnOptions, 'afterTurn'> {
  /** Sends an item. @throws for one that cannot be sent */
  send(item: unknown): void;
  /** Called when the caller has no more room, and again when it has room or the stream is over. */
  stalled(isStalled: boolean): void;
  /** Returns monotonic milliseconds. */
  now(): number;
}

/**
 * Items of one run on their way to its caller, no more than the caller has room for. They come from an iterator ({@link run}), or
 * from a dispatcher that the task has passed its call on to, which then counts the room itself.
 */
export class ItemPump implements ItemOutlet {
  readonly window: number;
  readonly #options: PumpOptions;
  /** Items that the caller has room for now. */
  #room: number;
  #isStalled = false;
  /** True if the items come from a dispatcher. */
  isTaken = false;
  #isStopped = false;
  #granted: ((items: number) => void) | undefined;
  #iterator: AsyncIterator<unknown> | undefined;
  #isAsking = false;
  #returned: Promise<unknown> | undefined;

  constructor(window: number, options: PumpOptions) {
    this.window = window;
    this.#room = window;
    this.#options = options;
  }

  /** Returns the pump for a dispatcher, which sends the items from now on. */
  take(): ItemOutlet {
    this.isTaken = true;
    return this;
  }

  send(item: unknown): void {
    this.#options.send(item);
    this.#room -= 1;
    if (this.#room === 0) this.#stall(true);
  }

  whenGranted(listener: (items: number) => void): void {
    this.#granted = listener;
  }

  /** Adds room for more items. */
  grant(items: number): void {
    this.#room += items;
    this.#stall(false);
    this.#granted?.(items);
  }

  /** Ends the iterator at its current item: no caller is waiting. A dispatcher hears of that by itself. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    // A generator that waits for something is ended once it goes on; other iterators may end at once.
    if (this.#isAsking) this.#end().catch(() => {});
    if (!this.isTaken) this.#granted?.(0);
  }

  /** Reports that the stream is over. */
  settle(): void {
    this.#stall(false);
  }

  /**
   * Asks an iterator for an item only while there is room for it; after `MAX_TURN_MS` of items in a row the event loop has a turn.
   * Resolves after the last item, or once the iterator has been ended.
   *
   * @throws what the iterator throws, and what `send` does
   */
  async run(items: AsyncIterable<unknown>): Promise<void> {
    const { now, afterTurn = afterPoll } = this.#options;
    const iterator = items[Symbol.asyncIterator]();
    this.#iterator = iterator;
    let turnBegan = now();
    while (true) {
      if (this.#room === 0 && !this.#isStopped) await this.#moreRoom();
      if (this.#isStopped) {
        await this.#end();
        return;
      }
      this.#isAsking = true;
      const result = await iterator.next();
      this.#isAsking = false;
      if (this.#isStopped) continue;
      if (result.done) return;
      try {
        this.send(result.value);
      } catch (error) {
        await this.#end().catch(() => {});
        throw error;
      }
      if (now() - turnBegan <= MAX_TURN_MS) continue;
      await new Promise<void>(afterTurn);
      turnBegan = now();
    }
  }

  #moreRoom(): Promise<unknown> {
    return new Promise((resolve) => {
      this.#granted = resolve;
    });
  }

  /** Ends the iterator once. */
  #end(): Promise<unknown> {
    this.#returned ??= (async () => this.#iterator?.return?.())();
    return this.#returned;
  }

  #stall(isStalled: boolean): void {
    if (this.#isStalled === isStalled) return;
    this.#isStalled = isStalled;
    this.#options.stalled(isStalled);
  }
}
