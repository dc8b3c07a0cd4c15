import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Answer, RawRequest, WireFaults } from '../wires/wire.ts';
import type { Fault } from './fault.ts';

const dripMs = 50;

/** An answer to send, and the fault that it meets. */
export interface Delivery {
  readonly reply: FastifyReply;
  readonly wire: WireFaults;
  readonly fault: Fault | null;
  readonly request: RawRequest;
  /** Returns the right answer. */
  answer(): Answer | Promise<Answer>;
  /** Aborts when the client leaves. */
  readonly gone: AbortSignal;
}

/** Sends an answer, or what its fault makes of it. `hang` sends nothing until the connection closes. */
export async function deliver(delivery: Delivery): Promise<void> {
  const { reply, wire, fault, request, answer, gone } = delivery;
  switch (fault?.kind) {
    case 'hang':
      reply.hijack();
      return;
    case 'drip':
      return drip({ reply, answer: await answer(), gone });
    case 'error':
      return send(reply, plainText(500, 'Internal Server Error\n'));
    case 'error-drip':
      return drip({ reply, answer: plainText(500, 'Internal Server Error\n'.repeat(1000)), gone });
    case 'rate-limited': {
      const { status, headers, body } = plainText(429, 'Too Many Requests\n');
      const retryAfter = { 'retry-after': String(fault.retryAfterSeconds) };
      return send(reply, { status, headers: { ...headers, ...retryAfter }, body });
    }
    case 'throttled':
      return send(reply, wire.throttled(fault.retryAfterSeconds, request));
    case 'truncated': {
      const whole = await answer();
      const bytes = Buffer.from(whole.body);
      return send(reply, { ...whole, body: bytes.subarray(0, bytes.length / 2) });
    }
    case 'reset':
      return reset({ reply, answer: await answer() });
    case 'wrong-content-type': {
      const whole = await answer();
      const isHtml = String(whole.headers['content-type']).startsWith('text/html');
      const type = isHtml ? 'application/octet-stream' : 'text/html; charset=utf-8';
      return send(reply, { ...whole, headers: { ...whole.headers, 'content-type': type } });
    }
    case 'malformed-price': {
      const whole = await answer();
      const { malformPrice = (body: string) => body } = wire;
      return send(reply, { ...whole, body: malformPrice(String(whole.body)) });
    }
    default:
      return send(reply, await answer());
  }
}

/** Answers 503: the carrier has no room. */
export function refuse(reply: FastifyReply): FastifyReply {
  send(reply, plainText(503, 'Service Unavailable\n'));
  return reply;
}

function plainText(status: number, body: string): Answer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

function send(reply: FastifyReply, { status, headers, body }: Answer): void {
  reply
    .code(status)
    .headers({ ...headers })
    .send(body);
}

/** Sends the head and half of the body, then resets the connection. */
function reset({ reply, answer }: Pick<Delivery, 'reply'> & { answer: Answer }): void {
  reply.hijack();
  const bytes = Buffer.from(answer.body);
  const { raw } = reply;
  raw.writeHead(answer.status, { ...answer.headers, 'content-length': bytes.length });
  raw.flushHeaders();
  raw.write(bytes.subarray(0, bytes.length / 2), () => raw.socket?.resetAndDestroy());
}

async function drip({
  reply,
  answer,
  gone,
}: Pick<Delivery, 'reply' | 'gone'> & { answer: Answer }) {
  reply.hijack();
  const bytes = Buffer.from(answer.body);
  const { raw } = reply;
  raw.writeHead(answer.status, {
    ...answer.headers,
    'content-length': bytes.length,
  });
  raw.flushHeaders();
  for (let index = 0; index < bytes.length; index++) {
    await wait(dripMs, undefined, { signal: gone });
    raw.write(bytes.subarray(index, index + 1));
  }
  raw.end();
}
