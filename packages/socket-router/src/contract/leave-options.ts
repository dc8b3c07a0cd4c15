/** Times that a worker, or a router with all its workers, takes to leave. */
export interface LeaveOptions {
  /** Milliseconds for all of it: default 8,000. Open connections are cut off in time for that. */
  readonly graceMs?: number | undefined;
  /**
   * Milliseconds of `graceMs` for which an idle connection may send one more request, whose answer closes it: default 2,000,
   * half of `graceMs` at most. A request that is on its way when the idle connection closes is lost: allow as long as your
   * clients pause between two requests.
   */
  readonly lameDuckMs?: number | undefined;
}
