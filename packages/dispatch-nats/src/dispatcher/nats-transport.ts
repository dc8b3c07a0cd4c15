import type { Transport } from '@ticketing/dispatch/transport';
import { FleetSessions, type TransportOptions } from './fleet-sessions.ts';

/** Transport of the kernel whose workers are sessions with hosts. */
export interface NatsTransport extends Transport {
  readonly sessions: FleetSessions;
}

/** Creates a transport, which connects at once. */
export function createNatsTransport(options: TransportOptions): NatsTransport {
  const sessions = new FleetSessions(options);
  return {
    kind: 'nats',
    capabilities: { isolation: 'process', hardKill: false, transfer: false, streams: true },
    mayDifferInSpeed: true,
    extraFrames: ['busy', 'keys-only', 'lost', 'report', 'room'],
    // Bounds above any that a host grants: the host's own limit applies.
    autoWindow: { first: 65_536, max: 65_536 },
    sessions,
    spawn: (start, events) => sessions.spawn(start, events),
    homeOf: (key, workerIds) => sessions.homeOf(key, workerIds),
    whyUnready: () => sessions.whyUnready(),
    close: () => sessions.close(),
  };
}
