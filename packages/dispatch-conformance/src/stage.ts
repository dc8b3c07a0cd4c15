import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Capabilities, Dispatcher, PoolOptions } from '@ticketing/dispatch';
import { createManualClock, type ManualClock, turns, until } from '@ticketing/test-kit';
import { conformanceModule, plannedStartModule } from './conformance-modules.ts';
import type { ConformanceTasks, StartPlan } from './conformance-task-map.ts';
import {
  assertAtRest,
  assertGone,
  assertNoListeners,
  assertNoMoreResources,
  countResources,
  listenForStrays,
  type Strays,
  within,
} from './nothing-left.ts';

/** Creates a dispatcher over the tasks of a module. Rejects or throws with the error of the dispatcher's creation. */
export type CreateDispatcher = (
  module: URL,
  options: PoolOptions,
) => Dispatcher<ConformanceTasks> | Promise<Dispatcher<ConformanceTasks>>;

/** Functions that create dispatchers whose workers are hosts that others use too. Cases that need an absent function are skipped. */
export interface FleetSubject {
  /** Creates a dispatcher whose workers hold at most `capacity` calls, fewer than the window, and return any others. */
  readonly createWithCapacity?: (
    module: URL,
    options: PoolOptions,
    capacity: number,
  ) => ReturnType<CreateDispatcher>;
  /** Creates a dispatcher whose calls have at most about `bytes` bytes, either way. */
  readonly createWithLimit?: (
    module: URL,
    options: PoolOptions,
    bytes: number,
  ) => ReturnType<CreateDispatcher>;
  /** Creates a dispatcher whose fleet has no host. */
  readonly createWithoutHost?: CreateDispatcher;
}

/** Kind of dispatcher under test. */
export interface ConformanceSubject {
  readonly kind: string;
  /** Capabilities of the dispatchers that `create` makes. Cases that need more are skipped. */
  readonly capabilities: Capabilities;
  readonly create: CreateDispatcher;
  /** True if inputs and results are copied on their way. Default: `capabilities.isolation` is not `none`. */
  readonly copies?: boolean;
  /** True if the dispatcher's workers return calls that they have not begun. Default `false`: cases that need it are skipped. */
  readonly reclaims?: boolean;
  /** True if the dispatcher's workers get the option `workerData` of the pool; hosts on other machines start workers of their own. Default `true`. */
  readonly givesWorkerData?: boolean;
  /** Functions for transports whose workers are shared with other dispatchers. Default: none, because they are not shared. */
  readonly fleet?: FleetSubject;
  /** Creates a dispatcher whose workers have a heap of some 64 MB. Without it the case that exhausts the memory is skipped. */
  readonly createWithSmallHeap?: CreateDispatcher;
  /**
   * Most milliseconds of a case, only to end a case that hangs: a busy machine starts processes slowly. A fifth of it is for
   * resources that a closed dispatcher releases. Default 50,000.
   */
  readonly longestMs?: number;
}

const LONGEST_MS = 50_000;
/** Share of `longestMs` for `close()`. */
const CLOSED_SHARE = 0.4;
/** Share of `longestMs` for resources that the platform releases after `close()`. */
const RELEASED_SHARE = 0.2;
const LOOK_MS = 10;

/** Equipment of a case, and the checks at its end. */
export class Stage {
  readonly subject: ConformanceSubject;
  readonly longestMs: number;
  readonly scratch: ScratchFolder = createScratchFolder();
  readonly clock: ManualClock = createManualClock();
  readonly #resources = countResources();
  readonly #strays: Strays = listenForStrays();
  readonly #dispatchers: Dispatcher<ConformanceTasks>[] = [];
  readonly #signals: AbortSignal[] = [];
  readonly #pids = new Set<number>();
  /** Timer that notes workers which come and go between the other calls. */
  readonly #look: NodeJS.Timeout = setInterval(() => this.#notePids(), LOOK_MS).unref();

  constructor(subject: ConformanceSubject) {
    this.subject = subject;
    this.longestMs = subject.longestMs ?? LONGEST_MS;
  }

  /** Creates a dispatcher, with one worker by default; the stage closes it at the end. */
  async dispatcher(
    options: PoolOptions = {},
    module: URL = conformanceModule,
    create: CreateDispatcher = this.subject.create,
  ): Promise<Dispatcher<ConformanceTasks>> {
    const dispatcher = await create(module, { max: 1, ...options });
    this.#dispatchers.push(dispatcher);
    this.#notePids();
    return dispatcher;
  }

  /** Creates a dispatcher by {@link dispatcher}, and waits until its workers take tasks. */
  async ready(options: PoolOptions = {}, module?: URL): Promise<Dispatcher<ConformanceTasks>> {
    const dispatcher = await this.dispatcher(options, module);
    await dispatcher.ready();
    return dispatcher;
  }

  /** Returns a module of the usual tasks whose workers start as planned: a file, because some transports drop the query of a URL. */
  plannedModule(plan: StartPlan): URL {
    const lines = [
      `import { startAsPlanned } from ${JSON.stringify(plannedStartModule.href)};`,
      `export default startAsPlanned(${JSON.stringify(plan)});`,
    ];
    return pathToFileURL(this.scratch.write('planned.mjs', lines.join('\n')));
  }

  /** Creates a controller whose signal must have no listeners at the end. */
  controller(): AbortController {
    const controller = new AbortController();
    this.#signals.push(controller.signal);
    return controller;
  }

  describe(): string {
    return this.#dispatchers.map((each) => JSON.stringify(each.stats())).join('\n');
  }

  /** Closes the dispatchers, then checks that nothing is left. @throws Error for the first worker, handle or listener that is */
  async clear(): Promise<void> {
    const releasedMs = RELEASED_SHARE * this.longestMs;
    try {
      this.#notePids();
      const closing = Promise.all(this.#dispatchers.map((dispatcher) => dispatcher.close()));
      await within(
        CLOSED_SHARE * this.longestMs,
        () => `the end of close() (${this.describe()})`,
        closing,
      );
    } finally {
      clearInterval(this.#look);
      this.scratch.remove();
      await assertGone(this.#pids, releasedMs).finally(async () => {
        // A rejection is reported as unhandled only after the microtasks.
        await turns();
        this.#strays.stop();
      });
    }
    for (const dispatcher of this.#dispatchers) assertAtRest(dispatcher);
    assertNoListeners(this.#signals);
    await assertNoMoreResources(this.#resources, releasedMs);
  }

  #notePids(): void {
    for (const dispatcher of this.#dispatchers) {
      for (const { pid } of dispatcher.stats().workers) {
        if (pid !== undefined && pid !== process.pid) this.#pids.add(pid);
      }
    }
  }
}

/** Files through which a case and its tasks communicate, even after a worker is blocked or has ended. */
interface ScratchFolder {
  path(name: string): string;
  /** Creates an empty file. */
  touch(name: string): void;
  /** Writes a file. @returns its path */
  write(name: string, text: string): string;
  /** Returns the lines of a file; none if there is no file. */
  lines(name: string): readonly string[];
  /** Resolves when a file has this many lines. */
  reached(name: string, lines: number): Promise<void>;
  remove(): void;
}

function createScratchFolder(): ScratchFolder {
  const folder = mkdtempSync(join(tmpdir(), 'dispatch-conformance-'));
  const path = (name: string): string => join(folder, name);
  const lines = (name: string): readonly string[] =>
    existsSync(path(name)) ? readFileSync(path(name), 'utf8').split('\n').slice(0, -1) : [];
  return {
    path,
    lines,
    write(name, text) {
      writeFileSync(path(name), text);
      return path(name);
    },
    touch: (name) => writeFileSync(path(name), ''),
    reached: (name, count) => until(() => lines(name).length >= count, `${count} lines in ${name}`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
