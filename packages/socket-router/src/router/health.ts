import type { Head } from '../contract/head.ts';
import { problem, type RouterAnswer } from '../server/answers.ts';

/**
 * Readiness of a router. `starting`: not every slot has had a worker yet, or none has one now;
 * `circuit-open`: the same, and workers of a source fail to start.
 */
export type Health = 'ready' | 'starting' | 'circuit-open' | 'closing';

/** Returns the answer to a request for the health path; `undefined` for all other requests. */
export function healthAnswer(
  path: string,
  head: Head,
  health: () => Health,
): RouterAnswer | undefined {
  if (pathOf(head) !== path) return undefined;
  if (head.method !== 'GET' && head.method !== 'HEAD') {
    const refusal = problem(405);
    return { ...refusal, headers: { ...refusal.headers, Allow: 'GET, HEAD' } };
  }
  const status = health();
  const isReady = status === 'ready';
  return {
    status: isReady ? 200 : 503,
    headers: {
      ...(!isReady && { 'Retry-After': '1' }),
      'Cache-Control': 'no-store',
      'Content-Type': 'application/json',
    },
    body: Buffer.from(JSON.stringify({ status })),
  };
}

/** Returns the path of a target, which may be an absolute address; `undefined` for what is no HTTP request. */
function pathOf({ kind, target = '' }: Head): string | undefined {
  if (kind !== 'http1') return undefined;
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  return local.split('?', 1)[0];
}
