import {
  type CoalescedRouteMiddleware,
  coalesceRoute,
  errorResponse,
  leavingSignal,
} from '@ticketing/batching/hono';
import { Hono } from 'hono';
import type { Upstream } from './upstream.ts';

export interface AppOptions {
  readonly upstream: Upstream;
  /** Most different reports that are being made. */
  readonly maxReports?: number;
  readonly timeoutMs?: number;
}

export interface App {
  readonly app: Hono;
  readonly reports: CoalescedRouteMiddleware;
}

/** A service of reports. Equal requests in flight are one call of the API. */
export function createApp({ upstream, maxReports = 100, timeoutMs = 10_000 }: AppOptions): App {
  const app = new Hono();

  // Open to all, and the same in one language: whoever asks, equal requests share a run.
  const reports = coalesceRoute({
    name: 'reports',
    vary: ['accept-language'],
    shareCredentials: true,
    maxKeys: maxReports,
    loadTimeoutMs: timeoutMs,
  });
  app.get('/reports/:id', reports, async (context) => {
    const language = context.req.header('accept-language') ?? 'en';
    // Aborts when the last client that waits for this report has left.
    const signal = leavingSignal(context);
    return context.json(
      (await upstream.report(context.req.param('id'), language, signal)) as object,
    );
  });

  // A user's own: credentials count, so that only requests of one user share a run.
  app.get('/mine', coalesceRoute({ name: 'mine' }), async (context) => {
    const token = context.req.header('authorization');
    if (token === undefined) return context.json({ error: 'Who are you?' }, 401);
    return context.json((await upstream.mine(token, leavingSignal(context))) as object);
  });

  // 503 and 504 of what is refused or late; nothing for a client that has left.
  app.onError((error, context) => {
    const response = errorResponse(error, context);
    if (response) return response;
    console.error(error);
    return context.json({ error: 'The API has failed' }, 502);
  });
  return { app, reports };
}
