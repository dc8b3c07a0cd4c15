// Admission for the routes of Fastify

export type { AdmitRoutesOptions, RouteAdmission } from './admit-routes.ts';
export { admitRoutes } from './admit-routes.ts';
