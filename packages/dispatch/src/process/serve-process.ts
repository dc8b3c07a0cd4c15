import { endNesting, leaveSignalsToParent, watchInspector } from '@ticketing/kit';
import type { TaskHooks } from '../contract/task.ts';
import type { WireMessage } from '../wire/wire-message.ts';
import { type Served, type ServeOptions, serveTasks } from '../worker/serve-tasks.ts';
import { askWorkerData, inspectorMessage } from './channel-messages.ts';
import { Outbox, openFramePipe, pipeWriter } from './frame-pipe.ts';
import { JOURNAL_FD, journalClaims } from './start-journal.ts';

/** Tasks of a process that was started as a worker, and its hooks. */
export interface ServeProcessOptions
  extends Pick<ServeOptions, 'workerId' | 'slot' | 'module' | 'around'> {
  /** True if `startWorker` of the parent has `workerData` for this worker. Default `false`. */
  readonly hasWorkerData?: boolean;
}

/**
 * Serves tasks over the pipe that the parent has made. From here on the process is only a worker: it ends when its parent asks
 * for it, or is gone. SIGINT, SIGTERM and SIGHUP, which reach every process of a terminal or of a service, change nothing.
 *
 * @throws TypeError in a process that no dispatcher or cluster has started
 */
export function serveProcess({ hasWorkerData, ...options }: ServeProcessOptions): Served {
  if (process.send === undefined) {
    throw new TypeError(
      'Cannot serve tasks: this process has no channel to a parent; a dispatcher starts its workers itself',
    );
  }
  // Loading is over once the module is set up.
  const around = (hooks: TaskHooks): TaskHooks => {
    const own = options.around?.(hooks) ?? hooks;
    return {
      ...own,
      async setup(worker) {
        await own.setup?.(worker);
        endNesting();
      },
    };
  };
  const outbox = new Outbox(openFramePipe((messages) => served.receiveAll(messages)));
  const served = serveTasks({
    ...options,
    around,
    workerData: hasWorkerData ? () => askWorkerData() : undefined,
    post: (message) => outbox.post(message as WireMessage),
    claim: journalClaims(JOURNAL_FD),
    memoryBytes: () => process.memoryUsage.rss(),
    exit: (code) => outbox.exit(code),
    byEvents: true,
    ...pipeWriter,
  });
  process.on('exit', () => served.flush());
  leaveSignalsToParent();
  const send = process.send.bind(process);
  watchInspector((url) => send(inspectorMessage(url), undefined, undefined, () => {}));
  process.on('disconnect', () => process.exit(1));
  // The parent may be gone since before this listener.
  if (!process.connected) process.exit(1);
  return served;
}
