import { type CoalescedRequest, roleOf } from './request-role.ts';

/**
 * Returns the clients that the handler of a route with `coalesceRoute` works for.
 *
 * @throws TypeError in middleware before it, for a method that it does not share, and on other routes
 */
export function coalescedRequest(request: {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}): CoalescedRequest {
  const role = roleOf(request);
  if (role !== undefined) return role.view;
  throw new TypeError(
    `Cannot read the clients of ${request.method} ${request.url}: \`coalesceRoute\` does not share the request, or comes after this`,
  );
}
