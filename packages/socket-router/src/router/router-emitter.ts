import { channel } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import type { RouterEvents } from '../contract/socket-router.ts';

type Listener<E extends keyof RouterEvents> = (data: RouterEvents[E]) => void;

const CHANNELS = Object.fromEntries(
  (
    [
      'refused',
      'rerouted',
      'worker-stuck',
      'worker-replaced',
      'worker-down',
      'worker-ready',
    ] as const
  ).map((event) => [event, channel(`ticketing:socket-router:${event}`)]),
) as Record<keyof RouterEvents, ReturnType<typeof channel>>;

/** Tells an event to the router's listeners and to the process's diagnostics channel of its name. */
export class RouterEmitter {
  readonly #emitter = new EventEmitter();

  on<E extends keyof RouterEvents>(event: E, listener: Listener<E>): void {
    this.#emitter.on(event, listener);
  }

  off<E extends keyof RouterEvents>(event: E, listener: Listener<E>): void {
    this.#emitter.off(event, listener);
  }

  emit<E extends keyof RouterEvents>(event: E, data: RouterEvents[E]): void {
    if (CHANNELS[event].hasSubscribers) CHANNELS[event].publish(data);
    this.#emitter.emit(event, data);
  }
}
