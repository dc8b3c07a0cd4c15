/** Reads inputs one at a time: at once from an iterable, when they come from an async one. */
export class InputReader {
  isReading = false;
  isDone = false;
  readonly #iterator: Iterator<unknown> | AsyncIterator<unknown>;
  readonly #isAsync: boolean;
  readonly #onInput: () => void;
  #input: { readonly value: unknown } | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** @throws TypeError if the inputs cannot be iterated */
  constructor(inputs: Iterable<unknown> | AsyncIterable<unknown>, onInput: () => void) {
    const given = Object(inputs) as Partial<Iterable<unknown> & AsyncIterable<unknown>>;
    this.#isAsync = given[Symbol.asyncIterator] !== undefined;
    const iterator = given[Symbol.asyncIterator]?.() ?? given[Symbol.iterator]?.();
    if (iterator === undefined) {
      throw new TypeError(`Cannot map: iterable inputs expected, got ${typeof inputs}`);
    }
    this.#iterator = iterator;
    this.#onInput = onInput;
  }

  /** An input, if one is there; else `onInput` is called when there is, or at the end. */
  next(): { readonly value: unknown } | undefined {
    const input = this.#input;
    this.#input = undefined;
    if (input !== undefined || this.isDone || this.isReading) return input;
    if (this.#isAsync) void this.#read(this.#iterator as AsyncIterator<unknown>);
    else this.#take(() => (this.#iterator as Iterator<unknown>).next());
    const first = this.#input;
    this.#input = undefined;
    return first;
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Ends the iterator, unless it has ended. One that is being waited for is told and left. */
  async close(): Promise<void> {
    if (this.isDone) return;
    this.isDone = true;
    const ended = Promise.resolve(this.#iterator.return?.());
    if (this.isReading) ended.catch(() => {});
    else await ended;
  }

  async #read(iterator: AsyncIterator<unknown>): Promise<void> {
    this.isReading = true;
    try {
      const result = await iterator.next();
      this.#take(() => result);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.isReading = false;
      this.#onInput();
    }
  }

  #take(next: () => IteratorResult<unknown>): void {
    try {
      const result = next();
      if (result.done) this.isDone = true;
      else this.#input = { value: result.value };
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.isDone = true;
    this.#failure = { error };
  }
}
