// Share the work for equal requests of node:http: one run of a route's handler, one compression of a body, a signal for clients that leave

// To serve.
export { createSharedBodies } from './create-shared-bodies.ts';
export {
  type CoalescedRouteMiddleware,
  coalesceRoute,
  type HttpRouteOptions,
  type RefuseRequest,
} from './routes/coalesce-route.ts';
export { coalescedRequest } from './routes/coalesced-request.ts';
export { answerErrors, type ErrorAnswer, errorAnswer } from './routes/error-answer.ts';
export { endedByLeaving, leavingSignal } from './routes/leaving-signal.ts';
export type { RouteCoalescer } from './routes/open-route.ts';
export type { CoalescedRequest } from './routes/request-role.ts';
export type { CoalesceRouteOptions, RequestKey } from './routes/route-options.ts';
export type { HttpRequest, HttpResponse } from './routes/when-left.ts';
export type {
  BodyAnswer,
  BodyHeaders,
  BodyRequest,
  BodyToSend,
  EncodeBody,
  HttpExchange,
  SharedBodies,
  SharedBodiesOptions,
  SharedBodiesStats,
} from './shared-bodies.ts';
