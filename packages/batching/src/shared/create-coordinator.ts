import { randomBytes } from 'node:crypto';
import {
  aFunction,
  aName,
  type Clock,
  type Filled,
  milliseconds,
  resolveByRules,
  systemClock,
  withMethods,
} from '@ticketing/kit';
import { BatchingError } from '../errors.ts';
import { Circuit } from './circuit.ts';
import type {
  Claim,
  ClaimOptions,
  Coordinator,
  CoordinatorStats,
  Fence,
  ForgottenAnswer,
} from './coordinator.ts';
import { HeldLease, type LeaseHome } from './held-lease.ts';
import { type KeyWait, KeyWaits } from './key-waits.ts';
import { type LeaseStore, readRecord, type StoreReply } from './lease-store.ts';

/** Options of every coordinator. */
export interface CoordinatorOptions {
  /** Name of the coordinator in errors, statistics and diagnostics. Default `coordinator`. */
  readonly name?: string | undefined;
  /** Milliseconds that one command may take; then it counts as failed, and the process loads for itself. Default 50. */
  readonly commandTimeoutMs?: number | undefined;
  /** Milliseconds, ± 50 %, for which the engine is not asked after three commands failed within a second. Default 1000. */
  readonly downMs?: number | undefined;
  /** Default: the platform's. */
  readonly clock?: Clock | undefined;
  /** 0 to 1. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

const rules = {
  name: { ...aName, fallback: 'coordinator' },
  commandTimeoutMs: milliseconds(1, 50),
  downMs: milliseconds(1, 1000),
  clock: { ...withMethods('now', 'setTimeout', 'clearTimeout'), fallback: systemClock },
  random: { ...aFunction, fallback: Math.random },
};

/**
 * Claims that wait for a message look again when the lease runs out, and before that now and then: the message may be lost, or
 * the engine. Each at a time of its own.
 */
const LOOK_MS = 500;
const SPREAD_MS = 20;
/** Most keys of claims without an answer whose tokens are remembered. */
const MAX_UNANSWERED = 1000;

/**
 * Returns a coordinator over a store, for authors of engines: it renews leases, waits, limits the time of each command, and
 * stops asking a store that fails. Closing it closes the store.
 *
 * @throws TypeError or RangeError for options that are unknown or out of range
 */
export function createCoordinator(
  store: LeaseStore,
  options: CoordinatorOptions = {},
): Coordinator {
  return new StoreCoordinator(store, resolveByRules('create coordinator', options, rules));
}

const NO_REPLY = Promise.resolve(undefined);

/** A claim, as the engine may know it. Several commands may have been sent for it, each after the time of the one before. */
interface SentClaim {
  readonly token: string;
  wasSent: boolean;
  /** True if a caller waits for the answer to this claim, or has it. */
  isTakenOver: boolean;
}

class StoreCoordinator implements Coordinator {
  readonly #store: LeaseStore;
  readonly #options: Filled<CoordinatorOptions>;
  readonly #circuit: Circuit;
  readonly #waits: KeyWaits;
  readonly #home: LeaseHome;
  /** Name of this process among the waiters. */
  readonly #id = randomBytes(9).toString('base64url');
  /** Claims without an answer, by key: the engine may have given them the lease, which the next claim takes over. */
  readonly #unanswered = new Map<string, SentClaim>();
  readonly #counts = {
    claims: 0,
    values: 0,
    failures: 0,
    leases: 0,
    waits: 0,
    unreached: 0,
    unshared: 0,
    finished: 0,
    refused: 0,
    released: 0,
    renewed: 0,
    lost: 0,
    forgotten: 0,
    forgottenTags: 0,
  };
  #tokens = 0;
  #closing: Promise<void> | undefined;

  constructor(store: LeaseStore, options: Filled<CoordinatorOptions>) {
    const { clock } = options;
    this.#store = store;
    this.#options = options;
    this.#circuit = new Circuit({ ...options, onDown: () => this.#waits.wakeAll() });
    store.onReturn(() => this.#circuit.returned());
    this.#waits = new KeyWaits(store, clock, (key) => {
      void this.#circuit.ask(() => store.leave(key, this.#id).then(() => true));
    });
    this.#home = {
      name: options.name,
      store,
      circuit: this.#circuit,
      clock,
      counts: this.#counts,
      held: new Set(),
      ending: new Set(),
    };
  }

  get state(): 'up' | 'down' {
    return this.#circuit.state;
  }

  claim(key: string, options: ClaimOptions): Promise<Claim> {
    return unlessAborted(this.#claim(key, options), options.signal);
  }

  /** Looks at the signal between commands only: `claim` rejects earlier. */
  async #claim(key: string, options: ClaimOptions): Promise<Claim> {
    options.signal.throwIfAborted();
    this.#counts.claims += 1;
    // A claim that waits is sent again once messages arrive, because one may have come before. Here messages arrive already.
    let wait = this.#waits.listensTo(key) ? this.#waits.begin(key) : undefined;
    // A load that ends before messages arrive is one that this claim waited for.
    let { after } = options;
    for (;;) {
      const sent = this.#nextClaim(key);
      const { token } = sent;
      const reply = await this.#ask(key, sent, options, after);
      if (reply === undefined) this.#keep(key, sent);
      else this.#waits.note(key, reply.kind === 'held');
      if (options.signal.aborted) {
        wait?.leave();
        if (reply?.kind === 'won') void this.#circuit.ask(() => this.#release(key, token));
        throw options.signal.reason;
      }
      if (reply?.kind === 'held') {
        if (wait !== undefined) return this.#wait(wait, reply);
        after ??= reply.fence;
        wait = this.#waits.begin(key);
        this.#waits.note(key, true);
        await this.#listens(wait);
        if (!options.signal.aborted) continue;
        wait.leave();
        throw options.signal.reason;
      }
      wait?.leave();
      return this.#read(key, token, reply, options);
    }
  }

  async forget(key: string): Promise<void> {
    await this.#forgets('key', key, () => this.#store.forget(key));
    this.#counts.forgotten += 1;
  }

  async forgetTag(group: string, tag: string): Promise<void> {
    await this.#forgets('tag', tag, () => this.#store.forgetTag(group, tag));
    this.#counts.forgottenTags += 1;
  }

  forgottenTags(group: string, since: number): Promise<ForgottenAnswer | undefined> {
    if (this.#closing !== undefined) return NO_REPLY;
    return this.#circuit.ask(() => this.#store.forgottenTags(group, since));
  }

  async #forgets(what: 'key' | 'tag', key: string, command: () => Promise<void>): Promise<void> {
    const isForgotten =
      this.#closing === undefined && (await this.#circuit.ask(() => command().then(() => true)));
    if (isForgotten) return;
    const { name } = this.#options;
    const fault = this.#closing ? 'it is closed' : (this.#circuit.lastError ?? 'it is down');
    const message = `Cannot forget a ${what} of \`${name}\`: ${fault}`;
    throw new BatchingError('ERR_NOT_FORGOTTEN', message, { data: { name, key } });
  }

  stats(): CoordinatorStats {
    return {
      name: this.#options.name,
      state: this.state,
      ...this.#counts,
      ...this.#circuit.counts,
      lastError: this.#circuit.lastError,
      held: this.#home.held.size,
      waiting: this.#waits.waiting,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#waits.wakeAll();
    const { held, ending } = this.#home;
    for (const lease of held) void lease.release();
    await Promise.all(ending);
    await this.#store.close();
  }

  #ask(
    key: string,
    sent: SentClaim,
    { leaseMs, renew = false, outdated }: ClaimOptions,
    after: Fence | undefined,
  ): Promise<StoreReply | undefined> {
    if (this.#closing !== undefined) return NO_REPLY;
    const { token } = sent;
    return this.#circuit.ask(
      () => {
        sent.wasSent = true;
        const waiter = this.#id;
        return this.#store.claim(key, { token, leaseMs, after, outdated, renew, waiter });
      },
      (late) => this.#answeredLate(key, sent, late),
    );
  }

  /** Remembers a claim that the engine may have got, for the next one to take over. */
  #keep(key: string, sent: SentClaim): void {
    if (!sent.wasSent) return;
    sent.isTakenOver = false;
    this.#unanswered.set(key, sent);
    if (this.#unanswered.size > MAX_UNANSWERED) {
      this.#unanswered.delete(this.#unanswered.keys().next().value as string);
    }
  }

  /** A lease for which no caller is waiting is given back, unless a later claim has taken it over. */
  #answeredLate(key: string, sent: SentClaim, reply: StoreReply): void {
    if (sent.isTakenOver) return;
    sent.isTakenOver = true;
    if (this.#unanswered.get(key) === sent) this.#unanswered.delete(key);
    // Whatever the circuit thinks of the engine: it just answered.
    if (reply.kind === 'won') void this.#release(key, sent.token).catch(() => {});
  }

  #release(key: string, token: string): Promise<true> {
    return this.#store.release(key, { token }).then(() => true as const);
  }

  /** Returns the claim that this process sent before, if that has no answer, or a new one. */
  #nextClaim(key: string): SentClaim {
    const unanswered = this.#unanswered.get(key);
    if (unanswered !== undefined) {
      this.#unanswered.delete(key);
      unanswered.isTakenOver = true;
      return unanswered;
    }
    this.#tokens += 1;
    return { token: `${this.#id}.${this.#tokens}`, wasSent: false, isTakenOver: true };
  }

  /** Waits until messages arrive, for the time of one command: without them the wait ends by time. */
  async #listens(wait: KeyWait): Promise<void> {
    if (wait.isListening) return;
    const listens = await this.#circuit.ask(() => wait.listens.then(() => true));
    if (listens === undefined) wait.wakeOnceListening();
  }

  #wait(wait: KeyWait, { fence, leftMs }: StoreReply & { readonly kind: 'held' }): Claim {
    this.#counts.waits += 1;
    const lookMs = Math.min(LOOK_MS, Math.max(0, leftMs));
    wait.wakeAfter(lookMs + this.#options.random() * SPREAD_MS);
    const { woken } = wait;
    return { kind: 'wait', fence, woken, leave: () => wait.leave() };
  }

  #read(
    key: string,
    token: string,
    reply: Exclude<StoreReply, { readonly kind: 'held' }> | undefined,
    { leaseMs }: ClaimOptions,
  ): Claim {
    if (reply?.kind === 'won') {
      this.#counts.leases += 1;
      return {
        kind: 'lease',
        lease: new HeldLease(this.#home, key, { token, fence: reply.fence }, leaseMs),
      };
    }
    const claim = reply && readRecord(reply.record, reply.leftMs);
    if (claim === undefined) {
      this.#counts.unreached += 1;
      return { kind: 'local', reason: 'down' };
    }
    if (claim.kind === 'value') this.#counts.values += 1;
    else if (claim.kind === 'failure') this.#counts.failures += 1;
    else this.#counts.unshared += 1;
    return claim;
  }
}

/** Rejects as soon as the signal aborts, however long the claim takes; what that finds after all is given back. */
function unlessAborted(claim: Promise<Claim>, signal: AbortSignal): Promise<Claim> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    claim.then(
      (answer) => {
        signal.removeEventListener('abort', leave);
        if (!signal.aborted) return resolve(answer);
        if (answer.kind === 'lease') void answer.lease.release();
        else if (answer.kind === 'wait') answer.leave();
        leave();
      },
      (error) => {
        signal.removeEventListener('abort', leave);
        reject(error);
      },
    );
  });
}
