import { DispatchError } from '@ticketing/dispatch';
import type { FromWorker, ToWorker, Unsent } from '@ticketing/dispatch/transport';
import type { NatsWorkerReport } from '../contract/dispatcher.ts';
import type { NatsLossSign } from '../contract/host-event.ts';
import type { KnownHost } from '../fleet/fleet.ts';

/** Returns true for a call with a deadline. */
export function hasDeadline(frame: ToWorker): boolean {
  return frame.kind === 'run' && frame.deadline !== undefined;
}

/** Replaces a deadline by the time left, which the host adds to its own clock: clocks of two machines are never compared. */
export function withTimeLeft(frame: ToWorker): ToWorker {
  if (frame.kind !== 'run' || frame.deadline === undefined) return frame;
  return { ...frame, deadline: Math.max(0, frame.deadline - Date.now()) };
}

/** Returns true for a frame that begins a stream. */
export function isStream(frame: ToWorker): boolean {
  return frame.kind === 'run' && frame.credit !== undefined;
}

/** Refuses streams for a host of an older version. */
export function withoutStreams(frames: readonly ToWorker[], host: string): readonly Unsent[] {
  return frames.flatMap((frame) =>
    frame.kind === 'run' && isStream(frame)
      ? [{ seq: frame.seq, error: noStreams(frame.task, host) }]
      : [],
  );
}

function noStreams(task: string, host: string): DispatchError {
  const why = `host ${host} has an older version of @ticketing/dispatch-nats, without streams; update it`;
  return new DispatchError('ERR_UNKNOWN_TASK', `Cannot stream task \`${task}\`: ${why}`, {
    data: { name: `host ${host}`, task },
  });
}

/** Returns true for a frame that the kernel can apply; the reader has checked the types of its values. */
export function isSound(frame: FromWorker): boolean {
  return frame.kind !== 'room' || frame.window >= 1;
}

const signs: Readonly<Record<NatsLossSign, string>> = {
  'no-responders': 'it has left NATS',
  silence: 'its beats are missing',
  disconnect: 'the connection to NATS broke',
  gap: 'a message is missing',
  malformed: 'a message could not be read',
  ended: 'it has ended the session',
};

/** Returns the cause of a worker's end. */
export function lostHost(host: string, sign: NatsLossSign): Error {
  return new Error(`Lost host ${host}: ${signs[sign]}`);
}

/** Returns true for the frame by which a host refuses further calls, and waits for a confirmation that no call is on its way. */
export function isFarewell(frame: FromWorker): boolean {
  return frame.kind === 'busy' && frame.seq === 0;
}

/** Returns a worker's report about its host. */
export function reportOf(
  known: KnownHost | undefined,
  figures: Pick<NatsWorkerReport, 'rttMs' | 'credit'>,
): FromWorker {
  const { id: host, zone, revision } = known?.announcement ?? {};
  const data: NatsWorkerReport = { host, zone, revision, ...figures };
  return { kind: 'report', data, worked: true };
}

/** Returns the frames for the kernel when a host is ready, with the tasks of all hosts: a call may be for a task of another one. */
export function readied(
  { tasks }: Extract<FromWorker, { kind: 'ready' }>,
  others: readonly string[],
  window: number,
): FromWorker[] {
  return [
    { kind: 'ready', tasks: [...new Set([...tasks, ...others])] },
    { kind: 'room', window },
  ];
}

/** Number of items that a host may still send of each stream, by the credit that it was given. */
export class StreamRooms {
  readonly #rooms = new Map<number, number>();

  /** Notes a frame to the host. */
  sent(frame: ToWorker): void {
    if (frame.kind === 'run' && frame.credit !== undefined) {
      this.#rooms.set(frame.seq, frame.credit);
    } else if (frame.kind === 'credit') {
      const room = this.#rooms.get(frame.seq);
      if (room !== undefined) this.#rooms.set(frame.seq, room + frame.items);
    }
  }

  /** Notes a frame of the host. @returns false for an item beyond the credit */
  came(frame: FromWorker): boolean {
    switch (frame.kind) {
      case 'item': {
        const room = this.#rooms.get(frame.seq) ?? 0;
        if (room > 0) this.#rooms.set(frame.seq, room - 1);
        return room > 0;
      }
      // The call has ended for the host.
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
