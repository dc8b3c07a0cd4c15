// Share one run of a route's handler between equal requests of Koa in flight

export { coalescedRequest } from '../http/routes/coalesced-request.ts';
export { leavingSignal } from '../http/routes/leaving-signal.ts';
export type { RouteCoalescer } from '../http/routes/open-route.ts';
export type { CoalescedRequest } from '../http/routes/request-role.ts';
export type { CoalesceRouteOptions } from '../http/routes/route-options.ts';
export { answerErrors } from './answer-errors.ts';
export { type CoalescedRouteMiddleware, coalesceRoute } from './coalesce-route.ts';
export type { KoaContext, KoaMiddleware } from './koa-context.ts';
