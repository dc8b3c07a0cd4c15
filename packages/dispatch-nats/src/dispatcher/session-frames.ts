import { DispatchError } from '@ticketing/dispatch';
import type { FromWorker, ToWorker, Unsent } from '@ticketing/dispatch/transport';
import type { NatsLossSign, NatsWorkerReport } from '../contract.ts';
import type { KnownHost } from '../fleet/fleet.ts';

/** Whether the caller of a frame has set a limit. */
export function hasDeadline(frame: ToWorker): boolean {
  return frame.kind === 'run' && frame.deadline !== undefined;
}

/** Clocks of two machines are never compared: the host adds the time left to its own. */
export function withTimeLeft(frame: ToWorker): ToWorker {
  if (frame.kind !== 'run' || frame.deadline === undefined) return frame;
  return { ...frame, deadline: Math.max(0, frame.deadline - Date.now()) };
}

/** Whether a frame begins a stream. */
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
  const why = `host ${host} has an older version of @ticketing/dispatch-nats, without streams`;
  return new DispatchError('ERR_UNKNOWN_TASK', `Cannot stream task \`${task}\`: ${why}`, {
    data: { name: `host ${host}`, task },
  });
}

/** Whether the kernel can apply a frame; what its cells are is checked by the reader. */
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

/** The cause of a worker's end. */
export function lostHost(host: string, sign: NatsLossSign): Error {
  return new Error(`Lost host ${host}: ${signs[sign]}`);
}

/** Whether a frame says that the host takes no more calls, and waits for the answer that none is on its way. */
export function isFarewell(frame: FromWorker): boolean {
  return frame.kind === 'busy' && frame.seq === 0;
}

/** Returns what a worker reports of its host. */
export function reportOf(
  known: KnownHost | undefined,
  figures: Pick<NatsWorkerReport, 'rttMs' | 'credit'>,
): FromWorker {
  const { id: host, zone, revision } = known?.announcement ?? {};
  const data: NatsWorkerReport = { host, zone, revision, ...figures };
  return { kind: 'report', data, worked: true };
}

/** Returns what the kernel is told when a host is ready: a call may also be for a task that another host has. */
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
        if (room > 0) this.#rooms.set(frame.seq, room - 1);
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
