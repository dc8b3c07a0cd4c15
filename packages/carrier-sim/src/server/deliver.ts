import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Answer, RawRequest, ServerCoding, WireFaults } from '../wires/wire.ts';
import { encodeAnswer, named, negotiate } from './content-coding.ts';
import type { Fault } from './fault.ts';

const dripMs = 50;

/** An answer to send, and the fault that it meets. */
export interface Delivery {
  readonly reply: FastifyReply;
  readonly wire: WireFaults;
  readonly fault: Fault | null;
  readonly request: RawRequest;
  /** Coding that the server prefers. Absent: answers are sent as the carrier gives them. */
  readonly coding?: ServerCoding | undefined;
  /** Returns the right answer. */
  answer(): Answer | Promise<Answer>;
  /** Aborts when the client leaves. */
  readonly gone: AbortSignal;
}

/** Sends an answer, or what its fault makes of it. `hang` sends nothing until the connection closes. */
export async function deliver(delivery: Delivery): Promise<void> {
  const { reply, wire, fault, request, gone } = delivery;
  /** Returns the answer as it is sent. */
  const sent = async (whole: Answer | Promise<Answer> = delivery.answer()): Promise<Answer> => {
    const { coding } = delivery;
    if (coding === undefined) return whole;
    return negotiate(await whole, { prefers: coding, accepts: request.headers['accept-encoding'] });
  };
  switch (fault?.kind) {
    case 'hang':
      reply.hijack();
      return;
    case 'drip':
      return drip({ reply, answer: await sent(), gone });
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
      const whole = await delivery.answer();
      return send(reply, await sent(halfOf(whole)));
    }
    case 'half-encoded':
      return send(reply, halfOf(await encodeAnswer(await delivery.answer(), 'gzip')));
    case 'wrong-encoding':
      return send(reply, named(await delivery.answer(), 'gzip'));
    case 'unknown-encoding':
      return send(reply, named(await delivery.answer(), 'x-press'));
    case 'unasked-encoding':
      return send(reply, await encodeAnswer(await delivery.answer(), 'deflate'));
    case 'reset':
      return reset({ reply, answer: await sent() });
    case 'wrong-content-type': {
      const whole = await sent();
      const isHtml = String(whole.headers['content-type']).startsWith('text/html');
      const type = isHtml ? 'application/octet-stream' : 'text/html; charset=utf-8';
      return send(reply, { ...whole, headers: { ...whole.headers, 'content-type': type } });
    }
    case 'malformed-price': {
      const whole = await delivery.answer();
      const { malformPrice = (body: string) => body } = wire;
      return send(reply, await sent({ ...whole, body: malformPrice(String(whole.body)) }));
    }
    default:
      return send(reply, await sent());
  }
}

/** Answers 503: the carrier has no room. */
export function refuse(reply: FastifyReply): FastifyReply {
  send(reply, plainText(503, 'Service Unavailable\n'));
  return reply;
}

function halfOf(answer: Answer): Answer {
  const bytes = Buffer.from(answer.body);
  return { ...answer, body: bytes.subarray(0, bytes.length / 2) };
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
