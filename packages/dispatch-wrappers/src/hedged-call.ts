import { DispatchError, type RunOptions } from '@ticketing/dispatch';
import type { AbortWaiter } from '@ticketing/kit';
import type { Hedges } from './hedges.ts';
import { type Ending, endingOf, since, withTimeLeft } from './wrapped-calls.ts';
import { wrappersChannel } from './wrappers-channel.ts';

const hedgeChannel = wrappersChannel('ticketing:dispatch:hedge');

interface HedgedRun {
  readonly task: string;
  readonly input: unknown;
  readonly options: RunOptions;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** One attempt at a worker. */
class Attempt {
  readonly controller = new AbortController();
  isSent = false;
  isOver = false;
}

/**
 * One call, at one worker or two. What a task returns or throws settles it. The loss of the first worker settles it only if
 * no second attempt is open.
 */
export class HedgedCall implements AbortWaiter {
  readonly #hedges: Hedges;
  readonly #run: HedgedRun;
  readonly #elapsedMs: () => number;
  readonly #first = new Attempt();
  #second: Attempt | undefined;
  #workerId = 0;
  #timer: unknown;
  #isSettled = false;
  /** Error with which the first attempt ended without an answer, while the second is open. */
  #loss: { readonly error: unknown } | undefined;

  constructor(hedges: Hedges, run: HedgedRun) {
    this.#hedges = hedges;
    this.#run = run;
    this.#elapsedMs = since(hedges.settings.clock);
  }

  begin(): void {
    const { task, input, options } = this.#run;
    if (options.signal !== undefined) this.#hedges.signals.add(options.signal, this);
    const { signal } = this.#first.controller;
    const onWorker = (workerId: number): void => {
      options.onWorker?.(workerId);
      this.#given(workerId);
    };
    this.#hedges.dispatcher.run(task, input, { ...options, signal, onWorker }).then(
      (value) => this.#answered(this.#first, { value }),
      (error) => this.#firstFailed(error),
    );
  }

  /** The caller's signal fired. */
  aborted(reason: unknown): void {
    this.#first.controller.abort(reason);
    this.#second?.controller.abort(reason);
  }

  /** A worker has the first attempt, or another one after that. */
  #given(workerId: number): void {
    const { clock, afterMs } = this.#hedges.settings;
    this.#workerId = workerId;
    clock.clearTimeout(this.#timer);
    if (this.#second === undefined) this.#timer = clock.setTimeout(() => this.#hedge(), afterMs);
  }

  #hedge(): void {
    const { dispatcher, name } = this.#hedges;
    const { task, input, options } = this.#run;
    const { retries: _, queueTimeoutMs: __, onNoWorker: ___, ...rest } = options;
    const elapsedMs = this.#elapsedMs();
    if (elapsedMs >= (rest.timeoutMs ?? Number.POSITIVE_INFINITY)) return;
    if (!this.#hedges.take()) return;
    const second = new Attempt();
    this.#second = second;
    const left = withTimeLeft(rest, elapsedMs, { name, task });
    const onWorker = (workerId: number): void => {
      second.isSent = true;
      this.#hedges.sent();
      options.onWorker?.(workerId);
    };
    const own = { signal: second.controller.signal, apartFrom: this.#workerId, onWorker };
    dispatcher.run(task, input, { ...left, ...own }).then(
      (value) => this.#answered(second, { value }),
      (error) => this.#secondFailed(second, error),
    );
  }

  #firstFailed(error: unknown): void {
    this.#first.isOver = true;
    const isOpen = this.#second?.isOver === false;
    if (isOpen && !this.#isSettled && isLoss(error)) this.#loss = { error };
    else this.#answered(this.#first, { error });
  }

  #secondFailed(second: Attempt, error: unknown): void {
    second.isOver = true;
    if (!second.isSent) this.#hedges.giveBack();
    const { signal } = second.controller;
    const isAnswer = endingOf(error, this.#hedges.name, signal) === 'failed';
    if (isAnswer) this.#answered(second, { error });
    else if (this.#loss === undefined) this.#forget(second, error);
    else {
      // The caller sees one of two ends, and the other is not counted.
      const isAborted = signal.aborted && error === signal.reason;
      if (isAborted) this.#forget(this.#first, this.#loss.error);
      else this.#forget(second, error);
      this.#settle({ error: isAborted ? error : this.#loss.error });
    }
  }

  /** An attempt ended: its outcome is that of the call, unless the call has one. */
  #answered(attempt: Attempt, outcome: Outcome): void {
    attempt.isOver = true;
    if (this.#isSettled) {
      this.#forget(attempt, 'error' in outcome ? outcome.error : undefined, 'value' in outcome);
      return;
    }
    // No caller has seen the loss.
    if (attempt === this.#second && this.#loss !== undefined) {
      this.#forget(this.#first, this.#loss.error);
    }
    this.#settle(outcome, attempt);
  }

  #settle(outcome: Outcome, by: Attempt = this.#first): void {
    this.#isSettled = true;
    const { clock } = this.#hedges.settings;
    const { options, resolve, reject, task } = this.#run;
    clock.clearTimeout(this.#timer);
    if (options.signal !== undefined) this.#hedges.signals.remove(options.signal, this);
    const second = this.#second;
    if (second?.isSent === true) {
      const won = by === second;
      if (won) this.#hedges.won();
      if (hedgeChannel.hasSubscribers) {
        hedgeChannel.publish({ name: this.#hedges.name, task, workerId: this.#workerId, won });
      }
    }
    if ('error' in outcome) reject(outcome.error);
    else resolve(outcome.value);
    for (const attempt of [this.#first, second]) {
      if (attempt?.isOver === false) attempt.controller.abort(answeredElsewhere());
    }
  }

  /** Counts an attempt whose outcome no caller sees. */
  #forget({ controller }: Attempt, error: unknown, isValue = false): void {
    const { name } = this.#hedges;
    const ending: Ending = isValue ? 'completed' : endingOf(error, name, controller.signal);
    this.#hedges.endedUnseen(ending);
  }
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

function answeredElsewhere(): DOMException {
  return new DOMException('Another worker has answered first', 'AbortError');
}

/** True if the attempt had no answer, and another one may have. */
function isLoss(error: unknown): boolean {
  return (
    DispatchError.is(error) &&
    (error.code === 'ERR_WORKER_LOST' || error.code === 'ERR_RUN_TIMEOUT')
  );
}
