import type { Client } from './client.ts';
import { type CoalescedRoute, type KeyedRequest, requestKey } from './route-key.ts';
import { type Answer, answers, type SharedAnswer } from './shared-answer.ts';
import type { SharedRun, SharedRuns } from './shared-runs.ts';

/** A coalesced route and what its requests share. */
export interface SharedRoute extends CoalescedRoute {
  readonly sharedRuns: SharedRuns;
  /** True if a shared answer has `x-coalesced`. */
  readonly header: boolean;
}

/** One request on its way through a coalesced route. */
export interface RoutedRequest extends KeyedRequest {
  readonly client: Client;
  readonly route: SharedRoute;
  /** `false` once the request has waited for an answer that was not for it. */
  readonly mayRetry: boolean;
}

/** Functions of one framework for a request in a coalesced route. The framework gets the `Result`, as if its handler had returned or thrown it. */
export interface RouteSteps<Routed extends RoutedRequest, Result> {
  /** Runs the handler for all that wait. */
  lead(routed: Routed, sharedRun: SharedRun, answer: Promise<Answer>): Result | Promise<Result>;
  /** Sends an answer that another request's handler made. */
  send(routed: Routed, answer: SharedAnswer): Result | Promise<Result>;
  /** Ends a request that waited, by the error of the coalescer; the client may have left. */
  refuse(routed: Routed, error: unknown): Result | Promise<Result>;
  /** Runs the handler for this request alone. */
  runAlone(routed: Routed): Result | Promise<Result>;
}

/** Leads or follows: one of several equal requests leads at once, the others wait for its answer. */
export function enterRoute<Routed extends RoutedRequest, Result>(
  routed: Routed,
  steps: RouteSteps<Routed, Result>,
): Result | Promise<Result> {
  const { client, route } = routed;
  const { answer, sharedRun } = route.sharedRuns.enter(requestKey(routed, route), client);
  return sharedRun ? steps.lead(routed, sharedRun, answer) : follow(routed, answer, steps);
}

async function follow<Routed extends RoutedRequest, Result>(
  routed: Routed,
  answer: Promise<Answer>,
  steps: RouteSteps<Routed, Result>,
): Promise<Result> {
  let shared: Answer;
  try {
    shared = await answer;
  } catch (error) {
    return steps.refuse(routed, error);
  }
  if (shared.kind === 'unshared') return steps.runAlone(routed);
  if (answers(shared, routed.headers)) return steps.send(routed, shared);
  if (!routed.mayRetry) return steps.runAlone(routed);
  // Its `Vary` is now part of the key: requests that are equal in that too share the next run.
  return enterRoute({ ...routed, mayRetry: false }, steps);
}
