import { coalescedRequest as clientsOf } from '../http/routes/coalesced-request.ts';
import { type CoalescedRequest, roleOf } from '../http/routes/request-role.ts';
import type { HonoContext } from './hono-context.ts';

/**
 * Returns the clients that the handler of a route with `coalesceRoute` works for.
 *
 * @throws TypeError in middleware before it, for a method that it does not share, and on other routes
 */
export function coalescedRequest(context: HonoContext): CoalescedRequest {
  return roleOf(context)?.view ?? clientsOf(context.req);
}
