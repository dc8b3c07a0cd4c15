import type { Attempt } from '../guard.ts';

/** An attempt as the called function sees it. It stays as it is after the guard has used its own record again. */
export class AttemptView implements Attempt {
  readonly number: number;
  readonly kind: Attempt['kind'];
  readonly deadline: number | undefined;
  /** Called when the signal is read first, until the attempt is over. */
  #listen: Listens | undefined;
  /** Made when `signal` is read; else the reason of an abort, for a signal that is read later. */
  #abort: AbortController | { readonly reason: unknown } | undefined = undefined;

  constructor(
    { number, kind }: Pick<Attempt, 'number' | 'kind'>,
    deadline: number | undefined,
    listen: Listens,
  ) {
    this.number = number;
    this.kind = kind;
    this.deadline = deadline;
    this.#listen = listen;
  }

  get signal(): AbortSignal {
    if (this.#abort instanceof AbortController) return this.#abort.signal;
    const controller = new AbortController();
    if (this.#abort === undefined) this.#listen?.hearAborts();
    else controller.abort(this.#abort.reason);
    this.#abort = controller;
    return controller.signal;
  }

  /** Aborts the signal, also one that is read later. */
  abort(reason: unknown): void {
    this.#listen = undefined;
    if (this.#abort instanceof AbortController) this.#abort.abort(reason);
    else this.#abort = { reason };
  }

  /** The attempt has settled: its signal aborts no more. */
  leave(): void {
    this.#listen = undefined;
  }
}

/** Something whose caller's signal may abort. */
interface Listens {
  /** Hears of an abort at once, from now on: whoever reads the signal of an attempt waits for it. */
  hearAborts(): void;
}
