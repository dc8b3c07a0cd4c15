// Share one run of a route's handler between equal requests of Hono in flight

export type { RouteCoalescer } from '../http/routes/open-route.ts';
export type { CoalescedRequest } from '../http/routes/request-role.ts';
export type { CoalesceRouteOptions } from '../http/routes/route-options.ts';
export { type CoalescedRouteMiddleware, coalesceRoute } from './coalesce-route.ts';
export { coalescedRequest } from './coalesced-request.ts';
export { errorResponse } from './error-response.ts';
export type { HonoContext, HonoMiddleware } from './hono-context.ts';
export { leavingSignal } from './leaving-signal.ts';
