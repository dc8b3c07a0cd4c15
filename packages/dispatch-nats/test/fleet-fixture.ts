import { createInProcessDispatcher, defineTasks, type TaskContext } from '@ticketing/dispatch';
import { type EngineOptions, type EngineServer, startNatsServer } from '@ticketing/test-kit';
import {
  createNatsDispatcher,
  type NatsDispatcher,
  type NatsDispatcherOptions,
  type NatsHost,
  type ServeNatsTasksOptions,
  serveNatsTasks,
} from '../src/index.ts';

/** Tasks of a host, and their notes. */
export function makeTasks(name: string, notes: string[]) {
  const held = new Map<string, () => void>();
  const tasks = {
    echo: (value: unknown) => value,
    /** Name of the host that runs the task. */
    where: (mark: string) => {
      notes.push(`${mark} at ${name}`);
      return name;
    },
    bytes: (size: number) => Buffer.alloc(size, 7),
    size: (value: Uint8Array) => value.byteLength,
    told: (_: undefined, { metadata, deadline, attempt }: TaskContext) => ({
      metadata,
      attempt,
      leftMs: deadline === undefined ? undefined : deadline - Date.now(),
    }),
    /** Runs until it is let go or aborted, and notes both. */
    hold: (mark: string, { signal }: TaskContext) => {
      notes.push(`${mark} began`);
      return new Promise<string>((resolve, reject) => {
        held.set(mark, () => resolve(`${mark} at ${name}`));
        signal.addEventListener('abort', () => {
          notes.push(`${mark} aborted`);
          reject(signal.reason);
        });
      });
    },
    pause: (ms: number) => new Promise<string>((resolve) => setTimeout(resolve, ms, name)),
  };
  return { tasks, held };
}

export type FleetTasks = ReturnType<typeof makeTasks>['tasks'];

/** A host in this process, and its tasks. */
export interface StartedHost {
  readonly host: NatsHost;
  /** Lets a `hold` go. */
  letGo(mark: string): void;
  close(): Promise<void>;
}

/** A server of NATS, with hosts and dispatchers of one fleet. Closing it closes all. */
export interface TestFleet extends AsyncDisposable {
  readonly server: EngineServer;
  /** Notes of tasks. */
  readonly notes: string[];
  serve(
    name: string,
    options?: Partial<ServeNatsTasksOptions<FleetTasks>> & { readonly port?: number },
  ): Promise<StartedHost>;
  dispatch(
    options?: Partial<NatsDispatcherOptions> & { readonly port?: number },
  ): NatsDispatcher<FleetTasks>;
}

const taskNames = ['echo', 'where', 'bytes', 'size', 'told', 'hold', 'pause'] as const;

export async function startFleet(engine?: EngineOptions): Promise<TestFleet> {
  const server = await startNatsServer(engine);
  const notes: string[] = [];
  const closers: (() => Promise<unknown>)[] = [];
  const natsAt = (port = server.port) => ({ servers: `nats://127.0.0.1:${port}` });
  return {
    server,
    notes,
    async serve(name, { port, ...options } = {}) {
      const { tasks, held } = makeTasks(name, notes);
      const dispatcher = createInProcessDispatcher(defineTasks(tasks));
      const host = serveNatsTasks<FleetTasks>({
        nats: natsAt(port),
        fleet: 'test',
        hostId: name,
        dispatcher,
        tasks: taskNames,
        ...options,
      });
      const close = async () => {
        await host.close();
        await dispatcher.close();
      };
      closers.unshift(close);
      await host.ready();
      return {
        host,
        close,
        letGo(mark) {
          held.get(mark)?.();
          held.delete(mark);
        },
      };
    },
    dispatch({ port, ...options } = {}) {
      const dispatcher = createNatsDispatcher<FleetTasks>({
        nats: natsAt(port),
        fleet: 'test',
        // A busy machine may be silent for seconds, and its calls wait until it is not.
        missedBeats: 40,
        startTimeoutMs: 60_000,
        ...options,
      });
      closers.unshift(() => dispatcher.close());
      return dispatcher;
    },
    async [Symbol.asyncDispose]() {
      for (const close of closers) await close();
      await server.close();
    },
  };
}

/** Names of hosts that a dispatcher has sessions with, that take calls. */
export function hostsOf(dispatcher: NatsDispatcher<FleetTasks>): string[] {
  const workers = dispatcher.stats().workers.filter(({ state }) => state === 'ready');
  return workers.map(({ report }) => hostName((report as { host?: string })?.host)).sort();
}

/** The name without what is new at every start. */
export function hostName(id: string | undefined): string {
  return (id ?? '-').replace(/\.[a-z0-9]{8}$/, '');
}
