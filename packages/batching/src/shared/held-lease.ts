import type { Clock } from '@ticketing/kit';
import { BatchingError } from '../errors.ts';
import type { Circuit } from './circuit.ts';
import type { Fence, Lease, LoadOutcome } from './coordinator.ts';
import { type LeaseStore, type StoredLease, writeRecord } from './lease-store.ts';

/** Renewals per lease time: two may fail before it runs out. */
const RENEWALS = 3;
/** Milliseconds beyond the lease time for which a record lives on, so that every process that waited can fetch it. */
const FETCH_MS = 1000;

/** Store, clock and counters that the leases of a coordinator share. */
export interface LeaseHome {
  readonly name: string;
  readonly store: LeaseStore;
  readonly circuit: Circuit;
  readonly clock: Clock;
  readonly counts: {
    finished: number;
    refused: number;
    released: number;
    renewed: number;
    lost: number;
  };
  readonly held: Set<HeldLease>;
  /** Commands under way that end leases. */
  readonly ending: Set<Promise<unknown>>;
}

/** A lease that this process holds, renewed until it ends or is lost. */
export class HeldLease implements Lease {
  readonly #home: LeaseHome;
  readonly #key: string;
  readonly #stored: StoredLease;
  readonly #leaseMs: number;
  readonly #lost = new AbortController();
  #timer: unknown;
  #hasEnded = false;

  constructor(home: LeaseHome, key: string, stored: StoredLease, leaseMs: number) {
    this.#home = home;
    this.#key = key;
    this.#stored = stored;
    this.#leaseMs = leaseMs;
    home.held.add(this);
    this.#renewLater();
  }

  get fence(): Fence {
    return this.#stored.fence;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async waiters(): Promise<number> {
    if (this.#hasEnded) return 0;
    const { circuit, store } = this.#home;
    return (await circuit.ask(() => store.waiters(this.#key))) ?? 0;
  }

  async finish(outcome: LoadOutcome, keepMs: number): Promise<boolean> {
    if (!this.#end()) return false;
    const { store, counts } = this.#home;
    const lifeMs = Math.ceil(Math.max(keepMs, this.#leaseMs + FETCH_MS));
    const record = writeRecord(outcome, { fence: this.fence, keepMs, lifeMs });
    const lease = { ...this.#stored, record, lifeMs };
    const ended = await this.#ask(() => store.finish(this.#key, lease));
    if (ended === true) counts.finished += 1;
    else if (ended === false) counts.refused += 1;
    return ended ?? false;
  }

  async release(): Promise<void> {
    if (!this.#end()) return;
    const { store, counts } = this.#home;
    counts.released += 1;
    await this.#ask(() => store.release(this.#key, this.#stored));
  }

  /** Sends a command that ends this lease. */
  async #ask<T>(command: () => Promise<T>): Promise<T | undefined> {
    const { circuit, ending } = this.#home;
    const asked = circuit.ask(command);
    ending.add(asked);
    try {
      return await asked;
    } finally {
      ending.delete(asked);
    }
  }

  /** Returns whether the lease had not ended before. */
  #end(): boolean {
    const { clock, held } = this.#home;
    clock.clearTimeout(this.#timer);
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    held.delete(this);
    return true;
  }

  #renewLater(): void {
    this.#timer = this.#home.clock.setTimeout(() => void this.#renew(), this.#leaseMs / RENEWALS);
  }

  /** Renews the lease. Without an answer of the engine the load goes on until the next renewal. */
  async #renew(): Promise<void> {
    const { name, circuit, store, counts } = this.#home;
    const isHeld = await circuit.ask(() =>
      store.renew(this.#key, { ...this.#stored, leaseMs: this.#leaseMs }),
    );
    if (this.#hasEnded) return;
    if (isHeld === true) counts.renewed += 1;
    if (isHeld !== false) return this.#renewLater();
    counts.lost += 1;
    this.#end();
    const fault = 'another load of this key has begun, or the key was forgotten';
    this.#lost.abort(
      new BatchingError('ERR_LEASE_LOST', `Lease of \`${name}\` was lost: ${fault}`, {
        data: { name, key: this.#key },
      }),
    );
  }
}
