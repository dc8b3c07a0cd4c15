import type { TaskHooks, TaskMap, TaskModule } from '@ticketing/dispatch';
import { decodeToWorker, type Served, serveTasks } from '@ticketing/dispatch/worker';
import { type FromPrimaryMessage, fromPrimaryTag, type ToPrimary } from './primary-messages.ts';

/** A worker of the cluster. */
export interface Peer {
  readonly workerId: number;
  /** Sends a message. Does nothing after the end of the worker. */
  send(message: object): void;
}

/**
 * Runs tasks of workers in the primary, all with one module, whose state, such as a coalescer, the whole machine shares.
 * `setup` runs once, before the first task; `teardown` once, in `close()`. When a worker ends, its tasks are aborted.
 */
export class PrimarySessions {
  readonly #tasks: TaskModule<TaskMap> | undefined;
  readonly #peers = new Map<number, Map<number, Served>>();
  #setup: Promise<unknown> | undefined;

  constructor(tasks: TaskModule<TaskMap> | undefined) {
    this.#tasks = tasks;
  }

  receive(peer: Peer, message: ToPrimary): void {
    const { session, act } = message;
    if (act === 'open') this.#open(peer, session, message.module);
    else if (act === 'frames') this.#receive(peer, session, message.message);
    else this.#end(peer.workerId, session);
  }

  /** Aborts the tasks of a worker that has ended. */
  drop(workerId: number): void {
    for (const session of [...(this.#peers.get(workerId)?.keys() ?? [])]) {
      this.#end(workerId, session);
    }
    this.#peers.delete(workerId);
  }

  async close(): Promise<void> {
    for (const workerId of [...this.#peers.keys()]) this.drop(workerId);
    if (this.#setup === undefined) return;
    this.#setup = undefined;
    await this.#tasks?.hooks.teardown?.();
  }

  /** Gives a message to its session. A message that cannot be read ends its session, never the primary. */
  #receive(peer: Peer, session: number, message: unknown): void {
    const served = this.#peers.get(peer.workerId)?.get(session);
    if (served === undefined) return;
    let frames: ReturnType<typeof decodeToWorker>;
    try {
      frames = decodeToWorker(message);
    } catch {
      this.#end(peer.workerId, session);
      peer.send({ ticketing: fromPrimaryTag, session, act: 'closed' });
      return;
    }
    if (frames !== undefined) served.accept(frames);
  }

  #open(peer: Peer, session: number, module: string | undefined): void {
    const { workerId } = peer;
    const send = (message: FromPrimaryMessage): void =>
      peer.send({ ticketing: fromPrimaryTag, session, ...message });
    const tasks = module ?? this.#tasks;
    if (tasks === undefined) {
      send({ act: 'refused' });
      return;
    }
    const sessions = this.#peers.get(workerId) ?? new Map<number, Served>();
    this.#peers.set(workerId, sessions);
    const served = serveTasks({
      workerId,
      slot: 0,
      module: tasks,
      ...(module === undefined && { around: this.#shared }),
      post: (message) => send({ act: 'frames', message }),
      // Without a start journal: when the primary ends, its workers end too.
      claim: () => true,
      memoryBytes: () => process.memoryUsage.rss(),
      exit: () => {
        sessions.delete(session);
        send({ act: 'closed' });
      },
      transfers: false,
    });
    sessions.set(session, served);
  }

  #end(workerId: number, session: number): void {
    const served = this.#peers.get(workerId)?.get(session);
    this.#peers.get(workerId)?.delete(session);
    served?.abandon(
      new Error(`Task was aborted: worker ${workerId}, which asked for it, has ended`),
    );
  }

  /** Returns the hooks for a session. All sessions share one `setup`, because they are not separate workers. */
  readonly #shared = (hooks: TaskHooks): TaskHooks => ({
    setup: () => this.#setUpOnce(hooks),
    ...(hooks.health && { health: hooks.health }),
    ...(hooks.report && { report: hooks.report }),
  });

  #setUpOnce(hooks: TaskHooks): Promise<unknown> {
    if (this.#setup === undefined) {
      const setup = Promise.resolve({ workerId: 0, slot: 0, workerData: undefined }).then(
        hooks.setup,
      );
      this.#setup = setup;
      // The next session tries again.
      setup.catch(() => {
        if (this.#setup === setup) this.#setup = undefined;
      });
    }
    return this.#setup;
  }
}
