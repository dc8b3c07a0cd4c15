import type { TaskHooks, TaskMap, TaskModule } from '../contract/task.ts';
import { type Served, serveTasks } from '../worker/serve-tasks.ts';
import { JOURNAL_FD, journalClaims } from './start-journal.ts';

/** What a process serves that was started as a worker. */
export interface ServeProcessOptions {
  readonly workerId: number;
  /** Address of the module, as `file:///…`, or the module. */
  readonly module: string | TaskModule<TaskMap>;
  /** Adds to the module's hooks what belongs to the worker itself. */
  readonly around?: (hooks: TaskHooks) => TaskHooks;
}

/**
 * Serves tasks over the channel of this process, which is a worker and nothing else from here on: it ends when told to,
 * or when its parent is gone. Ctrl-C, which reaches every process of a terminal, leaves it to the parent what becomes of it.
 *
 * @throws TypeError in a process that no dispatcher or cluster has started
 */
export function serveProcess(options: ServeProcessOptions): Served {
  if (process.send === undefined) {
    throw new TypeError(
      'Cannot serve tasks: this process has no channel to a parent; a dispatcher starts its workers itself',
    );
  }
  const outbox = createOutbox(process);
  const served = serveTasks({
    ...options,
    post: (message) => outbox.post(message),
    claim: journalClaims(JOURNAL_FD),
    memoryBytes: () => process.memoryUsage.rss(),
    exit: (code) => outbox.exit(code),
    transfers: false,
  });
  process.on('message', (message) => served.receive(message));
  process.on('exit', () => served.flush());
  process.on('SIGINT', () => {});
  // The parent is gone, perhaps since before this listener.
  process.on('disconnect', () => process.exit(1));
  if (!process.connected) process.exit(1);
  return served;
}

/** What an outbox needs of `process`. */
interface OutboxProcess {
  send?(message: unknown, sent: (error: Error | null) => void): unknown;
  exit(code: number): unknown;
}

/** Sends the messages of a worker, and lets none be lost when it exits. */
interface Outbox {
  /** A parent that is gone is silent: `disconnect` tells. @throws for a message that cannot be cloned */
  post(message: unknown): void;
  /** Exits once everything posted is written; what is left of a large message at `process.exit` would be lost. */
  exit(code: number): void;
}

/** Creates the outbox of this process. */
export function createOutbox(host: OutboxProcess): Outbox {
  // As they are before a task can replace them: one that is silent would make its call wait for ever.
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
      // Throws for what cannot be cloned, which is then not waited for.
      send(message, sent);
      unsent += 1;
    },
    exit(code) {
      exitCode ??= code;
      if (unsent === 0) exit(exitCode);
    },
  };
}
