import { leavingSignal as signalOfResponse } from '../http/routes/leaving-signal.ts';
import { roleOf } from '../http/routes/request-role.ts';
import { type HonoContext, nodeExchange } from './hono-context.ts';

/**
 * Returns a signal that aborts when the client has left before it was answered. Inside a route that `coalesceRoute` shares, it aborts
 * when the last client that waits has left. Elsewhere than on `@hono/node-server` it is the signal of the request.
 */
export function leavingSignal(context: HonoContext): AbortSignal {
  const { outgoing } = nodeExchange(context);
  const role = roleOf(context);
  if (role !== undefined) return role.view.signal;
  return outgoing ? signalOfResponse(outgoing) : context.req.raw.signal;
}
