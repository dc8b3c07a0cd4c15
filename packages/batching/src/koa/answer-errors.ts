import { errorAnswer } from '../http/routes/error-answer.ts';
import { endedByLeaving } from '../http/routes/leaving-signal.ts';
import type { KoaContext } from './koa-context.ts';

/**
 * Middleware of Koa, to be used before the routes: answers a `BatchingError` of status 503 or 504, and answers nothing to a client
 * that has left. Every other error goes on.
 *
 * @example
 * app.use(answerErrors);
 */
export async function answerErrors(
  context: KoaContext,
  next: () => Promise<unknown>,
): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (endedByLeaving(error, context.res)) return;
    const answer = errorAnswer(error);
    if (answer === undefined) throw error;
    context.status = answer.status;
    for (const [name, value] of Object.entries(answer.headers)) context.set(name, value);
    context.body = answer.body;
  }
}
