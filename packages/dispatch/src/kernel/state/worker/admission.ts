/** Terms on which one worker gets calls. */
export class Admission {
  /** Calls that the worker has been given so far: the number of the latest. */
  given = 0;
  /** Streams at the worker that wait for their consumers: they take no room. */
  stalled = 0;
  /** True if the worker takes only calls whose key it owns, as long as others take calls. */
  keysOnly = false;
  /** Bound of the worker's latest `room`. */
  most: number = Number.POSITIVE_INFINITY;
  /** Largest bound of a `room`: estimates its capacity without rivals. */
  mostEver = 0;
  /** Time at which calls were taken back from the worker, if it has sent nothing since: it gets no calls. */
  heldUpAt: number | undefined = undefined;
  /** True if the worker gave a call back for want of room, and has sent no `room` since: it gets no calls. */
  #isBusy = false;

  /** True if the worker may get calls as far as its room allows. */
  get isOpen(): boolean {
    return this.heldUpAt === undefined && !this.#isBusy;
  }

  /** Counts one more call, and returns its number. */
  give(): number {
    this.given += 1;
    return this.given;
  }

  stall(by: 1 | -1): void {
    this.stalled += by;
  }

  /** Lets no call in: it has no room. */
  close(): void {
    this.#isBusy = true;
  }

  /** Lets calls in again, `window` at most. */
  open(window: number): void {
    this.#isBusy = false;
    this.most = Math.max(1, Math.floor(window) || 1);
    this.mostEver = Math.max(this.mostEver, this.most);
  }

  takeKeysOnly(on: boolean): void {
    this.keysOnly = on;
  }

  /** Lets no call in: calls that it had not begun were taken back. */
  holdUp(now: number): void {
    this.heldUpAt = now;
  }

  /** Lets calls in again: it has sent something. */
  heard(): void {
    this.heldUpAt = undefined;
  }
}
