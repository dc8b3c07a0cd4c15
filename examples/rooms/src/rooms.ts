// Which process has which room: the router asks, for each connection.
import { createHash } from 'node:crypto';

/** The slots of today's version. `forkWorkers` names them: a prefix and a number from 0. */
export const stable = { slotPrefix: 'stable-', workers: 3 } as const;
/** One more process, with the next version. */
export const canary = { slotPrefix: 'canary-', workers: 1 } as const;

export const stableSlots: readonly string[] = Array.from(
  { length: stable.workers },
  (_, index) => `${stable.slotPrefix}${index}`,
);

/** Returns the room that a request is for: `/rooms/kitchen`. */
export function roomOf(target = ''): string | undefined {
  return /^\/rooms\/([\w-]{1,64})$/.exec(target)?.[1];
}

/**
 * Returns the slot of a room, the same for all members. One room in twenty is in the canary: rooms, not members, or a room
 * would be in two processes.
 */
export function slotOf(room: string): string {
  const hash = createHash('sha256').update(room).digest().readUInt32BE();
  if (hash % 20 === 0) return `${canary.slotPrefix}0`;
  return stableSlots[hash % stableSlots.length] as string;
}
