import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, context } from '@opentelemetry/api';
import type { Subscriptions } from './channels.ts';

interface Bound {
  readonly context: Context;
  /** Context that was active around the span: while it is active, no span of others was opened. */
  readonly around: Context;
}

/**
 * Carries the context of our spans to what runs inside them: in a storage of its own, so that our spans always have their
 * parents, and in that of the program's context manager where it is known, so that the spans of others have them too.
 */
export class ActiveContext {
  readonly #own = new AsyncLocalStorage<Bound>();
  readonly #managers: AsyncLocalStorage<Context> | undefined;

  constructor(managers: AsyncLocalStorage<Context> | undefined) {
    this.#managers = managers;
  }

  /** Returns the context in which a span that starts now belongs. */
  current(): Context {
    const active = context.active();
    const bound = this.#own.getStore();
    return bound !== undefined && bound.around === active ? bound.context : active;
  }

  /** Runs what a tracing channel traces in the context for its message. `contextOf` is called once for each message. */
  bind<M extends object>(
    subscriptions: Subscriptions,
    name: string,
    contextOf: (message: M) => Context,
  ): void {
    const contexts = new WeakMap<M, Context>();
    const once = (message: M): Context => {
      const known = contexts.get(message);
      if (known !== undefined) return known;
      const made = contextOf(message);
      contexts.set(message, made);
      return made;
    };
    subscriptions.bind<M, Bound>(name, this.#own, (message) => {
      // The context manager's storage may have it already: the spans of others are told apart by what they find around them.
      const made = once(message);
      return { context: made, around: context.active() };
    });
    if (this.#managers !== undefined) subscriptions.bind(name, this.#managers, once);
  }
}

/**
 * Returns the storage of the global context manager; `undefined` if it is not to be found. There is no public way to it:
 * https://github.com/open-telemetry/opentelemetry-js/issues/6088
 */
export function storageOfContextManager(): AsyncLocalStorage<Context> | undefined {
  try {
    const { _getContextManager } = context as unknown as {
      _getContextManager?(): { readonly _asyncLocalStorage?: unknown };
    };
    const storage = _getContextManager?.call(context)._asyncLocalStorage;
    return storage instanceof AsyncLocalStorage ? storage : undefined;
  } catch {
    return undefined;
  }
}
