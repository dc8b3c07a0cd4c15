import type { NatsMessage } from '../contract/nats-like.ts';
import type { NatsLink } from '../link/nats-link.ts';

/** True for the answer of the server of NATS that no client has subscribed to the subject of a message. */
export function isUnheard({ data, headers }: NatsMessage): boolean {
  return data.byteLength === 0 && headers?.code === 503;
}

/**
 * Search of a dispatcher for hosts, while it has none: decides from when on it is in vain. Hosts that exist announce themselves soon
 * after the connection came; after a break it comes back soon. The server of NATS reports at once that there are none.
 */
export class HostSearch {
  readonly #graceMs: number;
  /** Time at which the connection came or broke; undefined before. */
  #since: number | undefined;
  /** True if the server has reported that no host listens, and none has announced itself since. */
  #isAlone = false;

  /** @param graceMs - milliseconds in which hosts announce themselves, or a broken connection comes back */
  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  /** The connection has come, so hosts are asked to announce themselves; or it has broken. */
  begin(now: number): void {
    this.#since = now;
    this.#isAlone = false;
  }

  /** The server has reported that no host listens. */
  foundNone(): void {
    this.#isAlone = true;
  }

  /** A host has announced itself. */
  foundOne(): void {
    this.#isAlone = false;
  }

  /**
   * Returns true if no host will soon take calls.
   *
   * @param hasHope - whether a host is known that may open a session
   */
  isInVain(
    now: number,
    { state, lastError }: Pick<NatsLink, 'state' | 'lastError'>,
    hasHope: boolean,
  ): boolean {
    const isOver = this.#since !== undefined && now - this.#since >= this.#graceMs;
    switch (state) {
      case 'connecting':
        return lastError !== undefined;
      case 'cut-off':
        return isOver;
      case 'connected':
        return !hasHope && (this.#isAlone || isOver);
      case 'closed':
        return true;
    }
  }
}
