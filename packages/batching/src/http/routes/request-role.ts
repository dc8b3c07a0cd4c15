import type { Answer } from './shared-answer.ts';

/** Clients that the handler of a coalesced route works for. */
export interface CoalescedRequest {
  /** Aborts when the last client that waits has left, at `loadTimeoutMs`, and when the coalescer has closed. */
  readonly signal: AbortSignal;
  /** Clients that wait now, that of this request included. */
  readonly waiters: number;
}

/** Part of a request in a route that is coalesced. */
export interface RequestRole {
  readonly view: CoalescedRequest;
  /** Answers all that wait; present if this request runs the handler for others. The first call counts. */
  readonly settle?: ((answer: Answer) => void) | undefined;
}

/** Member of requests and responses: a `WeakMap` of short-lived requests costs the collector more. */
const member = Symbol('ticketing.role');

/** Returns the role of a request or response, if its route is coalesced and the handler may run. */
export function roleOf(exchanged: object): RequestRole | undefined {
  return (exchanged as { readonly [member]?: RequestRole })[member];
}

/** Gives a request or response its role. */
export function setRole(exchanged: object, role: RequestRole): void {
  Object.assign(exchanged, { [member]: role });
}
