/** What a handler of a coalesced route learns of those it works for, as `request.coalesced`. */
export interface CoalescedRequest {
  /** Aborts when the last client that waits has left, at `loadTimeoutMs`, and when the app has closed. */
  readonly signal: AbortSignal;
  /** Clients that wait now, this request's own included. */
  readonly waiters: number;
}
