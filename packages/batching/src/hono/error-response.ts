import { errorAnswer } from '../http/routes/error-answer.ts';
import { endedByLeaving, isAbort } from '../http/routes/leaving-signal.ts';
import { type HonoContext, nodeExchange } from './hono-context.ts';

/** Status of an answer that no client gets. */
const CLIENT_LEFT = 499;

/**
 * Returns the response to a `BatchingError` of status 503 or 504, and an empty one for a client that has left. `undefined` for any
 * other error.
 *
 * @example
 * app.onError((error, context) => errorResponse(error, context) ?? context.text('Internal Server Error', 500));
 */
export function errorResponse(error: unknown, context: HonoContext): Response | undefined {
  if (isOfLeaver(error, context)) return new Response(null, { status: CLIENT_LEFT });
  const answer = errorAnswer(error);
  if (answer === undefined) return undefined;
  const { status, headers, body } = answer;
  return new Response(body, { status, headers });
}

/** Returns whether an error only shows that the client has left. */
export function isOfLeaver(error: unknown, context: HonoContext): boolean {
  const { outgoing } = nodeExchange(context);
  if (outgoing) return endedByLeaving(error, outgoing);
  return context.req.raw.signal.aborted && isAbort(error);
}
