import { type Linked, LinkedList } from '@ticketing/kit';
import type { EncodeBody } from './shared-bodies.ts';

/** End of an encoding. */
export type Encoded =
  | { readonly kind: 'encoded'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed' };

/** One encoding that waits or is under way. */
export interface EncodeJob extends Linked {
  readonly encoding: string;
  readonly body: Uint8Array;
  /** Called once, unless the encoding is dropped. */
  readonly settle: (outcome: Encoded) => void;
}

/** Bounds of the encodings under way and of the waiting ones. */
export interface EncodeBounds {
  readonly concurrency: number;
  readonly maxQueued: number;
}

/** Encodings in the order in which they were asked for, within bounds. */
export class EncodeQueue {
  readonly #encode: EncodeBody;
  readonly #bounds: EncodeBounds;
  readonly #waiting = new LinkedList<EncodeJob>();
  #running = 0;

  constructor(encode: EncodeBody, bounds: EncodeBounds) {
    this.#encode = encode;
    this.#bounds = bounds;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Adds an encoding, which begins at once if it may; `undefined` if too many wait. */
  add(wanted: Omit<EncodeJob, keyof Linked>): EncodeJob | undefined {
    const mayBegin = this.#running < this.#bounds.concurrency;
    if (!mayBegin && this.#waiting.size >= this.#bounds.maxQueued) return undefined;
    const job = { ...wanted, previous: undefined, next: undefined, list: undefined };
    if (mayBegin) void this.#run(job);
    else this.#waiting.add(job);
    return job;
  }

  /** Drops an encoding that waits. One under way goes on: zlib cannot be stopped. Returns whether it waited. */
  drop(job: EncodeJob): boolean {
    return this.#waiting.delete(job);
  }

  async #run(job: EncodeJob): Promise<void> {
    this.#running += 1;
    const outcome = await this.#outcome(job);
    this.#running -= 1;
    job.settle(outcome);
    const next = this.#waiting.first;
    if (next === undefined) return;
    this.#waiting.delete(next);
    void this.#run(next);
  }
  async #outcome({ encoding, body }: EncodeJob): Promise<Encoded> {
    try {
      const bytes = await this.#encode(encoding, body);
      if (bytes instanceof Uint8Array) return { kind: 'encoded', bytes };
    } catch {
      // The body is sent as it is, and the failure is counted.
    }
    return { kind: 'failed' };
  }
}
