import type { RunFrame, ToWorker, Undecodable } from '@ticketing/dispatch/worker';

/** Items that a stream may have under way at most. */
const MAX_WINDOW = 65_536;

/** Whether a frame can be what a dispatcher has sent; the reader has checked that its numbers are numbers. */
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

/** The time left, on the clock of this machine. */
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
