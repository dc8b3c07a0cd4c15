import { TAKEN_SHARE } from '../wire/messages.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import { TakenMarks, type TakeTerms } from '../wire/taken-marks.ts';

interface PeerMarks {
  readonly marks: TakenMarks;
  /** Requests that are sent to it. */
  sent: number;
}

/** A request that another worker may take until its time is up. */
export interface SentOnTerms {
  readonly terms: TakeTerms | undefined;
  /** Must be called once, when the request has ended. */
  release(): void;
}

/** Requests that this worker sends to others: each is taken by the other one in time, or it is this worker's again. */
export class TermsOfPeers {
  readonly #maxWaitMs: number | undefined;
  readonly #peers = new Map<string, PeerMarks>();
  #known: ReadonlySet<string> = new Set();

  /** @param maxWaitMs - of the router; `undefined` for one of an earlier version, which gives no time */
  constructor(maxWaitMs: number | undefined) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** Returns terms for a request; `overdue` is called if the worker has not taken it in time, and will not. */
  send(socketPath: string, overdue: () => void): SentOnTerms {
    const maxWaitMs = this.#maxWaitMs;
    const peer = maxWaitMs === undefined ? undefined : this.#peerOf(socketPath);
    let terms: TakeTerms;
    try {
      if (maxWaitMs === undefined || peer === undefined) return ON_NO_TERMS;
      terms = peer.marks.reserve(Math.floor(monotonicMs() + TAKEN_SHARE * maxWaitMs));
    } catch {
      // Without room for the file: whether it is taken cannot be known.
      return ON_NO_TERMS;
    }
    peer.sent += 1;
    const timer = setTimeout(() => {
      if (!peer.marks.has(terms)) overdue();
    }, maxWaitMs);
    return {
      terms,
      release: () => {
        clearTimeout(timer);
        peer.marks.release(terms);
        peer.sent -= 1;
        this.#forget(socketPath, peer);
      },
    };
  }

  /** Forgets other workers than these. */
  keep(socketPaths: ReadonlySet<string>): void {
    this.#known = socketPaths;
    for (const [socketPath, peer] of this.#peers) this.#forget(socketPath, peer);
  }

  close(): void {
    for (const { marks } of this.#peers.values()) marks.close();
    this.#peers.clear();
  }

  #peerOf(socketPath: string): PeerMarks | undefined {
    let peer = this.#peers.get(socketPath);
    if (peer !== undefined) return peer;
    try {
      peer = { marks: new TakenMarks(socketPath, process.pid), sent: 0 };
    } catch {
      return undefined;
    }
    this.#peers.set(socketPath, peer);
    return peer;
  }

  #forget(socketPath: string, peer: PeerMarks): void {
    if (peer.sent > 0 || this.#known.has(socketPath)) return;
    this.#peers.delete(socketPath);
    peer.marks.close();
  }
}

const ON_NO_TERMS: SentOnTerms = { terms: undefined, release: () => {} };
