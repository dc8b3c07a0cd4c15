import {
  type BroadcastOptions,
  type BroadcastOutcome,
  type Dispatcher,
  type MapOptions,
  type MapOutcome,
  type MapSource,
  mapByRun,
  type RunOptions,
  type StreamOptions,
  type TaskMap,
} from '@ticketing/dispatch';
import { type Rule, withMethods } from '@ticketing/kit';

/** Dispatcher whose tasks are known by their names alone. */
export interface UntypedDispatcher
  extends Omit<Dispatcher<TaskMap>, 'run' | 'map' | 'stream' | 'broadcast'>,
    MapSource {
  run(task: string, input?: unknown, options?: RunOptions): Promise<unknown>;
  map(
    task: string,
    inputs: Iterable<unknown> | AsyncIterable<unknown>,
    options?: MapOptions,
  ): AsyncIterable<MapOutcome<unknown, unknown>>;
  stream(
    task: string,
    input?: unknown,
    options?: StreamOptions,
  ): AsyncIterableIterator<unknown, undefined>;
  broadcast(
    task: string,
    input?: unknown,
    options?: BroadcastOptions,
  ): Promise<BroadcastOutcome<unknown>[]>;
}

/** Rule of an argument that is to be wrapped. */
export const aDispatcher: Rule = withMethods('run', 'map', 'capacity', 'stats', 'drain', 'close');

/**
 * Returns a dispatcher with the members of `own`, and all others passed on to `dispatcher`. Its `map` makes its own calls.
 *
 * @param lastName name of the dispatcher that refuses calls at last, if it is another
 */
export function wrapDispatcher(
  dispatcher: UntypedDispatcher,
  own: Partial<UntypedDispatcher>,
  lastName?: string,
): UntypedDispatcher {
  const passedOn: UntypedDispatcher = {
    kind: dispatcher.kind,
    capabilities: dispatcher.capabilities,
    get state() {
      return dispatcher.state;
    },
    get mostHeld() {
      return dispatcher.mostHeld;
    },
    get ending() {
      return dispatcher.ending;
    },
    ready: () => dispatcher.ready(),
    run: (...call) => dispatcher.run(...call),
    map: (task, inputs, options) =>
      mapByRun(wrapper, { dispatcher, task, inputs, options, lastName }),
    stream: (...call) => dispatcher.stream(...call),
    broadcast: (...call) => dispatcher.broadcast(...call),
    capacity: (...wait) => dispatcher.capacity(...wait),
    stats: () => dispatcher.stats(),
    reload: (options) => dispatcher.reload(options),
    drain: (options) => dispatcher.drain(options),
    close: (options) => dispatcher.close(options),
    [Symbol.asyncDispose]: () => wrapper.close(),
  };
  // Copied by descriptor: `state` is a getter.
  const wrapper: UntypedDispatcher = Object.defineProperties(
    passedOn,
    Object.getOwnPropertyDescriptors(own),
  );
  return wrapper;
}
