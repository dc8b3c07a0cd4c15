const SIGNALS: ReadonlySet<string | symbol> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);

type Emit = (event: string | symbol, ...values: unknown[]) => boolean;

/**
 * Signals of a process whose primary decides when it ends. A terminal and a service manager signal every process of a program, and
 * the usual listener of a program, `server.close(() => process.exit())`, would cut the requests that the primary lets finish. So
 * from `hold()` on the program's listeners are not called; `release()` calls them once all requests are answered.
 */
export class HeldSignals {
  readonly #emit: Emit;
  readonly #counts = new Map<string, number>();
  #isHeld = false;

  /** Must be made before the first listener of a signal: the platform keeps the `emit` of that time. */
  constructor(terminated: () => void) {
    const host = process as unknown as { emit: Emit };
    this.#emit = host.emit.bind(process);
    host.emit = (event, ...values) => {
      if (!this.#isHeld || !SIGNALS.has(event)) return this.#emit(event, ...values);
      if (event === 'SIGTERM') terminated();
      return true;
    };
  }

  /** Calls no listener of a signal from now on. `own` adds listeners that are not the program's. */
  hold(own: () => void): void {
    this.#isHeld = true;
    const before = new Map([...SIGNALS].map((signal) => [signal, countOf(signal)]));
    own();
    for (const [signal, count] of before) {
      this.#counts.set(String(signal), countOf(signal) - count);
    }
  }

  /**
   * Calls the program's listeners of SIGTERM, or of SIGINT if it has none for SIGTERM. Resolves at once if it has neither, or after
   * `longestMs`: such a listener ends the process.
   */
  async release(longestMs: number): Promise<void> {
    this.#isHeld = false;
    const signal = ['SIGTERM', 'SIGINT'].find(
      (each) => countOf(each) > (this.#counts.get(each) ?? 0),
    );
    if (signal === undefined) return;
    // After the callbacks of a `server.close()` of the program.
    await new Promise((resolve) => setImmediate(resolve));
    this.#emit(signal, signal, signal === 'SIGTERM' ? 15 : 2);
    await new Promise((resolve) => setTimeout(resolve, longestMs));
  }
}

function countOf(signal: string | symbol): number {
  return process.listenerCount(signal as NodeJS.Signals);
}
