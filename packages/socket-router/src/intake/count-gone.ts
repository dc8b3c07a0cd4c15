import { routerChannel } from '../contract/router-channel.ts';
import type { GoneMessage } from '../contract/socket-router-messages.ts';
import type { IntakeDependencies } from './intake.ts';

const goneChannel = routerChannel('ticketing:socket-router:gone');

/** Counts a client that left before a worker took its connection or request. */
export function countGone(
  { count }: Pick<IntakeDependencies, 'count'>,
  kind: GoneMessage['kind'],
): void {
  count('gone');
  if (goneChannel.hasSubscribers) goneChannel.publish({ kind });
}
