/**
 * Orders the leases of one key: a later lease has a greater fence, also after its engine has lost the leases. A writer
 * that a stale leader must not overwrite compares it.
 */
export type Fence = number;

/** Options of one claim. */
export interface ClaimOptions {
  /** Milliseconds that a lease lasts without renewal. The coordinator renews it after a third of that. */
  readonly leaseMs: number;
  /** The load that this caller waited for: its outcome, or a later one, answers the claim even if nothing is kept. */
  readonly after?: Fence | undefined;
  /** The load whose value this caller cannot use, since a tag of it was forgotten: that value is removed first. */
  readonly outdated?: Fence | undefined;
  /** Asks for the lease although a value is kept; if another process holds it, the answer is the kept value. */
  readonly renew?: boolean | undefined;
  /** Rejects the claim with its reason at once, also while the engine does not answer; a lease that arrives later is given back. */
  readonly signal: AbortSignal;
}

/** Tags of a value. */
export interface ValueTags {
  /** Each 1 to 100 characters without spaces. */
  readonly ids: readonly string[];
  /** When its load began: the time of the last tag that had been forgotten then, as `forgottenTags` answers. */
  readonly at: number;
}

/** Tags that were forgotten, with their times, which only grow. */
export interface ForgottenAnswer {
  /** Values whose load began before this time are outdated, whatever their tags. */
  readonly floor: number;
  readonly tags: readonly (readonly [tag: string, time: number])[];
}

/** What a claim found. */
export type Claim =
  /** Kept for `leftMs` more; 0 or less: only for those who waited for this load, which took `loadMs`. */
  | {
      readonly kind: 'value';
      readonly bytes: Uint8Array;
      readonly loadMs: number;
      readonly leftMs: number;
      readonly fence: Fence;
      readonly tags?: ValueTags | undefined;
    }
  | { readonly kind: 'failure'; readonly bytes: Uint8Array }
  /** The caller loads, and then finishes or releases. */
  | { readonly kind: 'lease'; readonly lease: Lease }
  /** The caller loads for itself: the engine cannot be reached, or values of this key are not shared for a while. */
  | { readonly kind: 'local'; readonly reason: 'down' | 'unshared' }
  /**
   * Another caller loads. `woken` resolves, and never rejects, when that load has finished, was released or ran out of time,
   * or when that cannot be known: claim again with its `fence` as `after`, and then call `leave`, in any case exactly once.
   */
  | {
      readonly kind: 'wait';
      readonly fence: Fence;
      readonly woken: Promise<void>;
      leave(): void;
    };

/** How a load ended. `unshared`: it has an outcome that cannot be shared, so each process loads for itself meanwhile. */
export type LoadOutcome =
  | {
      readonly kind: 'value';
      readonly bytes: Uint8Array;
      readonly loadMs: number;
      readonly tags?: ValueTags | undefined;
    }
  | { readonly kind: 'failure'; readonly bytes: Uint8Array }
  | { readonly kind: 'unshared' };

/** The right to load a key for all, while it is renewed. It is no lock: see `lost`. */
export interface Lease {
  readonly fence: Fence;
  /**
   * Aborts when another load of the key has begun, or the key was forgotten, although this lease was not finished. It tells
   * late: after a pause of the process, or of the engine, two loads run at the same time until then.
   */
  readonly lost: AbortSignal;
  /** Resolves with the number of processes that wait for this load; 0 if the engine cannot be asked. Never rejects. */
  waiters(): Promise<number>;
  /**
   * Ends the lease with an outcome, which is kept for `keepMs`, and wakes who waits: those get it also with `keepMs` 0.
   * Resolves with false, and changes nothing, if a later lease or a `forget` came between, and if the engine did not confirm.
   * Never rejects.
   */
  finish(outcome: LoadOutcome, keepMs: number): Promise<boolean>;
  /** Ends the lease without an outcome, and wakes who waits: one of them loads. Never rejects. */
  release(): Promise<void>;
}

/** Counters since the start, and what is held now. */
export interface CoordinatorStats {
  readonly name: string;
  readonly state: 'up' | 'down';
  /** Calls of `claim`. */
  readonly claims: number;
  /** Claims by answer. A caller that waits claims again, so they exceed the questions. */
  readonly values: number;
  readonly failures: number;
  readonly leases: number;
  readonly waits: number;
  /** Answered with `local` since the engine was not reached. */
  readonly unreached: number;
  /** Answered with `local` since values of the key were not shared. */
  readonly unshared: number;
  /** Leases that ended with an outcome for all. */
  readonly finished: number;
  /** Outcomes that came after a later lease or a `forget`, and changed nothing. */
  readonly refused: number;
  readonly released: number;
  readonly renewed: number;
  readonly lost: number;
  readonly forgotten: number;
  readonly forgottenTags: number;
  /** Commands that failed, and those without an answer within `commandTimeoutMs`. */
  readonly errors: number;
  readonly timeouts: number;
  /** Times that the state became `down`. */
  readonly downs: number;
  /** Message of the last command that failed. */
  readonly lastError: string | undefined;
  /** Leases that are held. */
  readonly held: number;
  /** Claims that wait. */
  readonly waiting: number;
}

/** Lets one of many processes load a key, and gives the others its outcome. */
export interface Coordinator extends AsyncDisposable {
  /**
   * Asks who loads a key: one round trip, or three for a caller that waits. An engine that fails answers `local`: a claim
   * never rejects for it.
   *
   * @throws the signal's reason, as a rejection
   */
  claim(key: string, options: ClaimOptions): Promise<Claim>;
  /**
   * Resolves when the engine has forgotten the key: what was kept is gone, and a load that is under way changes nothing when
   * it finishes. Claims that begin later load anew.
   *
   * @throws BatchingError `ERR_NOT_FORGOTTEN`, as a rejection, if the engine did not confirm it
   */
  forget(key: string): Promise<void>;
  /**
   * Resolves when the engine has noted that a tag of a group is forgotten: `forgottenTags` of every process answers with it. At
   * most 10,000 tags of a group are remembered; above that the oldest raises `floor`.
   *
   * @throws BatchingError `ERR_NOT_FORGOTTEN`, as a rejection, if the engine did not confirm it
   */
  forgetTag(group: string, tag: string): Promise<void>;
  /**
   * Resolves with the tags of a group that were forgotten after a time, or 0 for all; `undefined` if the engine was not reached.
   * Never rejects. An engine that lost what was forgotten has a `floor` above all times before.
   */
  forgottenTags(group: string, since: number): Promise<ForgottenAnswer | undefined>;
  /** `down`: the engine failed repeatedly, and claims are answered with `local` without asking it. */
  readonly state: 'up' | 'down';
  stats(): CoordinatorStats;
  /** Releases all leases, wakes who waits, and answers further claims with `local`. Idempotent. */
  close(): Promise<void>;
}
