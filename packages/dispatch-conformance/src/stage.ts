import { pathToFileURL } from 'node:url';
import type { Dispatcher, PoolOptions } from '@ticketing/dispatch';
import { createManualClock, type ManualClock, turns } from '@ticketing/test-kit';
import { conformanceModule, plannedStartModule } from './conformance-modules.ts';
import type { ConformanceSubject, CreateDispatcher } from './conformance-subject.ts';
import type { ConformanceTasks, StartPlan } from './conformance-task-map.ts';
import {
  assertAtRest,
  assertGone,
  assertNoListeners,
  assertNoMoreResources,
  countResources,
} from './nothing-left.ts';
import { createScratchFolder, type ScratchFolder } from './scratch-folder.ts';
import { listenForStrays, type Strays } from './strays.ts';
import { within } from './within.ts';

/** Unless a subject says otherwise. */
const LONGEST_MS = 50_000;
/** Of that, the part for `close()`, and for what the platform releases after it. */
const CLOSED_SHARE = 0.4;
const RELEASED_SHARE = 0.2;
const LOOK_MS = 10;

/** What a case works with, and what is asked of it at its end. */
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
  /** Sees workers that come and go in the meantime. */
  readonly #look: NodeJS.Timeout = setInterval(() => this.#notePids(), LOOK_MS).unref();

  constructor(subject: ConformanceSubject) {
    this.subject = subject;
    this.longestMs = subject.longestMs ?? LONGEST_MS;
  }

  /** A dispatcher with one worker unless told; it is closed at the end. */
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

  /** As {@link dispatcher}, once its workers take tasks. */
  async ready(options: PoolOptions = {}, module?: URL): Promise<Dispatcher<ConformanceTasks>> {
    const dispatcher = await this.dispatcher(options, module);
    await dispatcher.ready();
    return dispatcher;
  }

  /** The usual tasks, in workers that start as planned: a file, since not every transport passes on the query of a URL. */
  plannedModule(plan: StartPlan): URL {
    const lines = [
      `import { startAsPlanned } from ${JSON.stringify(plannedStartModule.href)};`,
      `export default startAsPlanned(${JSON.stringify(plan)});`,
    ];
    return pathToFileURL(this.scratch.write('planned.mjs', lines.join('\n')));
  }

  /** A controller whose signal must be without listeners at the end. */
  controller(): AbortController {
    const controller = new AbortController();
    this.#signals.push(controller.signal);
    return controller;
  }

  describe(): string {
    return this.#dispatchers.map((each) => JSON.stringify(each.stats())).join('\n');
  }

  /** Closes what is open, then looks at what is left. @throws Error for the first thing that should not be */
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
        // A rejection is told as unhandled only when the promise jobs are over.
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
