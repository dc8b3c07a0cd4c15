import { between, MAX_TIMER_MS, type Rules, resolveByRules, wrongOption } from '@ticketing/kit';

/** Time limits for the end of a worker. */
export interface ClusterShutdown {
  /**
   * Milliseconds, 0 to `graceMs`, in which a client that keeps its connection may get an answer with `Connection: close`. They are
   * the first part of `graceMs`. Default 2000, or half of `graceMs` if that is less.
   */
  readonly lameDuckMs?: number | undefined;
  /**
   * Milliseconds in which a worker must end, 0 to 2^31-1; then it is killed. Requests in flight are cut half a second before the
   * end, or half-way if `graceMs` is below a second, so that the program can close its resources. Default 8000.
   */
  readonly graceMs?: number | undefined;
}

/** {@link ClusterShutdown}, filled. */
export interface ResolvedShutdown {
  readonly lameDuckMs: number;
  readonly graceMs: number;
}

/** Default of `lameDuckMs` for a long `graceMs`. */
const LAME_DUCK_MS = 2000;

export const shutdownRules: Rules = {
  lameDuckMs: between(0, MAX_TIMER_MS),
  graceMs: between(0, MAX_TIMER_MS, 8000),
};

/** Returns the filled limits of option `name`. @throws RangeError for a `lameDuckMs` above `graceMs`, which includes it */
export function resolveShutdown(
  action: string,
  shutdown: ClusterShutdown,
  name = 'shutdown',
): ResolvedShutdown {
  const { graceMs, lameDuckMs = Math.min(LAME_DUCK_MS, graceMs / 2) } = resolveByRules<{
    readonly graceMs: number;
    readonly lameDuckMs?: number;
  }>(action, shutdown, shutdownRules, name);
  if (lameDuckMs > graceMs) {
    const expected = `0 to \`graceMs\` (${graceMs})`;
    throw wrongOption(action, `${name}.lameDuckMs`, { expected, range: true }, lameDuckMs);
  }
  return { graceMs, lameDuckMs };
}
