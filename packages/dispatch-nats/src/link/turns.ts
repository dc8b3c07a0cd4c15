/** Most bytes that the client has and the server has not confirmed: messages of other sessions wait behind no more. */
const UNCONFIRMED_BYTES = 1024 * 1024;

/** A sender of pieces. */
export interface Lane {
  /** Sends the next piece. @returns its number of bytes; 0 if none is left */
  sendPiece(): number;
}

/**
 * Lets lanes send large messages in turns, one piece each, and no faster than the server takes them: beats and small messages of
 * other sessions go between them.
 */
export class Turns {
  readonly #lanes = new Set<Lane>();
  readonly #flush: () => Promise<void>;
  #isSending = false;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** Gives a lane turns until it has no pieces left. */
  add(lane: Lane): void {
    this.#lanes.add(lane);
    if (!this.#isSending) void this.#send();
  }

  remove(lane: Lane): void {
    this.#lanes.delete(lane);
  }

  clear(): void {
    this.#lanes.clear();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    let unconfirmed = 0;
    while (this.#lanes.size > 0) {
      for (const lane of [...this.#lanes]) {
        if (!this.#lanes.has(lane)) continue;
        const bytes = lane.sendPiece();
        if (bytes === 0) this.#lanes.delete(lane);
        unconfirmed += bytes;
        if (unconfirmed < UNCONFIRMED_BYTES) continue;
        await this.#flush();
        unconfirmed = 0;
      }
    }
    this.#isSending = false;
  }
}
