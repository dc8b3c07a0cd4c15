import { type ChildProcess, fork } from 'node:child_process';
import {
  DESCRIPTORS_OF_PROCESS,
  inheritedExecArgv,
  inspectorOption,
  mallocVariables,
  nestingVariable,
  opensInspector,
  requireDescriptors,
  StderrTail,
} from '@ticketing/kit';
import type { RouterWorker, WorkerChannel } from '../contract/worker-source.ts';
import { RouterError, type RouterErrorData } from '../errors.ts';
import { isTagged, type WorkerMessage } from '../wire/messages.ts';
import { InheritedFile } from './shared-file.ts';

/** Milliseconds for the rest of what a process that has ended wrote. */
const LINGER_MS = 500;

export interface ForkedProcessOptions {
  readonly module: URL;
  readonly slot: string;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly execArgv?: readonly string[] | undefined;
  readonly startTimeoutMs: number;
}

export interface ForkedProcessEvents {
  /** Called when a router may hand it connections. */
  served(): void;
  /** Called once, when the process has ended or could not be started, and its standard error is read; `failure`: before it served. */
  ended(failure: RouterError | undefined): void;
}

/** A worker's process, from its start to its end. Its standard error goes to that of this process, and its tail is kept. */
export class ForkedProcess {
  readonly startedAt: number = performance.now();
  readonly #options: ForkedProcessOptions;
  readonly #events: ForkedProcessEvents;
  /** `undefined` if there were no descriptors for a process. */
  readonly #child: ChildProcess | undefined;
  readonly #file = new InheritedFile();
  readonly #stderr = new StderrTail();
  readonly #startTimer: NodeJS.Timeout;
  #startError: RouterError | undefined;
  #hasServed = false;
  #hasEnded = false;

  constructor(options: ForkedProcessOptions, events: ForkedProcessEvents) {
    const { module, env = process.env, execArgv = ownExecArgv(), startTimeoutMs } = options;
    this.#options = options;
    this.#events = events;
    this.#startTimer = setTimeout(() => this.#startTookTooLong(), startTimeoutMs);
    this.#startTimer.unref();
    // It may be at a breakpoint.
    if (opensInspector(execArgv)) clearTimeout(this.#startTimer);
    try {
      requireDescriptors(DESCRIPTORS_OF_PROCESS);
    } catch (cause) {
      this.#startError = this.#lost((cause as Error).message, cause as Error);
      // As the platform reports a process that could not be started.
      process.nextTick(() => this.#exited());
      return;
    }
    const { fd } = this.#file;
    const child = fork(module, {
      // JSON costs less for small messages, and far more for a buffer. There is none in them where the file is.
      serialization: fd === undefined ? 'advanced' : 'json',
      stdio: ['inherit', 'inherit', 'pipe', 'ipc', ...(fd === undefined ? [] : [fd])],
      env: { ...mallocVariables(env), ...env, ...nestingVariable(module) },
      execArgv: [...execArgv],
    });
    this.#child = child;
    child.on('message', this.#onMessage);
    child.stderr?.on('data', (chunk: Buffer) => this.#relay(chunk));
    child.once('exit', () => this.#exited());
    child.on('error', (cause) => {
      // A process that could not be started emits no exit.
      if (this.pid !== undefined) return;
      this.#startError = this.#lost(cause.message, cause);
      this.#exited();
    });
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The worker as a source reports it; `undefined` when it is not connected. */
  get worker(): RouterWorker | undefined {
    const child = this.#child;
    if (!child?.connected) return undefined;
    const { slot } = this.#options;
    const sharedFile = this.#file.fd === undefined ? undefined : this.#file;
    return { slot, pid: child.pid, channel: child as WorkerChannel, sharedFile };
  }

  /** Lets the process finish its connections and exit; kills it after the grace. Resolves when it has ended. */
  async stop(graceMs: number): Promise<void> {
    clearTimeout(this.#startTimer);
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    // An attached worker exits when its channel ends.
    if (child.connected) child.disconnect();
    await exited;
    clearTimeout(timer);
  }

  /** Lets the process finish what it is answering, although it may be stopped: it has a successor. */
  leave(): void {
    if (this.#child === undefined) return;
    if (this.#child.connected) this.#child.disconnect();
    endProcess(this.#child);
  }

  readonly #onMessage = (message: unknown): void => {
    if (!isTagged(message) || (message as WorkerMessage).kind !== 'ready') return;
    this.#child?.off('message', this.#onMessage);
    clearTimeout(this.#startTimer);
    this.#hasServed = true;
    this.#events.served();
  };

  /** Passes standard error on. Not by `pipe`, with which each process would add listeners to the one stream. */
  #relay(chunk: Buffer): void {
    const stderr = this.#child?.stderr;
    this.#stderr.push(chunk);
    if (!process.stderr.write(chunk, () => stderr?.resume())) stderr?.pause();
  }

  #startTookTooLong(): void {
    const { slot, startTimeoutMs } = this.#options;
    this.#startError = new RouterError(
      'ERR_START_TIMEOUT',
      `Worker of slot \`${slot}\` did not serve within \`startTimeoutMs\` (${startTimeoutMs} ms); it must call \`attachServer\``,
      { data: { slot, pid: this.pid, limit: startTimeoutMs } },
    );
    this.#child?.kill('SIGKILL');
  }

  #exited(): void {
    clearTimeout(this.#startTimer);
    this.#file.close();
    const stderr = this.#child?.stderr;
    const report = (): void => {
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      this.#events.ended(this.#hasServed ? undefined : (this.#startError ?? this.#endedEarly()));
    };
    // The reason of a failed start is in its standard error, which a child of its own may keep open.
    const isRead = !stderr || stderr.closed;
    if (this.#hasServed || isRead) report();
    if (isRead) return;
    const timer = setTimeout(() => stderr.destroy(), LINGER_MS);
    stderr.once('close', () => {
      clearTimeout(timer);
      report();
    });
    stderr.resume();
  }

  #endedEarly(): RouterError {
    const { exitCode, signalCode } = this.#child ?? {};
    const how = signalCode ? `by ${signalCode}` : `with exit code ${exitCode}`;
    const reason = reasonIn(this.#stderr.text());
    return this.#lost(
      reason ??
        `Worker of slot \`${this.#options.slot}\` ended ${how} before it served; it must call \`attachServer\` and stay alive`,
    );
  }

  #lost(message: string, cause?: Error): RouterError {
    const { exitCode, signalCode, pid } = this.#child ?? {};
    const data: RouterErrorData = {
      slot: this.#options.slot,
      pid,
      exitCode: exitCode ?? undefined,
      signal: signalCode ?? undefined,
      stderrTail: this.#stderr.text(),
    };
    return new RouterError('ERR_WORKER_LOST', message, { data, ...(cause && { cause }) });
  }
}

/** Returns the Node options of this process that its workers need: with its inspector they have theirs, at free ports. */
function ownExecArgv(): readonly string[] {
  const inspector = inspectorOption(process.execArgv);
  const inherited = inheritedExecArgv(process.execArgv);
  return inspector === undefined ? inherited : [...inherited, inspector];
}

/** Returns the message of the error that Node.js printed last, before it ended; `undefined` without one. */
export function reasonIn(stderrTail: string): string | undefined {
  const printed = /^(?:Uncaught )?(?:Error|(\w*(?:Error|Exception)))(?: \[\w+\])?: (.+)$/gm;
  const last = [...stderrTail.matchAll(printed)].at(-1);
  if (last === undefined) return undefined;
  const [, name, message = ''] = last;
  return name === undefined ? message : `${name}: ${message}`;
}

/** Milliseconds that a replaced worker has to finish what it is answering. */
const REPLACED_GRACE_MS = 10_000;

/** Ends a process that may be stopped or not answer: by a signal, if one is given, and by SIGKILL if it stays alive. */
export function endProcess(child: ChildProcess, signal?: 'SIGTERM'): void {
  const timer = setTimeout(() => child.kill('SIGKILL'), REPLACED_GRACE_MS);
  timer.unref();
  child.once('exit', () => clearTimeout(timer));
  if (signal !== undefined) child.kill(signal);
}
