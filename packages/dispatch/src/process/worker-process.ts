import type { ChildProcess, StdioOptions } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { DESCRIPTORS_OF_PROCESS, requireDescriptors, StderrTail } from '@ticketing/kit';
import type { ToWorker } from '../contract/frames.ts';
import type { Transport, Unsent, WorkerEvents, WorkerHandle } from '../contract/transport.ts';
import { decodeFromWorker } from '../wire/from-worker-codec.ts';
import { postToWorker } from '../wire/to-worker-codec.ts';
import { isInspectorMessage, publishInspector, WorkerData } from './channel-messages.ts';
import { FRAMES_FD, ParentPipe, pipeWriter } from './frame-pipe.ts';
import { MESSAGES_FD, MessageFile, openMessageFile } from './message-file.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import { JOURNAL_FD, openStartJournal, type StartJournal } from './start-journal.ts';
import type { OutputSink } from './worker-output.ts';

/**
 * `autoWindow` of workers that are processes. A pair of sockets holds 208 KiB on Linux, and once it is full the writer is
 * woken when three quarters of it have been read: the reader has then little left. Figures:
 * docs/decisions/0029-frames-in-a-pipe.md.
 */
export const processWindow: Transport['autoWindow'] = { first: 8, max: 64, bytes: 128 * 1024 };

/** Milliseconds to wait for the end of a process and of its output, once its channel or the process itself has ended. */
const LINGER_MS = 500;

export interface WorkerProcessStart {
  /** Starts the process with these files, which include a channel and a pipe, and with `advanced` serialization. */
  launch(stdio: StdioOptions): ChildProcess;
  readonly guard: OrphanGuard | undefined;
  readonly workerId: number;
  readonly slot: number;
  /** Value of `context.workerData` in its tasks; with one, the worker must set `hasWorkerData` of `serveProcess`. */
  readonly workerData?: unknown;
  /** True if the Node options of the process open its inspector. Default `false`. */
  readonly isInspected?: boolean;
  /** Sink of the output of the process: one for all workers of a transport. */
  readonly output: OutputSink;
}

/**
 * Starts a process as a worker. Frames go over its pipe; other messages over its channel, `foreign` ones to the caller. Why there
 * are two: `docs/decisions/0029-frames-in-a-pipe.md`.
 *
 * @throws what the platform throws when it cannot start a process; DOMException `DataCloneError` for its `workerData`
 */
export function startWorker(
  start: WorkerProcessStart,
  events: WorkerEvents,
  foreign: (message: unknown) => void = () => {},
): WorkerHandle {
  return new WorkerProcess(start, events, foreign);
}

/**
 * Child process with a channel, a pipe for frames, a start journal and an end that is reported once. Its output goes to a
 * sink; the last of its standard error is kept for its end.
 */
export class WorkerProcess implements WorkerHandle {
  readonly slot: number;
  isInspected: boolean;
  readonly #child: ChildProcess;
  readonly #pipe: ParentPipe;
  readonly #events: WorkerEvents;
  readonly #journal: StartJournal | undefined;
  readonly #large: MessageFile | undefined;
  readonly #stderr = new StderrTail();
  /** Called when the process has ended: no output of it waits any longer. */
  readonly #outputs: (() => void)[] = [];
  /** Highest number that was sent, without a journal: it is better to rerun nothing than to run a call twice. */
  #sent = 0;
  #isHeld = true;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(
    start: WorkerProcessStart,
    events: WorkerEvents,
    foreign: (message: unknown) => void,
  ) {
    requireDescriptors(DESCRIPTORS_OF_PROCESS);
    const data = start.workerData === undefined ? undefined : new WorkerData(start.workerData);
    this.slot = start.slot;
    this.isInspected = start.isInspected ?? false;
    this.#events = events;
    this.#journal = openStartJournal();
    const large = openMessageFile();
    this.#large = large === undefined ? undefined : new MessageFile(large, 'parent');
    // For a file that could not be opened the worker gets a pipe that neither side uses. `'ignore'` would open nothing above the
    // standard files: the worker would write into whatever file of Node's own has that number.
    const files = [this.#journal?.fd ?? 'pipe', 'pipe', large ?? 'pipe'] as const;
    try {
      this.#child = start.launch(['ignore', start.output.stdout, 'pipe', 'ipc', ...files]);
    } catch (error) {
      this.#closeFiles();
      throw error;
    }
    const pipes = (this.#child.stdio ?? []) as readonly (Socket | null | undefined)[];
    for (const unused of [JOURNAL_FD, MESSAGES_FD]) pipes[unused]?.destroy();
    this.#pipe = new ParentPipe(pipes[FRAMES_FD] ?? undefined, this.#large, {
      read: (message) => events.frames(decodeFromWorker(message) ?? []),
      broken: () => this.kill(),
    });
    this.#child.on('message', (message) => {
      if (isInspectorMessage(message)) this.#inspected(start.workerId, message.url);
      else if (!data?.answer(message, (answer) => this.post(answer))) foreign(message);
    });
    this.#listen(start);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get bytes(): number {
    return this.#pipe.bytes;
  }

  send(frames: readonly ToWorker[], inFlight?: number): readonly Unsent[] {
    if (this.#journal === undefined && !this.#hasEnded) {
      this.#sent = frames.findLast((frame) => frame.kind === 'run')?.seq ?? this.#sent;
    }
    return postToWorker(frames, this.#pipe.post, pipeWriter, inFlight);
  }

  /** Sends a message over the channel. Does nothing once that is gone: `exit` follows. */
  post(message: unknown): void {
    // A process that could not be started has no channel.
    (this.#child as Partial<ChildProcess>).send?.(message as object, () => {});
  }

  started(): number {
    return this.#journal?.read() ?? this.#sent;
  }

  reclaim(seqs: readonly number[]): readonly number[] {
    return this.#journal?.reclaim(seqs) ?? [];
  }

  inspect(): boolean {
    return this.#pipe.inspect();
  }

  kill(): void {
    // A stopped process, and one in a loop, ignore every other signal.
    this.#child.kill('SIGKILL');
  }

  hold(alive: boolean): void {
    this.#isHeld = alive;
    const { channel, stdout, stderr } = this.#child;
    // Streams of a runtime other than Node may lack both methods.
    const pipes = [stdout, stderr, this.#pipe.socket] as (Partial<Socket> | null | undefined)[];
    for (const handle of [this.#child, channel, ...pipes, this.#timer]) {
      if (alive) handle?.ref?.();
      else handle?.unref?.();
    }
  }

  /** Takes note that the inspector of the process has been opened at this address, or closed. */
  #inspected(workerId: number, url: unknown): void {
    this.isInspected = typeof url === 'string';
    if (typeof url === 'string')
      publishInspector({ workerId, slot: this.slot, pid: this.pid, url });
  }

  #listen({ guard, workerId, output }: WorkerProcessStart): void {
    const child = this.#child;
    const { pid } = child;
    if (pid !== undefined) guard?.add(pid);
    child.stderr?.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    for (const stream of ['stdout', 'stderr'] as const) {
      const readable: Readable | null | undefined = child[stream];
      // Without descriptors there is neither a process nor a stream; its `error` follows.
      if (readable) this.#outputs.push(output.read(readable, { stream, workerId }));
    }
    child.on('error', (error) => {
      // No process was started. Other errors, as of a signal that could not be sent, need no report.
      if (pid === undefined) this.#end(error);
    });
    child.on('exit', () => {
      if (pid !== undefined) guard?.remove(pid);
      for (const over of this.#outputs) over();
      this.#linger();
    });
    child.on('disconnect', () => this.#linger());
    child.on('close', () => this.#end());
  }

  /**
   * Ends the worker, or its process, some time after its channel has closed. `close` is the end: the process is gone and its output
   * is read. But a child of the worker may keep standard error open, and a worker may close its channel and live on.
   */
  #linger(): void {
    clearTimeout(this.#timer);
    const child = this.#child;
    if (this.#hasEnded || child.connected) return;
    this.#timer = setTimeout(() => {
      if (child.exitCode === null && child.signalCode === null) this.kill();
      else this.#end();
    }, LINGER_MS);
    if (!this.#isHeld) this.#timer.unref();
  }

  #closeFiles(): void {
    this.#journal?.close();
    this.#large?.close();
  }

  #end(cause: Error | undefined = this.#pipe.fault): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#closeFiles();
    for (const over of this.#outputs) over();
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#pipe.socket?.destroy();
    const { exitCode, signalCode } = this.#child;
    this.#events.exit({
      exitCode: this.pid === undefined ? undefined : (exitCode ?? undefined),
      signal: signalCode ?? undefined,
      stderrTail: this.#stderr.text(),
      ...(cause && { cause }),
    });
  }
}
