import type { Readable } from 'node:stream';
import type { Rule } from '@ticketing/kit';

/** Worker and stream from which a chunk comes. */
export interface OutputSource {
  readonly stream: 'stdout' | 'stderr';
  readonly workerId: number;
}

/**
 * Destination of the workers' output: `inherit` writes it to the same stream of this process, `ignore` drops it, a function gets
 * it in chunks, which may end in the middle of a line or character. A function that returns a promise gets the next chunk of
 * that stream when the promise has settled. An error that the function throws is an uncaught exception.
 */
export type WorkerOutput =
  | 'inherit'
  | 'ignore'
  | ((chunk: Buffer, source: OutputSource) => unknown);

/** Rule of the option `output`. */
export const outputRule: Rule = {
  expected: 'inherit, ignore or a function',
  fallback: 'inherit',
  test: (value) => value === 'inherit' || value === 'ignore' || typeof value === 'function',
};

/** Passes the output of all workers of a transport on, and makes them wait while it cannot. */
export class OutputSink {
  readonly #output: WorkerOutput;
  /** Paused streams, by the full stream of this process. */
  readonly #waiting = { stdout: new Set<Readable>(), stderr: new Set<Readable>() };

  constructor(output: WorkerOutput) {
    this.#output = output;
  }

  /** `stdio` setting for a process's standard output: `inherit` needs no relay. */
  get stdout(): 'inherit' | 'ignore' | 'pipe' {
    return typeof this.#output === 'function' ? 'pipe' : this.#output;
  }

  /**
   * Reads a stream of a worker. The caller calls the returned function when the worker has ended: the rest, no more than a
   * pipe holds, does not wait.
   */
  read(readable: Readable, source: OutputSource): () => void {
    const output = this.#output;
    const { stream } = source;
    let isOver = false;
    readable.on('data', (chunk: Buffer) => {
      if (output === 'ignore') return;
      // Not `pipe`: each worker would add listeners to the one stream.
      if (output === 'inherit') {
        if (process[stream].write(chunk) || isOver) return;
        readable.pause();
        this.#waiting[stream].add(readable);
        this.#listen(stream);
        return;
      }
      const taken = output(chunk, source);
      if (isOver || typeof Object(taken).then !== 'function') return;
      readable.pause();
      // A rejection stays unhandled, as a throw is uncaught.
      void Promise.resolve(taken).finally(() => readable.resume());
    });
    return () => {
      isOver = true;
      this.#waiting[stream].delete(readable);
      this.#listen(stream);
      readable.resume();
    };
  }

  /** Keeps one listener for all paused streams, and none without them. */
  #listen(stream: 'stdout' | 'stderr'): void {
    process[stream].off('drain', this.#drained[stream]);
    if (this.#waiting[stream].size > 0) process[stream].once('drain', this.#drained[stream]);
  }

  readonly #drained = {
    stdout: () => this.#resume('stdout'),
    stderr: () => this.#resume('stderr'),
  };

  #resume(stream: 'stdout' | 'stderr'): void {
    const waiting = [...this.#waiting[stream]];
    this.#waiting[stream].clear();
    for (const readable of waiting) readable.resume();
  }
}
