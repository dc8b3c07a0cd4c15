import {
  answerErrors,
  type CoalescedRouteMiddleware,
  coalesceRoute,
  leavingSignal,
} from '@ticketing/batching/http';
import express, { type Express, type Request, type Response } from 'express';
import type { Upstream } from './upstream.ts';

export interface AppOptions {
  readonly upstream: Upstream;
  /** Most different reports that are being made. */
  readonly maxReports?: number;
  readonly timeoutMs?: number;
}

export interface App {
  readonly app: Express;
  readonly reports: CoalescedRouteMiddleware;
}

/** A service of reports. Equal requests in flight are one call of the API. */
export function createApp({ upstream, maxReports = 100, timeoutMs = 10_000 }: AppOptions): App {
  const app = express();

  // Open to all, and the same in one language: whoever asks, equal requests share a run.
  const reports = coalesceRoute({
    name: 'reports',
    vary: ['accept-language'],
    shareCredentials: true,
    maxKeys: maxReports,
    loadTimeoutMs: timeoutMs,
  });
  app.get('/reports/:id', reports, async (request: Request<{ id: string }>, response: Response) => {
    const language = request.get('accept-language') ?? 'en';
    // Aborts when the last client that waits for this report has left.
    const signal = leavingSignal(response);
    response.json(await upstream.report(request.params.id, language, signal));
  });

  // A user's own: credentials count, so that only requests of one user share a run.
  app.get('/mine', coalesceRoute({ name: 'mine' }), async (request, response) => {
    const token = request.get('authorization');
    if (token === undefined) response.status(401).json({ error: 'Who are you?' });
    else response.json(await upstream.mine(token, leavingSignal(response)));
  });

  // 503 and 504 of what is refused or late; nothing for a client that has left.
  app.use(answerErrors);
  return { app, reports };
}
