import type { ChildProcess, StdioOptions } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { StderrTail } from '@ticketing/kit';
import type { ToWorker } from '../contract/frames.ts';
import type {
  Transport,
  Unsent,
  WorkerEnd,
  WorkerEvents,
  WorkerHandle,
} from '../contract/transport.ts';
import { decodeFromWorker } from '../wire/from-worker-codec.ts';
import { MessageStream, messageData, neverWhole } from '../wire/message-stream.ts';
import { postToWorker } from '../wire/to-worker-codec.ts';
import type { WireMessage } from '../wire/wire-message.ts';
import { FRAMES_FD, pipeWriter } from './frame-pipe.ts';
import { isInspectorMessage, publishInspector } from './inspector-messages.ts';
import { MESSAGES_FD, MessageFile, openMessageFile } from './message-file.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import { JOURNAL_FD, openStartJournal, type StartJournal } from './start-journal.ts';
import { WorkerData } from './worker-data.ts';
import type { OutputSink } from './worker-output.ts';

/**
 * The `autoWindow` of workers that are processes. A pair of sockets holds 208 KiB on Linux, and once it is full the writer is
 * woken when three quarters of it have been read: the reader has then little left. Figures:
 * docs/decisions/0029-frames-in-a-pipe.md.
 */
export const processWindow: Transport['autoWindow'] = { first: 8, max: 64, bytes: 128 * 1024 };

/** A worker whose event loop runs writes at least so much of a message, or its end, between two looks: a pipe holds more. */
const LEAST_GROWTH_BYTES = 1024;

/** Milliseconds to wait for the end of a process and of its output, once its channel or the process itself has ended. */
const LINGER_MS = 500;

export interface WorkerProcessStart {
  /** Starts the process with these files, which include a channel and a pipe, and with `advanced` serialization. */
  launch(stdio: StdioOptions): ChildProcess;
  readonly guard: OrphanGuard | undefined;
  readonly workerId: number;
  readonly slot: number;
  /** What its tasks get as `context.workerData`; if there is any, the worker must know it: `hasWorkerData` of `serveProcess`. */
  readonly workerData?: unknown;
  /** Whether its Node options open its inspector. Default `false`. */
  readonly isInspected?: boolean;
  /** Takes what the process writes: one for all workers of a transport. */
  readonly output: OutputSink;
}

export interface WorkerProcessEvents {
  /** Called with each message of its channel. */
  message(message: unknown): void;
  /** Called with each message of its pipe. */
  frames(message: WireMessage): void;
  /** Called exactly once, after the last message. */
  exit(end: WorkerEnd): void;
}

/**
 * Starts a process as a worker. Frames go over its pipe; other messages over its channel. Why there are two:
 * `docs/decisions/0029-frames-in-a-pipe.md`.
 *
 * @throws what the platform throws when it cannot start a process
 */
export function startWorker(
  start: WorkerProcessStart,
  events: WorkerEvents,
  foreign: (message: unknown) => void = () => {},
): WorkerHandle {
  const { workerData } = start;
  const data = workerData === undefined ? undefined : new WorkerData(workerData);
  const worker = new WorkerProcess(start, {
    message(message) {
      if (isInspectorMessage(message)) worker.inspected(message.url);
      else if (!data?.answer(message, (answer) => worker.post(answer))) foreign(message);
    },
    frames: (message) => events.frames(decodeFromWorker(message) ?? []),
    exit: (end) => events.exit(end),
  });
  return worker;
}

/**
 * A child process with a channel, a pipe for frames, a start journal and an end that is reported once. Its output goes to a
 * sink; the last of its standard error is kept for its end.
 *
 * @throws what the platform throws when it cannot start a process
 */
export class WorkerProcess implements WorkerHandle {
  readonly slot: number;
  isInspected: boolean;
  readonly #workerId: number;
  readonly #child: ChildProcess;
  readonly #pipe: Socket | undefined;
  readonly #events: WorkerProcessEvents;
  readonly #journal: StartJournal | undefined = openStartJournal();
  readonly #largeFd: number | undefined = openMessageFile();
  readonly #large: MessageFile | undefined;
  readonly #stderr = new StderrTail();
  /** To be called when it has ended. */
  readonly #outputs: (() => void)[] = [];
  #started = 0;
  #held = true;
  #timer: NodeJS.Timeout | undefined;
  #disconnected = false;
  #exited = false;
  #ended = false;
  /** The error of bytes in its pipe that are no message. */
  #fault: Error | undefined;
  readonly #stream: MessageStream;
  /** The message that was incomplete at the latest look. */
  #partial: MessageStream['partial'];

  constructor(start: WorkerProcessStart, events: WorkerProcessEvents) {
    this.slot = start.slot;
    this.#workerId = start.workerId;
    this.isInspected = start.isInspected ?? false;
    this.#events = events;
    if (this.#largeFd !== undefined) this.#large = new MessageFile(this.#largeFd, 'parent');
    this.#stream = new MessageStream((message) => this.#events.frames(message), this.#large);
    // For a file that could not be opened the worker gets a pipe that neither side uses. `'ignore'` would open nothing above the
    // standard files: the worker would write into whatever file of Node's own has that number.
    const files = [this.#journal?.fd ?? 'pipe', 'pipe', this.#largeFd ?? 'pipe'] as const;
    try {
      this.#child = start.launch(['ignore', start.output.stdout, 'pipe', 'ipc', ...files]);
    } catch (error) {
      this.#closeFiles();
      throw error;
    }
    const pipes = (this.#child.stdio ?? []) as readonly (Socket | null | undefined)[];
    for (const unused of [JOURNAL_FD, MESSAGES_FD]) pipes[unused]?.destroy();
    this.#pipe = pipes[FRAMES_FD] ?? undefined;
    this.#listen(start);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get bytes(): number {
    const large = this.#large;
    const sent = (this.#pipe?.bytesWritten ?? 0) + (large?.bytesWritten ?? 0);
    return Math.max(sent, (this.#pipe?.bytesRead ?? 0) + (large?.bytesRead ?? 0));
  }

  send(frames: readonly ToWorker[], inFlight?: number): readonly Unsent[] {
    if (this.#journal === undefined && !this.#ended) {
      const seq = frames.findLast((frame) => frame.kind === 'run')?.seq ?? 0;
      this.#started = Math.max(this.#started, seq);
    }
    const pipe = this.#pipe;
    const write = (message: unknown): void => {
      const data = messageData(message as WireMessage, this.#large);
      // Once the pipe is gone `exit` follows.
      if (pipe?.writable) pipe.write(data, 'latin1');
    };
    return postToWorker(frames, write, pipeWriter, inFlight);
  }

  /** Sends a message over the channel. Does nothing once that is gone: `exit` follows. */
  post(message: unknown): void {
    this.#child.send(message as object, () => {});
  }

  /** Without a journal the highest number sent: better to rerun nothing than to run a call twice. */
  started(): number {
    return this.#ended || this.#journal === undefined ? this.#started : this.#journal.read();
  }

  /** Takes nothing back without a journal: what has begun is unknown then. */
  reclaim(seqs: readonly number[]): readonly number[] {
    return this.#ended ? [] : (this.#journal?.reclaim(seqs) ?? []);
  }

  /**
   * A worker that is asked answers behind the rest of an incomplete message, or within it: then a task has written the beginning of
   * a message that never ends, and all answers are read as a part of it. One that a task or a pause keeps from writing sends nothing.
   */
  inspect(): boolean {
    const before = this.#partial;
    const partial = this.#stream.partial;
    this.#partial = partial;
    if (partial === undefined) return false;
    if (partial.message !== before?.message) return true;
    const grown = partial.bytes - before.bytes;
    if (grown === 0 || grown >= LEAST_GROWTH_BYTES) return grown > 0;
    this.#fault ??= neverWhole();
    this.kill();
    return false;
  }

  kill(): void {
    // A stopped process, and one in a loop, ignore every other signal.
    this.#child.kill('SIGKILL');
  }

  /** Its inspector has been opened at this address, or closed. */
  inspected(url: unknown): void {
    this.isInspected = typeof url === 'string';
    const { slot, pid } = this;
    if (typeof url === 'string') publishInspector({ workerId: this.#workerId, slot, pid }, url);
  }

  hold(alive: boolean): void {
    this.#held = alive;
    const { channel, stdout, stderr } = this.#child;
    const pipes = [stdout, stderr, this.#pipe] as (Socket | null | undefined)[];
    for (const handle of [this.#child, channel, ...pipes, this.#timer]) {
      if (alive) handle?.ref();
      else handle?.unref();
    }
  }

  #listen({ guard, workerId, output }: WorkerProcessStart): void {
    const child = this.#child;
    const { pid } = child;
    if (pid !== undefined) guard?.add(pid);
    child.on('message', (message) => this.#events.message(message));
    this.#read();
    child.stderr?.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    for (const stream of ['stdout', 'stderr'] as const) {
      const readable = child[stream];
      if (readable !== null) this.#outputs.push(output.read(readable, { stream, workerId }));
    }
    child.on('error', (error) => {
      // No process was started. Other errors, as of a signal that could not be sent, need no report.
      if (pid === undefined) this.#end(error);
    });
    child.on('exit', () => {
      if (pid !== undefined) guard?.remove(pid);
      this.#exited = true;
      for (const over of this.#outputs) over();
      this.#linger();
    });
    child.on('disconnect', () => {
      this.#disconnected = true;
      this.#linger();
    });
    child.on('close', () => this.#end());
  }

  #read(): void {
    const stream = this.#stream;
    this.#pipe?.on('data', (chunk: Buffer) => {
      if (this.#fault !== undefined) return;
      try {
        stream.push(chunk);
      } catch (error) {
        // A task has written into the pipe. What follows cannot be read, and the worker's calls would wait for ever.
        this.#fault = error as Error;
        this.kill();
      }
    });
    // An error such as EPIPE while it ends needs no handling: `exit` follows.
    this.#pipe?.on('error', () => {});
  }

  /**
   * `close` is the end: the process is gone and its output is read. But a child of the worker may keep standard error
   * open, and a worker may close its channel and live on; this waits for neither.
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

  #closeFiles(): void {
    this.#journal?.close();
    if (this.#largeFd !== undefined) closeSync(this.#largeFd);
  }

  #end(cause: Error | undefined = this.#fault): void {
    if (this.#ended) return;
    this.#started = this.started();
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#closeFiles();
    for (const over of this.#outputs) over();
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#pipe?.destroy();
    const { exitCode, signalCode } = this.#child;
    this.#events.exit({
      exitCode: this.pid === undefined ? undefined : (exitCode ?? undefined),
      signal: signalCode ?? undefined,
      stderrTail: this.#stderr.text(),
      ...(cause && { cause }),
    });
  }
}
