import type { RunFrame, ToWorker, Undecodable } from '@ticketing/dispatch/worker';

/** Most items of a stream that may be under way. */
const MAX_WINDOW = 65_536;

/** Returns true for a frame that a dispatcher may have sent; the reader has checked that its numbers are numbers. */
export function isSound(frame: ToWorker | Undecodable): boolean {
  switch (frame.kind) {
    case 'run':
      return Number.isSafeInteger(frame.seq) && isSoundRun(frame);
    case 'undecodable':
      return Number.isSafeInteger(frame.seq);
    case 'credit':
      return isWindow(frame.items);
    default:
      return true;
  }
}

/** Sets the deadline by the time left and the clock of this machine. */
export function withDeadline(frame: RunFrame, leftMs: number): RunFrame {
  return { ...frame, deadline: Date.now() + leftMs };
}

function isSoundRun({ task, metadata, deadline, credit }: RunFrame): boolean {
  if (typeof task !== 'string') return false;
  if (deadline !== undefined && typeof deadline !== 'number') return false;
  if (credit !== undefined && !isWindow(credit)) return false;
  if (metadata === undefined) return true;
  if (typeof metadata !== 'object' || Array.isArray(metadata)) return false;
  return Object.values(metadata).every((text) => typeof text === 'string');
}

function isWindow(items: number): boolean {
  return Number.isSafeInteger(items) && items >= 1 && items <= MAX_WINDOW;
}
