import type { NatsRefusal } from '../contract/host-event.ts';

/** Returns counts of refusals, by reason, none yet. */
export function noRefusals(): Record<NatsRefusal, number> {
  return { full: 0, leaving: 0, protocol: 0, v8: 0, tasks: 0 };
}
