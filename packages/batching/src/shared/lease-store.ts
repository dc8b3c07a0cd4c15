import type { Claim, Fence, ForgottenAnswer, LoadOutcome, ValueTags } from './coordinator.ts';

/** Who claims, and how. */
export interface StoreClaim {
  /** Identifies the lease; one that is held by this token counts as won. */
  readonly token: string;
  readonly leaseMs: number;
  readonly after: Fence | undefined;
  /** The record of this fence is removed first. */
  readonly outdated: Fence | undefined;
  readonly renew: boolean;
  /** The process, as one that waits if another holds the lease. */
  readonly waiter: string;
}

export type StoreReply =
  | { readonly kind: 'record'; readonly record: Uint8Array; readonly leftMs: number }
  | { readonly kind: 'won'; readonly fence: Fence }
  /** Another token holds the lease, for `leftMs` without a renewal. */
  | { readonly kind: 'held'; readonly fence: Fence; readonly leftMs: number };

/** A lease, as its store knows it. */
export interface StoredLease {
  readonly token: string;
  readonly fence: Fence;
}

/** A subscription to one key. */
export interface Listening {
  /** Resolves when messages arrive, or when it is known that they do not. Never rejects. */
  readonly ready: Promise<void>;
  stop(): void;
}

/**
 * The engine below a coordinator: each method is one atomic step there, one round trip, and rejects if the engine fails. It
 * neither waits nor retries; `createCoordinator` limits the time, and decides what follows.
 */
export interface LeaseStore {
  /**
   * Answers with the record if it is kept, or if its fence is `after` or greater; with `renew` only if the lease cannot be
   * won. Otherwise takes the lease, with a fence above all before it, or notes the waiter.
   */
  claim(key: string, claim: StoreClaim): Promise<StoreReply>;
  /** Extends a lease, also one that ran out if no other has been taken since. Resolves with false if it is lost. */
  renew(key: string, lease: StoredLease & { readonly leaseMs: number }): Promise<boolean>;
  /**
   * Stores a record for `lifeMs`, ends the lease and wakes its waiters. Resolves with false, and changes nothing, if the
   * key's last fence is another one: there was a later lease, or a `forget`.
   */
  finish(
    key: string,
    lease: StoredLease & { readonly record: Uint8Array; readonly lifeMs: number },
  ): Promise<boolean>;
  /** Ends the lease of this token, if it is held, and wakes its waiters. */
  release(key: string, lease: { readonly token: string }): Promise<void>;
  /** Removes record and lease, raises the fence, and wakes the waiters. */
  forget(key: string): Promise<void>;
  /** Notes a tag as forgotten, at a time above all before it. Remembers 10,000 of a group, and raises its floor above that. */
  forgetTag(group: string, tag: string): Promise<void>;
  /**
   * Resolves with the tags of a group that were forgotten after a time. A group without a record, or one whose last time is
   * before `since`, has lost what it knew: it gets a floor above `since` and above all times before.
   */
  forgottenTags(group: string, since: number): Promise<ForgottenAnswer>;
  /** Resolves with the number of processes that wait. */
  waiters(key: string): Promise<number>;
  /** This process waits no longer. */
  leave(key: string, waiter: string): Promise<void>;
  /** Calls `onWake` at each end of a lease of this key, and whenever such a message may have been lost. */
  listen(key: string, onWake: () => void): Listening;
  /** Has a function called whenever the engine is there again after its connection was lost. */
  onReturn(returned: () => void): void;
  close(): Promise<void>;
}

// A record is one value of the engine, so that a claim reads it in one step: kind, fence, loadMs, and the milliseconds that
// it lives on after it is no longer kept, as ASCII of fixed width; then the bytes. Those of a value with tags begin with when it was
// loaded, the length of its tags, and these with a space between.
export const RECORD_FENCE_AT = 1;
export const RECORD_FENCE_LENGTH = 16;
const LOAD_MS_AT = RECORD_FENCE_AT + RECORD_FENCE_LENGTH;
const MS_LENGTH = 10;
export const RECORD_BEYOND_AT: number = LOAD_MS_AT + MS_LENGTH;
export const RECORD_HEAD_LENGTH: number = RECORD_BEYOND_AT + MS_LENGTH;

const LETTERS = { value: 'v', tagged: 't', failure: 'f', unshared: 'u' } as const;
const LETTER_OF = Object.fromEntries(
  Object.values(LETTERS).map((letter) => [letter.charCodeAt(0), letter]),
);
const MAX_MS = 10 ** MS_LENGTH - 1;
const TAGS_LENGTH = 5;
const TAGS_AT = RECORD_FENCE_LENGTH + TAGS_LENGTH;

/** Returns an outcome as a record, which is kept for `keepMs` of its `lifeMs`. */
export function writeRecord(
  outcome: LoadOutcome,
  { fence, keepMs, lifeMs }: { readonly fence: Fence; readonly keepMs: number; lifeMs: number },
): Uint8Array {
  const loadMs = outcome.kind === 'value' ? outcome.loadMs : 0;
  const tags = outcome.kind === 'value' ? outcome.tags : undefined;
  const letter = LETTERS[tags === undefined ? outcome.kind : 'tagged'];
  const times = `${msText(loadMs)}${msText(lifeMs - keepMs)}`;
  const head = `${letter}${fenceText(fence)}${times}${tags === undefined ? '' : tagsText(tags)}`;
  const bytes = outcome.kind === 'unshared' ? new Uint8Array() : outcome.bytes;
  const record = Buffer.allocUnsafe(head.length + bytes.byteLength);
  record.write(head, 'latin1');
  record.set(bytes, head.length);
  return record;
}

function tagsText({ ids, at }: ValueTags): string {
  const text = ids.join(' ');
  return `${fenceText(at)}${String(text.length).padStart(TAGS_LENGTH, '0')}${text}`;
}

/** Returns the fence of a record. */
export function fenceOfRecord(record: Uint8Array): Fence {
  return numberAt(record, RECORD_FENCE_AT, RECORD_FENCE_LENGTH);
}

/** Returns the milliseconds of a record's life in which it is no longer kept. */
export function beyondOfRecord(record: Uint8Array): number {
  return numberAt(record, RECORD_BEYOND_AT, MS_LENGTH);
}

/** Returns what a record says, without a copy of its bytes; `undefined` for a value that is no record. */
export function readRecord(record: Uint8Array, leftMs: number): Claim | undefined {
  if (record.byteLength < RECORD_HEAD_LENGTH) return undefined;
  const bytes = record.subarray(RECORD_HEAD_LENGTH);
  switch (LETTER_OF[record[0] as number]) {
    case LETTERS.value:
      return readValue(record, bytes, leftMs);
    case LETTERS.tagged: {
      const end = TAGS_AT + numberAt(bytes, RECORD_FENCE_LENGTH, TAGS_LENGTH);
      const text = Buffer.from(bytes.buffer, bytes.byteOffset + TAGS_AT, end - TAGS_AT);
      const ids = text.length === 0 ? [] : text.toString('latin1').split(' ');
      const tags = { ids, at: numberAt(bytes, 0, RECORD_FENCE_LENGTH) };
      return { ...readValue(record, bytes.subarray(end), leftMs), tags };
    }
    case LETTERS.failure:
      return { kind: 'failure', bytes };
    case LETTERS.unshared:
      return { kind: 'local', reason: 'unshared' };
    default:
      return undefined;
  }
}

function readValue(
  record: Uint8Array,
  bytes: Uint8Array,
  leftMs: number,
): Extract<Claim, { readonly kind: 'value' }> {
  const loadMs = numberAt(record, LOAD_MS_AT, MS_LENGTH);
  return { kind: 'value', bytes, loadMs, leftMs, fence: fenceOfRecord(record) };
}

/** Returns a fence as text of fixed width, whose order as text is its order. */
export function fenceText(fence: Fence): string {
  return String(fence).padStart(RECORD_FENCE_LENGTH, '0');
}

function msText(ms: number): string {
  return String(Math.min(MAX_MS, Math.max(0, Math.round(ms)))).padStart(MS_LENGTH, '0');
}

/** Reads digits. By hand, since every kept value comes this way. */
function numberAt(record: Uint8Array, start: number, length: number): number {
  let value = 0;
  for (let at = start; at < start + length; at += 1)
    value = value * 10 + (record[at] as number) - 48;
  return value;
}
