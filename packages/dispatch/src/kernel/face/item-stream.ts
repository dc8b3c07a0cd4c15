import type { Call, ItemSink, StreamKernel } from '../state/call.ts';

interface Waiter {
  resolve(result: IteratorResult<unknown, undefined>): void;
  reject(error: unknown): void;
}

/**
 * The items of one call. The call is made by the first `next()`; an item that is taken makes room for another, and credit for
 * half of the window goes to the worker in one frame. Leaving it gives the call up.
 */
export class ItemStream implements AsyncIterableIterator<unknown, undefined>, ItemSink {
  readonly window: number;
  hasBegun = false;
  readonly #run: (sink: ItemSink) => Promise<unknown>;
  readonly #whyLeft: () => unknown;
  #items: unknown[] = [];
  readonly #waiters: Waiter[] = [];
  #isRunning = false;
  /** The call has settled, or its consumer has left. */
  #end: { readonly failure?: { readonly error: unknown } } | undefined;
  #call: Call | undefined;
  #kernel: StreamKernel | undefined;
  /** Items that were taken, and for which the worker has no credit yet. */
  #taken = 0;

  /**
   * @param run - makes the call, whose items the sink gets; it settles after the last one
   * @param whyLeft - returns the reason that the task sees if the consumer leaves
   */
  constructor(window: number, run: (sink: ItemSink) => Promise<unknown>, whyLeft: () => unknown) {
    this.window = window;
    this.#run = run;
    this.#whyLeft = whyLeft;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<unknown, undefined>> {
    if (this.#items.length > 0) return Promise.resolve({ done: false, value: this.#take() });
    if (this.#end !== undefined) return this.#ended();
    const result = new Promise<IteratorResult<unknown, undefined>>((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
    });
    if (!this.#isRunning) this.#start();
    return result;
  }

  /** The consumer leaves: the task is aborted, and its generator is ended where it stands. */
  return(): Promise<IteratorResult<unknown, undefined>> {
    this.#leave();
    return Promise.resolve({ done: true, value: undefined });
  }

  throw(error?: unknown): Promise<IteratorResult<unknown, undefined>> {
    this.#leave();
    return Promise.reject(error);
  }

  begin(call: Call, kernel: StreamKernel): void {
    this.#call = call;
    this.#kernel = kernel;
  }

  item(value: unknown): void {
    this.hasBegun = true;
    if (this.#end !== undefined) return;
    this.#items.push(value);
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) waiter.resolve({ done: false, value: this.#take() });
    if (this.#items.length + this.#taken >= this.window) this.#call?.stall(true);
  }

  cut(): void {
    this.#items = [];
  }

  #start(): void {
    this.#isRunning = true;
    this.#run(this).then(
      () => this.#settle({}),
      (error) => this.#settle({ failure: { error } }),
    );
  }

  #take(): unknown {
    const value = this.#items.shift();
    this.#taken += 1;
    // The worker has credit for the other half, or items of it wait here.
    if (this.#taken >= this.window / 2 && this.#call !== undefined) {
      this.#call.stall(false);
      this.#kernel?.grant(this.#call, this.#taken);
      this.#taken = 0;
    }
    return value;
  }

  #leave(): void {
    const isOpen = this.#isRunning && this.#end === undefined;
    this.cut();
    this.#end = undefined;
    this.#settle({});
    if (isOpen && this.#call !== undefined) {
      this.#kernel?.giveUp(this.#call, this.#whyLeft(), 'aborted');
    }
  }

  /** The first end holds; items that came before it are still given. */
  #settle(end: { readonly failure?: { readonly error: unknown } }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    for (const waiter of this.#waiters.splice(0)) {
      this.#ended().then(waiter.resolve, waiter.reject);
    }
  }

  /** The error is thrown once; then the stream has ended. */
  #ended(): Promise<IteratorResult<unknown, undefined>> {
    const failure = this.#end?.failure;
    if (failure === undefined) return Promise.resolve({ done: true, value: undefined });
    this.#end = {};
    return Promise.reject(failure.error);
  }
}
