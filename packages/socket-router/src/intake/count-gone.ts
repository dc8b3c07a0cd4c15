import { channel } from 'node:diagnostics_channel';
import type { IntakeDependencies } from './intake.ts';

/** `{ kind }` of a client that left before a worker took its connection or request. */
const goneChannel = channel('ticketing:socket-router:gone');

/** Counts a client that left before a worker took its connection or request. */
export function countGone(
  { count }: Pick<IntakeDependencies, 'count'>,
  kind: 'connection' | 'request',
): void {
  count('gone');
  if (goneChannel.hasSubscribers) goneChannel.publish({ kind });
}
