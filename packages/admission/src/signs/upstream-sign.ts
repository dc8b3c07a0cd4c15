/** Sign that all upstreams answer late at once: then the cause is what they share, not one of them. */
export interface UpstreamSign {
  /** Notes the milliseconds that an upstream took to answer, or had taken when it was aborted. */
  note(upstream: string, ms: number): void;
  /** Returns the lateness of the least late upstream, as a multiple of the accepted time: above 1 is too late. */
  read(): number;
}

/** Weight of the latest answer in the moving average. */
const LATEST_ANSWER = 0.2;
/** An upstream is late beyond this multiple of its best average. */
const SLOWER = 3;
/** Shares of the deadline: an answer within the first is never late, one beyond the second always is. */
const ALWAYS_SHARE = 1 / 10;
const NEVER_SHARE = 1 / 2;
/** The best average of the last one or two spans counts, because upstreams may become slow for good. */
const SPAN_MS = 30_000;
/** An upstream that was not asked for this time is ignored. */
const SILENT_MS = 1000;

interface Upstream {
  averageMs: number;
  bestMs: number;
  bestBeforeMs: number;
  notedAt: number;
}

/**
 * Creates the sign of all that a server asks. A single slow upstream is no sign of load. When even the least late one is late, what they share (the
 * network, the machine, the upstream) is overloaded.
 */
export function createUpstreamSign(
  deadlineMs: number,
  now: () => number = () => performance.now(),
): UpstreamSign {
  const upstreams = new Map<string, Upstream>();
  let spanEnd = now() + SPAN_MS;

  function latenessOf({ averageMs, bestMs, bestBeforeMs }: Upstream): number {
    const best = Math.min(bestMs, bestBeforeMs);
    const wanted = Math.max(SLOWER * best, ALWAYS_SHARE * deadlineMs);
    return averageMs / Math.min(wanted, NEVER_SHARE * deadlineMs);
  }

  return {
    note(name, ms) {
      const notedAt = now();
      const upstream = upstreams.get(name);
      if (upstream === undefined) {
        upstreams.set(name, { averageMs: ms, bestMs: ms, bestBeforeMs: ms, notedAt });
        return;
      }
      upstream.averageMs += (ms - upstream.averageMs) * LATEST_ANSWER;
      upstream.bestMs = Math.min(upstream.bestMs, upstream.averageMs);
      upstream.notedAt = notedAt;
    },
    read() {
      const at = now();
      if (at >= spanEnd) {
        spanEnd = at + SPAN_MS;
        for (const upstream of upstreams.values()) {
          upstream.bestBeforeMs = upstream.bestMs;
          upstream.bestMs = upstream.averageMs;
        }
      }
      const heard = [...upstreams.values()].filter(({ notedAt }) => at - notedAt < SILENT_MS);
      return heard.length === 0 ? 0 : Math.min(...heard.map(latenessOf));
    },
  };
}
