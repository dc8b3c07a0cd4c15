import type { ChildProcess, StdioOptions } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { devNull } from 'node:os';
import type { WorkerEnd } from '../contract/transport.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import { openStartJournal, type StartJournal } from './start-journal.ts';
import { StderrTail } from './stderr-tail.ts';

/** Milliseconds that the rest of a process has once its channel, or the process itself, has ended. */
const LINGER_MS = 500;

export interface WorkerProcessStart {
  /** Starts the process with these files, a channel among them, and `advanced` serialization. */
  launch(stdio: StdioOptions): ChildProcess;
  readonly guard: OrphanGuard | undefined;
}

export interface WorkerProcessEvents {
  message(message: unknown): void;
  /** Exactly once, after the last message. */
  exit(end: WorkerEnd): void;
}

/**
 * A child process with a channel, a start journal and an end that is reported once. Its standard output is ours; what
 * it writes to standard error is written to ours.
 *
 * @throws what the platform throws when it cannot start a process
 */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #events: WorkerProcessEvents;
  readonly #journal: StartJournal | undefined = openStartJournal();
  readonly #stderr = new StderrTail();
  #started = 0;
  #held = true;
  #timer: NodeJS.Timeout | undefined;
  #disconnected = false;
  #exited = false;
  #ended = false;

  constructor(start: WorkerProcessStart, events: WorkerProcessEvents) {
    this.#events = events;
    // Without a journal the null device takes its place, so that the worker need not know. `'ignore'` would open nothing:
    // above the standard files the worker would write into whatever file of Node's own has that number.
    const fd = this.#journal?.fd ?? openSync(devNull, 'r+');
    try {
      this.#child = start.launch(['ignore', 'inherit', 'pipe', 'ipc', fd]);
    } catch (error) {
      this.#journal?.close();
      throw error;
    } finally {
      if (this.#journal === undefined) closeSync(fd);
    }
    this.#listen(start.guard);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Sends a message, of which `seq` is the highest number. A channel that is gone is silent: `exit` follows. */
  send(message: unknown, seq: number): void {
    if (this.#journal === undefined && !this.#ended) this.#started = Math.max(this.#started, seq);
    this.#child.send(message as object, () => {});
  }

  /** Without a journal the highest number sent: better that nothing is run again than that something is run twice. */
  started(): number {
    return this.#ended || this.#journal === undefined ? this.#started : this.#journal.read();
  }

  /** Without a journal nobody knows what has begun: nothing is taken back. */
  reclaim(seqs: readonly number[]): readonly number[] {
    return this.#ended ? [] : (this.#journal?.reclaim(seqs) ?? []);
  }

  kill(): void {
    // SIGKILL, since a stopped process, and one in a loop, heed no other.
    this.#child.kill('SIGKILL');
  }

  hold(alive: boolean): void {
    this.#held = alive;
    const { channel, stderr } = this.#child;
    for (const handle of [this.#child, channel, stderr as Socket | null, this.#timer]) {
      if (alive) handle?.ref();
      else handle?.unref();
    }
  }

  #listen(guard: OrphanGuard | undefined): void {
    const child = this.#child;
    const { pid } = child;
    if (pid !== undefined) guard?.add(pid);
    child.on('message', (message) => this.#events.message(message));
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr.push(chunk);
      // Not `pipe`: each worker would add listeners to the one stream.
      process.stderr.write(chunk);
    });
    child.on('error', (error) => {
      // No process was started. Other errors, of a signal that could not be sent, are told by what does not happen.
      if (pid === undefined) this.#end(error);
    });
    child.on('exit', () => {
      if (pid !== undefined) guard?.remove(pid);
      this.#exited = true;
      this.#linger();
    });
    child.on('disconnect', () => {
      this.#disconnected = true;
      this.#linger();
    });
    child.on('close', () => this.#end());
  }

  /**
   * `close` is the end: the process is gone and all that it wrote is read. But a child of the worker may keep standard
   * error open, and a worker may close its channel and live on; neither is waited for.
   */
  #linger(): void {
    clearTimeout(this.#timer);
    if (this.#ended || !this.#disconnected) return;
    this.#timer = setTimeout(() => {
      if (this.#exited) this.#end();
      else this.kill();
    }, LINGER_MS);
    if (!this.#held) this.#timer.unref();
  }

  #end(cause?: Error): void {
    if (this.#ended) return;
    this.#started = this.started();
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#journal?.close();
    this.#child.stderr?.destroy();
    const { exitCode, signalCode } = this.#child;
    this.#events.exit({
      exitCode: cause === undefined ? (exitCode ?? undefined) : undefined,
      signal: signalCode ?? undefined,
      stderrTail: this.#stderr.text(),
      ...(cause && { cause }),
    });
  }
}
