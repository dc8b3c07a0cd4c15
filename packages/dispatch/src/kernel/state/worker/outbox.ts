import type { ToWorker } from '../../../contract/frames.ts';

/** Frames for one worker that wait to be sent. */
export class Outbox {
  /** True if the unsent frames will be sent in this turn. */
  isToBeSent = false;
  #frames: ToWorker[] = [];
  #since = 0;
  /** True if the latest frame to the worker has it poll. */
  #polls = false;

  get isEmpty(): boolean {
    return this.#frames.length === 0;
  }

  /** Milliseconds that the oldest frame has waited; 0 if there is none. */
  waitedMs(now: number): number {
    return this.#frames.length === 0 ? 0 : now - this.#since;
  }

  /** Adds a frame to the next message. */
  post(frame: ToWorker, now: number): void {
    if (this.#frames.length === 0) this.#since = now;
    this.#frames.push(frame);
  }

  /** Removes the frame of a call. @returns whether it was here */
  takeBack(seq: number): boolean {
    const index = this.#frames.findIndex((frame) => frame.kind === 'run' && frame.seq === seq);
    if (index < 0) return false;
    this.#frames.splice(index, 1);
    return true;
  }

  /** Removes the frames of all calls, and returns the numbers of those calls. */
  takeBackAll(): number[] {
    const seqs = this.#frames.flatMap((frame) => (frame.kind === 'run' ? frame.seq : []));
    if (seqs.length > 0) this.#frames = this.#frames.filter(({ kind }) => kind !== 'run');
    return seqs;
  }

  /** Removes and returns all frames, with one more if the worker is to change whether it polls. */
  take(polls: boolean): readonly ToWorker[] {
    const frames = this.#frames;
    this.#frames = [];
    if (polls !== this.#polls) {
      this.#polls = polls;
      frames.push({ kind: 'poll', on: polls });
    }
    return frames;
  }
}
