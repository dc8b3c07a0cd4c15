import { MAX_TURN_MS, type TurnOptions } from './turn-limit.ts';

/** Gives the items of a task to its caller: no more than there is credit for. */
export interface Pump {
  /** The caller has room for more items. */
  grant(items: number): void;
  /** No caller is waiting. */
  stop(): void;
}

/** What a pump needs of its runner. */
export interface PumpOptions extends Required<Pick<TurnOptions, 'afterTurn'>> {
  /** Sends an item. @throws for one that cannot be sent */
  send(item: unknown): void;
  /** Returns monotonic milliseconds. */
  now(): number;
}

/**
 * Gives the items of a task to its caller: asks the iterator for one only while there is credit for it. After `MAX_TURN_MS` of
 * items in a row the event loop has a turn.
 */
export class ItemPump implements Pump {
  readonly #iterator: AsyncIterator<unknown>;
  readonly #options: PumpOptions;
  #credit: number;
  #isStopped = false;
  #isAsking = false;
  #wake: (() => void) | undefined;
  #returned: Promise<unknown> | undefined;
  #turnBegan: number;

  constructor(items: AsyncIterable<unknown>, credit: number, options: PumpOptions) {
    this.#iterator = items[Symbol.asyncIterator]();
    this.#credit = credit;
    this.#options = options;
    this.#turnBegan = options.now();
  }

  /** The caller has room for more items. */
  grant(items: number): void {
    this.#credit += items;
    this.#resume();
  }

  /** No caller is waiting: ends the iterator, where it stands. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    // A generator that waits for something is ended once it goes on; other iterators may end at once.
    if (this.#isAsking) this.#end().catch(() => {});
    this.#resume();
  }

  /** Resolves after the last item, or once the iterator has been ended. @throws what the iterator throws, and what `send` does */
  async run(): Promise<void> {
    while (true) {
      if (this.#credit === 0 && !this.#isStopped) await this.#moreCredit();
      if (this.#isStopped) {
        await this.#end();
        return;
      }
      this.#credit -= 1;
      this.#isAsking = true;
      const result = await this.#iterator.next();
      this.#isAsking = false;
      if (this.#isStopped) continue;
      if (result.done) return;
      try {
        this.#options.send(result.value);
      } catch (error) {
        await this.#end().catch(() => {});
        throw error;
      }
      if (this.#options.now() - this.#turnBegan > MAX_TURN_MS) await this.#turn();
    }
  }

  #moreCredit(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #resume(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  /** Ends the iterator once. */
  #end(): Promise<unknown> {
    this.#returned ??= (async () => this.#iterator.return?.())();
    return this.#returned;
  }

  async #turn(): Promise<void> {
    await new Promise<void>((resolve) => this.#options.afterTurn(resolve));
    this.#turnBegan = this.#options.now();
  }
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

/** Whether a task has returned items, one after the other. */
export function isItems(value: unknown): value is AsyncIterable<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function'
  );
}
