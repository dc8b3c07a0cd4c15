/** One call that can leave. */
interface Leaver {
  leave(): void;
}

/**
 * Calls that leave when their signal aborts. One listener a signal, however many calls it has: a signal
 * looks through its listeners for an equal one at each that is added, which is quadratic in the calls.
 */
export class Leavers {
  readonly #signals = new Map<AbortSignal, { readonly calls: Set<Leaver>; release(): void }>();

  /** A promise of one caller's own: settles as the shared one, or rejects with the signal's reason at once. */
  wait<V>(shared: Promise<V>, signal: AbortSignal, onLeave: () => void): Promise<V> {
    return new Promise((resolve, reject) => {
      const leaver: Leaver = {
        leave: () => {
          onLeave();
          reject(signal.reason);
        },
      };
      this.#add(signal, leaver);
      shared.then(
        (value) => {
          this.#remove(signal, leaver);
          resolve(value);
        },
        (error) => {
          this.#remove(signal, leaver);
          reject(error);
        },
      );
    });
  }

  #add(signal: AbortSignal, leaver: Leaver): void {
    const known = this.#signals.get(signal);
    if (known !== undefined) {
      known.calls.add(leaver);
      return;
    }
    const calls = new Set([leaver]);
    const onAbort = (): void => {
      this.#signals.delete(signal);
      for (const each of calls) each.leave();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const release = (): void => signal.removeEventListener('abort', onAbort);
    this.#signals.set(signal, { calls, release });
  }

  /** The last call of a signal takes the listener away. */
  #remove(signal: AbortSignal, leaver: Leaver): void {
    const known = this.#signals.get(signal);
    if (known?.calls.delete(leaver) && known.calls.size === 0) {
      this.#signals.delete(signal);
      known.release();
    }
  }
}
