import { type Served, type ServeOptions, serveTasks } from '../worker/serve-tasks.ts';
import { JOURNAL_FD, journalClaims } from './start-journal.ts';
import { askWorkerData } from './worker-data.ts';

/** What a process serves that was started as a worker. */
export interface ServeProcessOptions
  extends Pick<ServeOptions, 'workerId' | 'slot' | 'module' | 'around'> {
  /** Whether the parent has `workerData` for this worker, as `startWorker` was told. Default `false`. */
  readonly hasWorkerData?: boolean;
}

/**
 * Serves tasks over the channel of this process, which is a worker and nothing else from here on: it ends when told to,
 * or when its parent is gone. It ignores Ctrl-C, which reaches every process of a terminal: the parent decides.
 *
 * @throws TypeError in a process that no dispatcher or cluster has started
 */
export function serveProcess({ hasWorkerData, ...options }: ServeProcessOptions): Served {
  if (process.send === undefined) {
    throw new TypeError(
      'Cannot serve tasks: this process has no channel to a parent; a dispatcher starts its workers itself',
    );
  }
  const outbox = createOutbox(process);
  const served = serveTasks({
    ...options,
    workerData: hasWorkerData ? () => askWorkerData() : undefined,
    post: (message) => outbox.post(message),
    claim: journalClaims(JOURNAL_FD),
    memoryBytes: () => process.memoryUsage.rss(),
    exit: (code) => outbox.exit(code),
    transfers: false,
  });
  process.on('message', (message) => served.receive(message));
  process.on('exit', () => served.flush());
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit(1));
  // The parent may be gone since before this listener.
  if (!process.connected) process.exit(1);
  return served;
}

/** Sends the messages of a worker, and loses none when it exits. */
export interface Outbox {
  /** Does nothing once the parent is gone: `disconnect` reports that. @throws for a message that cannot be cloned */
  post(message: unknown): void;
  /** Exits once everything posted is written; `process.exit` would lose the rest of a large message. */
  exit(code: number): void;
}

/** Creates an outbox over `process`, or a double of it. */
export function createOutbox(host: {
  send?(message: unknown, sent: (error: Error | null) => void): unknown;
  exit(code: number): unknown;
}): Outbox {
  // Bound before a task can replace them: one that is silent would make its call wait for ever.
  const send = host.send?.bind(host);
  const exit = host.exit.bind(host);
  let unsent = 0;
  let exitCode: number | undefined;
  // With a callback a failure, such as EPIPE while the parent dies, is no `error` event.
  const sent = () => {
    unsent -= 1;
    if (unsent === 0 && exitCode !== undefined) exit(exitCode);
  };
  return {
    post(message) {
      if (send === undefined) return;
      // Counted after: it throws for a message that cannot be cloned, and calls nothing back.
      send(message, sent);
      unsent += 1;
    },
    exit(code) {
      exitCode ??= code;
      if (unsent === 0) exit(exitCode);
    },
  };
}
