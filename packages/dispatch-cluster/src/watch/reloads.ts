import type { Clock } from '@ticketing/dispatch';

/** Milliseconds without a further change, after which the reload begins: one save of an editor, and a compiler's run, is many changes. */
const QUIET_MS = 100;
/** Most milliseconds from the first change to its reload. */
const LONGEST_MS = 1000;

/** Parts of a cluster that is reloaded. */
export interface Reloadable {
  /** Called with the changed files before each reload. */
  begins(paths: readonly string[]): void;
  /** Reloads the cluster. The implementation handles errors itself. */
  reload(): Promise<void>;
}

/** Makes one reload of many changes, and one at a time. */
export class Reloads {
  readonly #cluster: Reloadable;
  readonly #clock: Clock;
  readonly #changed = new Set<string>();
  #firstAt = 0;
  #timer: unknown;
  #isReloading = false;
  #isClosed = false;

  constructor(cluster: Reloadable, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  /** Notes a changed file; the reload follows. */
  add(path: string): void {
    if (this.#isClosed) return;
    if (this.#changed.size === 0) this.#firstAt = this.#clock.now();
    this.#changed.add(path);
    if (!this.#isReloading) this.#wait();
  }

  close(): void {
    this.#isClosed = true;
    this.#clock.clearTimeout(this.#timer as never);
  }

  #wait(): void {
    const leftMs = this.#firstAt + LONGEST_MS - this.#clock.now();
    this.#clock.clearTimeout(this.#timer as never);
    this.#timer = this.#clock.setTimeout(
      () => void this.#reload(),
      Math.max(0, Math.min(QUIET_MS, leftMs)),
    );
  }

  async #reload(): Promise<void> {
    const paths = [...this.#changed];
    this.#changed.clear();
    this.#isReloading = true;
    this.#cluster.begins(paths);
    await this.#cluster.reload();
    this.#isReloading = false;
    if (this.#changed.size > 0 && !this.#isClosed) this.#wait();
  }
}
