import type { FromWorker } from '@ticketing/dispatch/transport';
import type { Opened, Opening } from '../fleet/announcement.ts';
import type { KnownHost } from '../fleet/fleet.ts';
import { Liveness } from '../link/liveness.ts';
import type { SessionChannel } from '../link/session-channel.ts';
import { Questions } from './questions.ts';
import { StreamRooms } from './session-frames.ts';

/** Session that a host has opened. Written by the functions of this file alone. */
export interface OpenSession {
  readonly kind: 'open';
  readonly host: KnownHost;
  readonly channel: SessionChannel;
  readonly liveness: Liveness;
  readonly questions: Questions;
  /** True if the host knows the frames of streams. */
  readonly streams: boolean;
  readonly rooms: StreamRooms;
  isReady: boolean;
  /** Most calls that the host lets this dispatcher have. */
  credit: number;
  /** True if the host has refused a call for lack of room, and has not reported room since. */
  isRefused: boolean;
  /** Latest round trip in milliseconds. */
  rttMs: number | undefined;
}

/** Returns the session of an opening that the host has answered. */
export function openSession(
  host: KnownHost,
  {
    channel,
    answer,
    opening,
    now,
  }: {
    readonly channel: SessionChannel;
    readonly answer: Extract<Opened, { ok: true }>;
    readonly opening: Pick<Opening, 'beatMs' | 'missedBeats'>;
    readonly now: number;
  },
): OpenSession {
  const { beatMs, missedBeats } = opening;
  // A host that lives answers within a beat. Without calls and questions it may be silent.
  const limits = { beatMs, missedBeats, idleMs: Number.POSITIVE_INFINITY, graceMs: beatMs };
  const liveness = new Liveness(limits, now);
  return {
    kind: 'open',
    host,
    channel,
    liveness,
    questions: new Questions(liveness, opening, now),
    streams: answer.streams,
    rooms: new StreamRooms(),
    isReady: false,
    credit: answer.window,
    isRefused: false,
    rttMs: undefined,
  };
}

/** Notes the facts about the host in one of its frames. */
export function noteFrame(session: OpenSession, frame: FromWorker): void {
  if (frame.kind === 'busy') session.isRefused = true;
  else if (frame.kind === 'ready') session.isReady = true;
  else if (frame.kind === 'room') {
    session.credit = frame.window;
    session.isRefused = false;
  }
}

/** Notes the time in which the host has answered a question. */
export function noteRoundTrip(session: OpenSession, ms: number): void {
  session.rttMs = ms;
}
