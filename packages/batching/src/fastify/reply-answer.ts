import type { FastifyReply } from 'fastify';
import type { AnswerHeaders } from '../http/routes/header-fields.ts';
import type { CoalescedRoute } from '../http/routes/route-key.ts';
import { type Answer, readAnswer, type SharedAnswer } from '../http/routes/shared-answer.ts';

/** Returns the headers that a reply has so far. */
export function headersOf(reply: FastifyReply): AnswerHeaders {
  return reply.getHeaders() as AnswerHeaders;
}

/** Reads the answer that a reply is about to send. `before` are its headers before the handler ran. */
export function answerOf(
  reply: FastifyReply,
  payload: unknown,
  { route, before }: { readonly route: CoalescedRoute; readonly before: AnswerHeaders },
): Answer {
  const { statusCode: status, request } = reply;
  const read = { status, headers: headersOf(reply), before, payload: payload ?? null };
  return readAnswer({ ...read, sent: request.headers }, route);
}

/** Gives a reply the status and headers of an answer, besides those of its own hooks. */
export function fillReply(reply: FastifyReply, answer: SharedAnswer): void {
  reply.code(answer.status);
  for (const name of answer.removed) reply.removeHeader(name);
  for (const [name, value] of answer.headers) {
    reply.header(name, Array.isArray(value) ? [...value] : value);
  }
}

/** Restores the status and the headers that describe the body, which the hooks of this client may have changed. */
export function restoreReply(reply: FastifyReply, answer: SharedAnswer): void {
  reply.code(answer.status);
  for (const [name, value] of answer.bodyHeaders) reply.header(name, value);
}
