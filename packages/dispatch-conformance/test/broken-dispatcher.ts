import {
  createInProcessDispatcher,
  type Dispatcher,
  type PoolOptions,
  type RunOptions,
  type TaskModule,
} from '@ticketing/dispatch';
import {
  type ConformanceSubject,
  type ConformanceTasks,
  conformanceCases,
} from '@ticketing/dispatch-conformance';

type Good = Dispatcher<ConformanceTasks>;
type AnyRun = (task: string, input: unknown, options?: RunOptions) => Promise<unknown>;

/** Parts of a dispatcher that a breakage replaces. */
export interface Breakage {
  readonly options?: (options: PoolOptions) => PoolOptions;
  readonly run?: (run: AnyRun, ...call: Parameters<AnyRun>) => Promise<unknown>;
  readonly others?: (good: Good) => Partial<Record<keyof Good, unknown>>;
}

const capabilities = {
  isolation: 'none',
  hardKill: false,
  transfer: false,
  streams: true,
} as const;

/** The in-process dispatcher. */
export const inProcessSubject: ConformanceSubject = {
  ...brokenSubject({}),
  longestMs: 50_000,
};

/** The in-process dispatcher, but for a breakage. */
export function brokenSubject({ options: change, run, others }: Breakage): ConformanceSubject {
  return {
    kind: 'in-process',
    capabilities,
    // Short limits, so that a hanging case fails soon.
    longestMs: 6000,
    async create(module, options) {
      const loaded = (await import(module.href)) as { default: TaskModule<ConformanceTasks> };
      const good = createInProcessDispatcher(loaded.default, change?.(options) ?? options);
      const goodRun = good.run.bind(good) as AnyRun;
      const broken: Partial<Record<keyof Good, unknown>> = {
        ...(run && { run: (...call: Parameters<AnyRun>) => run(goodRun, ...call) }),
        ...others?.(good),
      };
      return new Proxy(good, {
        get(target, key) {
          if (Object.hasOwn(broken, key)) return broken[key as keyof Good];
          const member: unknown = Reflect.get(target, key, target);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
    },
  };
}

/** Runs one case. @throws Error if there is none of that name, or what the case throws */
export async function runCase(subject: ConformanceSubject, name: string): Promise<void> {
  const found = conformanceCases(subject).find((each) => each.name === name);
  if (found === undefined) throw new Error(`Cannot run case: unknown case \`${name}\``);
  await found.run();
}
