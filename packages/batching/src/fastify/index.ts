// Share one execution of a route's handler, and its serialised answer, between equal requests in flight

export type { CoalescedRequest } from '../http/routes/request-role.ts';
export type { CoalescedRoutes } from './coalesce-routes.ts';
// For those who serve.
export { coalesceRoutes } from './coalesce-routes.ts';
export type {
  CoalesceRoutesOptions,
  RouteCoalesceOptions,
  RouteKey,
} from './coalesce-routes-options.ts';
