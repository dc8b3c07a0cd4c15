import type { IncomingMessage } from 'node:http';
import type { RequestOrigin } from '../http-proxy/proxied-headers.ts';
import type { ProxyOutcome } from '../http-proxy/proxy-request.ts';
import { ANY_WORKER, type Choice } from '../placing/decide.ts';
import type { WorkerQueue } from '../placing/worker-queue.ts';
import type { RouterAnswer } from '../server/answers.ts';
import type { ClaimLimit } from '../wire/claim-marks.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';

/** Request of mode `passthru` between its arrival and its answer. Only the functions of this file change it. */
export interface PendingRequest {
  readonly request: IncomingMessage;
  /** The client's address, as far as it is known. */
  readonly remoteAddress: string | undefined;
  readonly arrivedAt: number;
  /** Sends an answer of the router itself. */
  readonly answer: (answer: RouterAnswer) => void;
  /** Sends the request to a worker. Returns a function that takes it back, if it has no answer yet. */
  readonly proxy: (target: ProxyTarget) => () => void;
  readonly stage: RequestStage;
  readonly choice: Choice;
  /** Time from which the request has needed a worker: its arrival, or the loss of a worker that had claimed it. `maxWaitMs` counts from here. */
  readonly waitsFrom: number;
  /** Timer that ends the wait for a worker. */
  readonly timer: NodeJS.Timeout | undefined;
  /** Workers that could not be reached or did not answer. */
  readonly avoid: ReadonlySet<WorkerQueue>;
  /** Number of connections that broke after the request was sent on them. */
  readonly lost: number;
}

/** Worker that a request is sent to. */
export interface ProxyTarget extends RequestOrigin {
  /** The worker's unix socket. */
  readonly socketPath: string;
  /** Called exactly once. */
  readonly ended: (outcome: ProxyOutcome) => void;
}

/** Stage of a pending request: `received`, then `waiting` and `sent` as often as it needs a worker, then `over`. */
export type RequestStage =
  | { readonly kind: 'received' }
  /** No worker can take it now. */
  | { readonly kind: 'waiting'; readonly waiters: Set<PendingRequest> }
  | { readonly kind: 'sent'; readonly claim: ClaimLimit; takeBack: (() => void) | undefined }
  | { readonly kind: 'over' };

type Changed = { -readonly [K in keyof PendingRequest]: PendingRequest[K] };

/** Returns a request that has just arrived. */
export function holdRequest(
  given: Pick<PendingRequest, 'request' | 'remoteAddress' | 'answer' | 'proxy'>,
): PendingRequest {
  const { request, remoteAddress, answer, proxy } = given;
  const now = monotonicMs();
  return {
    request,
    remoteAddress,
    arrivedAt: now,
    answer,
    proxy,
    stage: { kind: 'received' },
    choice: ANY_WORKER,
    waitsFrom: now,
    timer: undefined,
    avoid: new Set(),
    lost: 0,
  };
}

/** Notes which workers may get a request. */
export function choose(pending: Changed, choice: Choice): void {
  pending.choice = choice;
}

/** Starts the wait for a worker, or starts it again when one that had claimed the request is lost; `expired` ends it. */
export function beginWait(pending: Changed, ms: number, expired: () => void): void {
  clearTimeout(pending.timer);
  pending.timer = setTimeout(expired, ms);
  pending.waitsFrom = monotonicMs();
}

/** Notes that a worker could not be reached. */
export function avoid(pending: Changed, queue: WorkerQueue): void {
  pending.avoid = new Set([...pending.avoid, queue]);
}

/** Notes that the connection to a worker broke after the request was sent on it. */
export function lose(pending: Changed, queue: WorkerQueue): void {
  pending.lost += 1;
  avoid(pending, queue);
}

/** Adds a request to a set of requests that wait for workers. */
export function wait(pending: PendingRequest, waiters: Set<PendingRequest>): void {
  if (enter(pending, { kind: 'waiting', waiters })) waiters.add(pending);
}

/** Sends a request to a worker, which may claim it within a limit. */
export function send(pending: PendingRequest, claim: ClaimLimit, target: ProxyTarget): void {
  const stage: RequestStage = { kind: 'sent', claim, takeBack: undefined };
  enter(pending, stage);
  // It may have ended when this returns, and be with another worker.
  stage.takeBack = pending.proxy(target);
}

/** Ends a request, for good: its timer ends, and it waits no longer. */
export function finish(pending: Changed): void {
  clearTimeout(pending.timer);
  enter(pending, { kind: 'over' });
}

/** Changes the stage of a request that is not over. No other function does. Returns whether it did. */
function enter(pending: Changed, stage: RequestStage): boolean {
  const { stage: former } = pending;
  if (former.kind === 'over') return false;
  if (former.kind === 'waiting') former.waiters.delete(pending);
  pending.stage = stage;
  return true;
}
