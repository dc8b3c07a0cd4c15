// Admission for servers of `node:http`, and so for Express, Koa and Hono

export type { AdmitRequestsOptions } from './admit-requests.ts';
export { admitRequests } from './admit-requests.ts';
