import type { FromWorker, ToWorker } from '@ticketing/dispatch/transport';

/** The items that a host may send of each stream, by the credit that it was given: what comes beyond it was not asked for. */
export class StreamRooms {
  readonly #rooms = new Map<number, number>();

  /** Notes a frame that is sent. */
  sent(frame: ToWorker): void {
    if (frame.kind === 'run' && frame.credit !== undefined) {
      this.#rooms.set(frame.seq, frame.credit);
    } else if (frame.kind === 'credit') {
      const room = this.#rooms.get(frame.seq);
      if (room !== undefined) this.#rooms.set(frame.seq, room + frame.items);
    }
  }

  /** Notes a frame that came. @returns whether there was room for it */
  came(frame: FromWorker): boolean {
    switch (frame.kind) {
      case 'item': {
        const room = this.#rooms.get(frame.seq) ?? 0;
        this.#rooms.set(frame.seq, room - 1);
        return room > 0;
      }
      // The host has nothing more to do with the call.
      case 'done':
      case 'failed':
      case 'lost':
      case 'dropped':
      case 'busy':
        this.#rooms.delete(frame.seq);
        return true;
      default:
        return true;
    }
  }
}
