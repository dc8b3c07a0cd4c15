import v8 from 'node:v8';
import { isIdentity } from './subjects.ts';

/** Version of the messages of sessions. */
export const PROTOCOL = 1;
/** Version of the format of `v8.serialize`, in which values are sent. */
export const V8_FORMAT: number = v8.serialize(undefined)[1] as number;

/** Message of a host to all dispatchers. */
export interface Announcement {
  readonly protocol: number;
  readonly v8: number;
  readonly id: string;
  readonly zone: string | undefined;
  readonly revision: string | undefined;
  readonly tasks: readonly string[];
  readonly capacity: number;
  readonly state: 'serving' | 'leaving' | 'closed';
  /** Milliseconds within which the next announcement comes. */
  readonly withinMs: number;
}

/** Request of a dispatcher to open a session with a host. */
export interface Opening {
  readonly protocol: number;
  readonly v8: number;
  /** Id of the dispatcher. */
  readonly dispatcher: string;
  /** Number of the session, unique within the dispatcher. */
  readonly session: number;
  readonly beatMs: number;
  readonly missedBeats: number;
  /** Number of hosts that the dispatcher knows. */
  readonly hosts: number;
  /** Most milliseconds between two messages of the dispatcher while it has no calls. */
  readonly idleMs: number;
  readonly maxMessageBytes: number;
  /** Address of a module that the host runs instead of its own tasks, for the conformance suite. */
  readonly module: string | undefined;
}

/** Answer of a host to an opening. */
export type Opened = { readonly host: string } & (
  | {
      readonly ok: true;
      readonly window: number;
      readonly maxMessageBytes: number;
      /** True if the host knows the frames of streams: a host of an older version would end the session. */
      readonly streams: boolean;
    }
  | { readonly ok: false; readonly reason: 'full' | 'leaving' | 'protocol' | 'v8' }
);

const MAX_TASKS = 10_000;
const MAX_IDLE_MS = 86_400_000;
/** Default of `withinMs`, for a host that does not send it. */
const WITHIN_MS = 13_000;
/** Most bytes of an announcement, an opening or its answer; larger ones are not read. */
export const MAX_JSON_BYTES: number = 512 * 1024;

/** Returns a value as the bytes of its JSON. */
export function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** Reads an announcement; `undefined` for anything else. Announcements of all protocols have `protocol` and `id` in common. */
export function readAnnouncement(data: Uint8Array): Announcement | undefined {
  const value = readObject(data);
  if (value === undefined || !isIdentity(value.id) || !isCount(value.protocol)) return undefined;
  const { protocol, id } = value;
  const zone = isShort(value.zone) ? value.zone : undefined;
  const revision = isShort(value.revision) ? value.revision : undefined;
  const format = isCount(value.v8) ? value.v8 : 0;
  if (protocol !== PROTOCOL) {
    const unknown = { tasks: [], capacity: 0, state: 'serving', withinMs: WITHIN_MS } as const;
    return { protocol, v8: format, id, zone, revision, ...unknown };
  }
  const { tasks, capacity, state, withinMs = WITHIN_MS } = value;
  if (!(isCount(withinMs) && withinMs <= MAX_IDLE_MS)) return undefined;
  if (!isCount(capacity)) return undefined;
  if (state !== 'serving' && state !== 'leaving' && state !== 'closed') return undefined;
  if (!Array.isArray(tasks) || tasks.length > MAX_TASKS) return undefined;
  if (!tasks.every((task) => typeof task === 'string')) return undefined;
  return { protocol, v8: format, id, zone, revision, tasks, capacity, state, withinMs };
}

/** Reads an opening; `undefined` for anything else. */
export function readOpening(data: Uint8Array): Opening | undefined {
  const value = readObject(data);
  if (value === undefined) return undefined;
  const { protocol, v8: format, dispatcher, session, beatMs, missedBeats, maxMessageBytes } = value;
  const { idleMs = beatMs, hosts = 0 } = value;
  if (!isIdentity(dispatcher) || !isCount(protocol) || !isCount(format) || !isCount(session)) {
    return undefined;
  }
  if (!(isCount(beatMs) && beatMs >= 1 && beatMs <= 3_600_000)) return undefined;
  if (!(isCount(missedBeats) && missedBeats >= 1 && missedBeats <= 1000)) return undefined;
  if (!(isCount(idleMs) && idleMs >= beatMs && idleMs <= MAX_IDLE_MS)) return undefined;
  if (!isCount(maxMessageBytes) || !isCount(hosts)) return undefined;
  const module = typeof value.module === 'string' ? value.module : undefined;
  const limits = { beatMs, missedBeats, idleMs, maxMessageBytes };
  return { protocol, v8: format, dispatcher, session, hosts, ...limits, module };
}

/** Reads an answer to an opening; `undefined` for anything else. */
export function readOpened(data: Uint8Array): Opened | undefined {
  const value = readObject(data);
  const host = value?.host;
  if (!isIdentity(host)) return undefined;
  if (value?.ok === true) {
    const { window, maxMessageBytes } = value;
    if (!isCount(window) || window < 1 || !isCount(maxMessageBytes)) return undefined;
    return { host, ok: true, window, maxMessageBytes, streams: value.streams === true };
  }
  const reason = value?.reason;
  if (value?.ok !== false) return undefined;
  if (reason !== 'full' && reason !== 'leaving' && reason !== 'protocol' && reason !== 'v8') {
    return undefined;
  }
  return { host, ok: false, reason };
}

type Fields = {
  readonly [K in
    | keyof (Announcement & Opening)
    | 'host'
    | 'ok'
    | 'reason'
    | 'window'
    | 'streams']?: unknown;
};

function readObject(data: Uint8Array): Fields | undefined {
  if (data.byteLength > MAX_JSON_BYTES) return undefined;
  try {
    const value: unknown = JSON.parse(
      Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString(),
    );
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return value;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 64;
}
