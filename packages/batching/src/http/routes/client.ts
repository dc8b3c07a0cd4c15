import { callError } from '../../errors.ts';
import type { WaitingCall } from '../../waiting-call.ts';
import type { CoalescedRequest } from './request-role.ts';
import type { Answer } from './shared-answer.ts';

/** Calls back if the client leaves before it is answered, at once if it has left. */
type WatchClient = (onLeave: () => void) => void;

/** The client of one request, which may leave before its answer has been written; also the view of a request that waits. */
export class Client implements CoalescedRequest {
  readonly waiters = 1;
  hasLeft = false;
  readonly #name: string;
  #call: WaitingCall<Answer> | undefined;
  #controller: AbortController | undefined;

  constructor(name: string, watch: WatchClient) {
    this.#name = name;
    watch(() => this.#leave());
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.hasLeft) this.#controller.abort(this.#leftError());
    return this.#controller.signal;
  }

  /** Waits by a call, which ends if the client leaves. */
  waitBy(call: WaitingCall<Answer>): void {
    this.#call = call;
  }

  #leave(): void {
    this.hasLeft = true;
    const error = this.#leftError();
    this.#call?.aborted(error);
    this.#controller?.abort(error);
  }

  #leftError(): Error {
    const message = `Call of \`${this.#name}\` was aborted: the client left`;
    return callError(this.#name, 'ERR_ABORTED', message);
  }
}
