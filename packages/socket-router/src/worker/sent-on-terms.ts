import { TAKEN_SHARE } from '../wire/messages.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import { TakenMarks, type TakeTerms } from '../wire/taken-marks.ts';

interface PeerMarks {
  readonly marks: TakenMarks;
  /** Requests that are sent to it. */
  sent: number;
}

/** A forwarded request, which the other worker may take until its time is over. */
export interface SentOnTerms {
  readonly terms: TakeTerms | undefined;
  /** Must be called once, when the request has ended. */
  release(): void;
}

/** Terms of the requests that this worker forwards: one that the other worker has not taken in time is given back here. */
export class TermsOfPeers {
  readonly #maxWaitMs: number | undefined;
  readonly #peers = new Map<string, PeerMarks>();
  #known: ReadonlySet<string> = new Set();

  /** @param maxWaitMs - from the router; a router of an earlier version sends none, and requests then have no terms */
  constructor(maxWaitMs: number | undefined) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** Returns the terms of a request. Calls `overdue` when its time is over and the other worker has not taken it. */
  send(socketPath: string, overdue: () => void): SentOnTerms {
    const maxWaitMs = this.#maxWaitMs;
    const peer = maxWaitMs === undefined ? undefined : this.#peerOf(socketPath);
    let terms: TakeTerms;
    try {
      if (maxWaitMs === undefined || peer === undefined) return ON_NO_TERMS;
      terms = peer.marks.reserve(Math.floor(monotonicMs() + TAKEN_SHARE * maxWaitMs));
    } catch {
      // The file has no room. Without a mark nobody knows whether the request was taken, so it waits without a limit.
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
