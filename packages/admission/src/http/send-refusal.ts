import type { ServerResponse } from 'node:http';
import type { Refusal } from '../applicant-queue.ts';

const answers: Readonly<Record<Refusal, { readonly code: string; readonly detail: string }>> = {
  busy: {
    code: 'ERR_OVERLOADED',
    detail: 'More requests are waiting than can be answered in time',
  },
  late: {
    code: 'ERR_EXPIRED',
    detail: 'The request waited so long that it could not be answered in time',
  },
};

/** Answers 503 with `Retry-After` and a problem document of RFC 9457. */
export function sendRefusal(response: ServerResponse, reason: Refusal): void {
  const body = JSON.stringify({
    type: 'about:blank',
    title: 'Service Unavailable',
    status: 503,
    ...answers[reason],
  });
  response
    .writeHead(503, {
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'retry-after': '1',
    })
    .end(body);
}
